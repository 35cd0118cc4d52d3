"""Cutting an answer into plain text, code, marks, links and images while it grows."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from plugins.ai import syntax

LONGEST: Final = 2000
"""How many characters may wait for the end of what they may be."""

ENDS: Final = ".,;:!?'*_~)"
"""What ends the sentence around a URL rather than the URL."""


class Kind(StrEnum):
    """What a segment is."""

    TEXT = "text"
    CODE = "code"
    MARK = "mark"
    LINK = "link"
    IMAGE = "image"
    URL = "url"


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of the answer as it is written; ``label`` and ``target`` are those of a link.

    ``numbers`` are those of a mark like ``[1, 2]``, whose ``text`` has the blanks before it.
    """

    kind: Kind
    text: str
    label: str = ""
    target: str = ""
    numbers: tuple[int, ...] = ()


CONSTRUCTS: Final = (
    (Kind.CODE, syntax.CODE, syntax.PART_OF_CODE),
    (Kind.IMAGE, syntax.IMAGE, syntax.PART_OF_IMAGE),
    (Kind.LINK, syntax.LINK, syntax.PART_OF_LINK),
    (Kind.MARK, syntax.MARK, syntax.PART_OF_MARK),
    (Kind.URL, syntax.URL, syntax.PART_OF_URL),
)


class Scanner:
    """Cuts a growing text into segments; what is not decided yet waits.

    However the text comes in pieces, the same segments come out (plain text and code apart, which
    may come in several).
    """

    def __init__(self) -> None:
        self._held = ""
        self._fence = ""
        self._line_begins = True

    def feed(self, piece: str) -> Iterator[Segment]:
        """Yield the segments that are certain after one more piece."""
        self._held += piece
        yield from self._segments(last=False)

    def finish(self) -> Iterator[Segment]:
        """Yield the rest."""
        yield from self._segments(last=True)

    def _segments(self, *, last: bool) -> Iterator[Segment]:
        while self._held:
            segment = self._next(last=last or len(self._held) > LONGEST)
            if segment is None:
                return
            self._held = self._held[len(segment.text) :]
            self._line_begins = segment.text.endswith("\n")
            yield segment

    def _next(self, *, last: bool) -> Segment | None:
        if self._fence:
            return self._in_fence(last=last)
        if self._line_begins:
            if not last and syntax.PART_OF_FENCE.match(self._held):
                return None
            if (found := syntax.FENCE.match(self._held)) is not None:
                self._fence = found["fence"]
                return Segment(Kind.CODE, found[0])
        begins = syntax.BEGINS.search(self._held)
        if begins is None:
            return self._plain(last=last)
        if begins.start() or begins[0] == "\n":
            return Segment(Kind.TEXT, self._held[: begins.start() or 1])
        return self._construct(begins[0], last=last)

    def _plain(self, *, last: bool) -> Segment | None:
        unsure = None if last else syntax.UNSURE.search(self._held)
        text = self._held if unsure is None else self._held[: unsure.start()]
        return Segment(Kind.TEXT, text) if text else None

    def _construct(self, begin: str, *, last: bool) -> Segment | None:
        for kind, whole, part in CONSTRUCTS:
            found = whole.match(self._held)
            if found is not None and (last or found.end() < len(self._held)):
                return _segment(kind, found)
            if not last and (found is not None or part.match(self._held)):
                return None
        # It is none of them: go past what made it look like one.
        passed = re.match(r"`+|[ \t]+|.", begin)
        return Segment(Kind.TEXT, begin if passed is None else passed[0])

    def _in_fence(self, *, last: bool) -> Segment | None:
        line, newline, _ = self._held.partition("\n")
        bare = line.strip()
        closing = self._line_begins and bare == self._fence[0] * len(bare)
        if closing and not newline and not last:
            return None
        if closing and len(bare) >= len(self._fence):
            self._fence = ""
        return Segment(Kind.CODE, line + newline)


def scan(text: str) -> Iterator[Segment]:
    """Yield the segments of a whole text."""
    scanner = Scanner()
    yield from scanner.feed(text)
    yield from scanner.finish()


def _segment(kind: Kind, found: re.Match[str]) -> Segment:
    groups = found.groupdict()
    if kind is Kind.MARK:
        numbers = tuple(int(number) for number in re.findall(r"\d+", groups["numbers"]))
        return Segment(kind, found[0], numbers=numbers)
    if kind is Kind.URL:
        return (
            _bare_url(found[0])
            if groups["auto"] is None
            else Segment(kind, found[0], target=groups["auto"])
        )
    target = (groups.get("target") or "").strip("<>")
    return Segment(kind, found[0], label=groups.get("label") or "", target=target)


def _bare_url(text: str) -> Segment:
    url = text.rstrip(ENDS)
    if url.count("(") > url.count(")") and text[len(url) :].startswith(")"):
        url += ")"
    return Segment(Kind.URL, url, target=url)
