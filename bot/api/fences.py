"""Fenced code blocks in Markdown source, as CommonMark has them."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

LINE: Final = re.compile(
    r"^(?P<prefix>[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(?P<mark>`{3,}|~{3,})(?P<info>[^\n]*)\n?",
    re.MULTILINE,
)
MOST_INDENT: Final = 3
"""A fence that stands by itself is indented by at most this many columns."""


@dataclass(frozen=True, slots=True)
class Fence:
    """One fenced block, in offsets.

    ``start`` is where its opening line begins, ``code`` where the code does, ``close`` where its
    closing line does and ``end`` what follows. Of a block that is never closed, ``close`` is the
    length of the text and ``end`` one more. ``indent`` is in columns and counts the marker of a
    list item whose first line the fence is; ``info`` is the language and what follows it.
    """

    start: int
    code: int
    close: int
    end: int
    indent: int
    mark: str
    info: str

    @property
    def deep(self) -> bool:
        """Whether the indentation would not be that of a fence outside of its list item."""
        return self.indent > MOST_INDENT

    def opener(self, info: str) -> str:
        """Return a line that opens the block again, outside of its list item."""
        return f"{' ' * min(self.indent, MOST_INDENT)}{self.mark}{info}\n"

    def closer(self, *, alone: bool) -> str:
        """Return a line that closes the block; ``alone`` says that it was opened again."""
        return " " * (min(self.indent, MOST_INDENT) if alone else self.indent) + self.mark


class Fences:
    """The fenced blocks of a text, in order."""

    def __init__(self, text: str) -> None:
        self.blocks: Sequence[Fence] = list(_scan(text))
        self._starts = [fence.start for fence in self.blocks]

    def around(self, offset: int) -> Fence | None:
        """Return the block that a cut at ``offset`` would part."""
        place = bisect_left(self._starts, offset) - 1
        if place < 0:
            return None
        fence = self.blocks[place]
        return fence if offset < fence.end else None

    def touches(self, offset: int) -> bool:
        """Tell whether a block begins or ends at ``offset``."""
        place = bisect_left(self._starts, offset)
        begins = place < len(self._starts) and self._starts[place] == offset
        return begins or (place > 0 and self.blocks[place - 1].end == offset)


def _scan(text: str) -> Sequence[Fence]:
    found: list[Fence] = []
    opener: re.Match[str] | None = None
    for line in LINE.finditer(text):
        if opener is None:
            opener = line if _opens(line) else None
        elif _closes(opener, line):
            found.append(_fence(opener, line.start(), line.end()))
            opener = None
    if opener is not None:
        found.append(_fence(opener, len(text), len(text) + 1))
    return found


def _fence(opener: re.Match[str], close: int, end: int) -> Fence:
    return Fence(
        opener.start(),
        opener.end(),
        close,
        end,
        _indent(opener),
        opener["mark"],
        opener["info"].strip(),
    )


def _opens(line: re.Match[str]) -> bool:
    return line["mark"][0] == "~" or "`" not in line["info"]


def _closes(opener: re.Match[str], line: re.Match[str]) -> bool:
    return (
        not line["prefix"].strip()
        and line["mark"].startswith(opener["mark"])
        and not line["info"].strip()
        and _indent(line) <= _indent(opener) + MOST_INDENT
    )


def _indent(line: re.Match[str]) -> int:
    return len(line["prefix"].expandtabs(4))
