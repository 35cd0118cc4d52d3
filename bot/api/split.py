"""Markdown source in parts that a platform accepts, each of them whole in itself."""

import re
from collections.abc import Callable, Iterator
from typing import Final
from unicodedata import category

from bot.api.fences import Fence, Fences

Measure = Callable[[str], int]

SENTENCE: Final = re.compile(
    r"""(?<=[.!?…])["'”’»)\]*_]*\s | (?<=[。！？．])(?![。！？．])[」』”’）]*""", re.VERBOSE
)
PAUSES: Final = "，、；：。！？．"
JOINER: Final = "\u200d"
BLANK_LINE: Final = re.compile(r"[^\S\n]*(?:\n|\Z)")
BLANK_LINES: Final = re.compile(r"(?:[^\S\n]*\n)*")
BLANKS: Final = re.compile(r"\s*\n|\s*")
LEAST: Final = 4
"""A part is at least a quarter full before a break that is better placed is preferred."""
SHARE: Final = 2
"""The added lines of a fence may take one half of a part; what would take more is left out."""


def split(text: str, limit: int, measure: Measure = len) -> list[str]:
    """Return a Markdown text in parts that measure ``limit`` or less each.

    A break is at a paragraph, else a line, a sentence, a word, and inside a word only where there
    is nothing else, then between two visible characters. Only blanks are lost at it. A fenced block
    that is cut is closed and opened again, with its language where that leaves room.

    ``measure`` must not shrink as a text grows. It is called some twenty times a part, on pieces of
    the size of a part, so that it may be costly. A part holds one character at least, also where
    that measures more; fences need a limit of some ten times their length.
    """
    if limit < 1:
        raise ValueError(f"the limit of a part must be 1 or more, not {limit}")
    return list(_Splitter(text.rstrip(), limit, measure).parts())


class _Splitter:
    def __init__(self, text: str, limit: int, measure: Measure) -> None:
        self.limit = limit
        self.measure = measure
        self.fences = Fences(text)
        self.text = self._without_endless_openers(text)
        if self.text is not text:
            self.fences = Fences(self.text)

    def parts(self) -> Iterator[str]:
        start = self._next(0)
        while start < len(self.text):
            end = self._end(start)
            part = self._render(start, end)
            if part.strip():
                yield part
            start = self._next(end)

    def _without_endless_openers(self, text: str) -> str:
        """Make the first line of code of what stands behind a fence and fits in no part."""
        pieces, done = [], 0
        for fence in self.fences.blocks:
            opening = text[fence.start : fence.code] + fence.closer(alone=False)
            if len(opening) * LEAST > self.limit and self.measure(opening) > self.limit:
                mark = text.index(fence.mark, fence.start) + len(fence.mark)
                pieces.append(text[done:mark])
                done = mark
        return "\n".join([*pieces, text[done:]]) if pieces else text

    # Cuts are offsets. Outside of fences blanks before a cut are dropped from the part.

    def _end(self, start: int) -> int:
        reach = self._reach(start)
        while True:
            end = reach if reach == len(self.text) else self._break(start, reach)
            if end - start <= 1 or self._fits(start, end):
                return end
            reach = self._legal(start, start + (end - start) // 2)

    def _reach(self, start: int) -> int:
        """Return the furthest cut whose part fits: doubling steps first, then halves."""
        step = self.limit
        low, high = start, min(start + step, len(self.text))
        while self._fits(start, high):
            if high == len(self.text):
                return high
            step *= 2
            low, high = high, min(high + step, len(self.text))
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._fits(start, middle) else (low, middle)
        return self._legal(start, max(low, start + 1))

    def _fits(self, start: int, end: int) -> bool:
        return self.measure(self._render(start, self._legal(start, end))) <= self.limit

    def _legal(self, start: int, cut: int) -> int:
        """Return the last cut up to ``cut`` that is not inside a line that opens or closes."""
        fence = self._fence(cut)
        if fence is None or cut == len(self.text):
            return cut
        if cut <= fence.code and fence.start > start:
            return fence.start
        return min(max(cut, fence.code), fence.close)

    def _fence(self, cut: int) -> Fence | None:
        fence = self.fences.around(cut)
        return None if fence is None or self._bare(fence) * SHARE > self.limit else fence

    def _bare(self, fence: Fence) -> int:
        return len(fence.opener("")) + 1 + len(fence.closer(alone=True))

    def _render(self, start: int, end: int) -> str:
        first, last = self._fence(start), self._fence(end)
        head = "" if first is None else self._opener(first)
        if last is not None:
            code = self.text[start : min(end, last.close)]
            line = "" if code.endswith("\n") else "\n"
            return head + code + line + last.closer(alone=last is first)
        if first is not None and first.deep:
            rest = self.text[first.close : end].lstrip(" \t")
            return head + (self.text[start : first.close] + rest).rstrip()
        return head + self.text[start:end].rstrip()

    def _opener(self, fence: Fence) -> str:
        lines = fence.opener(fence.info) + "\n" + fence.closer(alone=True)
        fits = len(lines) * SHARE <= self.limit and self.measure(lines) * SHARE <= self.limit
        return fence.opener(fence.info if fits else "")

    def _next(self, cut: int) -> int:
        """Return where the part after a cut begins: behind blank lines, or behind blanks."""
        fence = self._fence(cut)
        if fence is not None:
            if cut < fence.close:
                return cut
            cut = fence.end
        line = cut == 0 or self.text[cut - 1 : cut] in ("\n", "")
        found = (BLANK_LINES if line else BLANKS).match(self.text, min(cut, len(self.text)))
        return cut if found is None else found.end()

    def _break(self, start: int, reach: int) -> int:
        least = start + max((reach - start) // LEAST, 1)
        for find in (self._paragraph, self._line, self._sentence, self._word):
            found = find(start, least, reach)
            if found is not None:
                return found
        finds = (find(start, start + 1, reach) for find in (self._line, self._sentence, self._word))
        early = max((found for found in finds if found is not None), default=None)
        return early or self._legal(start, self._cluster(start, reach))

    def _paragraph(self, _: int, low: int, high: int) -> int | None:
        for cut in self._lines(low, high):
            if self._fence(cut) is None and (
                BLANK_LINE.match(self.text, cut) or self.fences.touches(cut)
            ):
                return cut
        return None

    def _line(self, start: int, low: int, high: int) -> int | None:
        return next((cut for cut in self._lines(low, high) if self._allowed(start, cut)), None)

    def _sentence(self, start: int, low: int, high: int) -> int | None:
        found = None
        for match in SENTENCE.finditer(self.text, low, high):
            if match.end() > start and self._fence(match.end()) is None:
                found = match.end()
        return found

    def _word(self, start: int, low: int, high: int) -> int | None:
        for cut in range(high, low - 1, -1):
            before = self.text[cut - 1]
            if (before.isspace() or before in PAUSES) and self._allowed(start, cut):
                return cut
        return None

    def _cluster(self, start: int, high: int) -> int:
        cuts = range(high, start, -1)
        return next((cut for cut in cuts if not _inside_cluster(self.text, start, cut)), high)

    def _lines(self, low: int, high: int) -> Iterator[int]:
        """Yield the starts of lines, last first."""
        cut = self.text.rfind("\n", low - 1, high) + 1
        while cut:
            yield cut
            cut = self.text.rfind("\n", low - 1, cut - 1) + 1

    def _allowed(self, start: int, cut: int) -> bool:
        """Tell whether a cut is neither inside a line of a fence nor leaves a block empty.

        A block is left empty by an opening line that takes more than its share.
        """
        fence = self._fence(cut)
        if fence is None or fence.code < cut <= fence.close:
            return True
        alone = cut == fence.code and fence.start == start
        return alone and bool(fence.info) and fence.info not in self._opener(fence)


def _inside_cluster(text: str, start: int, cut: int) -> bool:
    """Tell whether a cut would part what is seen as one character (a rough UAX #29)."""
    before, after = text[cut - 1], text[cut : cut + 1] or "\n"
    return (
        category(after) in {"Mn", "Mc", "Me", "Cf"}
        or before == JOINER
        or "\U0001f3fb" <= after <= "\U0001f3ff"
        or "\u1160" <= after <= "\u11ff"
        or "\udc00" <= after <= "\udfff"
        or (_is_flag(after) and _flags_before(text, start, cut) % 2 == 1)
    )


def _is_flag(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def _flags_before(text: str, start: int, cut: int) -> int:
    place = cut
    while place > start and _is_flag(text[place - 1]):
        place -= 1
    return cut - place
