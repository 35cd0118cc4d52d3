"""Sections to chunks: cut at the best place before a size, with an overlap."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from plugins.rag.documents import Chunk, Document

PARAGRAPH: Final = re.compile(r"\n[ \t]*\n\s*")
SENTENCE: Final = re.compile(r"[.!?…]+[\"'”’»)\]]*\s+|[。！？；]+[”’」』）]*\s*|\n")
WORD: Final = re.compile(r"\s+|(?<=[、，,])")
FENCED: Final = re.compile(
    r"^[ \t]*(`{3,}|~{3,})[^\n]*\n(?:.*?\n)??[ \t]*\1[`~]*[ \t]*$", re.MULTILINE | re.DOTALL
)
TABLE: Final = re.compile(r"(?:^[ \t]*\|.*\|[ \t]*(?:\n|\Z)){2,}", re.MULTILINE)

Span = tuple[int, int]


def chunk(document: Document, size: int, overlap: int) -> Sequence[Chunk]:
    """Return a document's chunks of at most ``size`` characters.

    Consecutive chunks of a section share at most ``overlap`` characters, whole sentences or words.
    """
    if overlap * 4 > size:
        raise ValueError("the overlap of chunks is at most a quarter of their size")
    text = document.text
    found: list[Chunk] = []
    place = _Bytes(text)
    for section in document.sections:
        for start, end in spans(text[section.start : section.end], size, overlap):
            first, last = start + section.start, end + section.start
            found.append(Chunk(section.heading, text[first:last], place.of(first), place.of(last)))
    return found


def spans(text: str, size: int, overlap: int) -> Iterator[Span]:
    """Yield the chunks' places in a text, each stripped of outer blanks and never empty."""
    cuts = _cuts(text, size)
    start = 0
    while start < len(text):
        end = _end(cuts, start, len(text), size)
        if (trimmed := _trimmed(text, start, end)) is not None:
            yield trimmed
        if end >= len(text):
            return
        start = _start(cuts, start, end, overlap)


def _cuts(text: str, size: int) -> Sequence[Sequence[int]]:
    """Return the places to cut at: between paragraphs, sentences, words; none in whole blocks."""
    whole = [
        found.span()
        for pattern in (FENCED, TABLE)
        for found in pattern.finditer(text)
        if found.end() - found.start() <= size
    ]
    whole.sort()
    edges = [edge for span in whole for edge in span]
    paragraphs = sorted({*edges, *_ends(PARAGRAPH, text)})
    kinds = [paragraphs, _ends(SENTENCE, text), _ends(WORD, text)]
    return [[cut for cut in kind if not _inside(cut, whole)] for kind in kinds]


def _ends(pattern: re.Pattern[str], text: str) -> list[int]:
    return [found.end() for found in pattern.finditer(text)]


def _inside(cut: int, whole: Sequence[Span]) -> bool:
    index = bisect_left(whole, (cut, 0)) - 1
    return index >= 0 and whole[index][0] < cut < whole[index][1]


def _end(cuts: Sequence[Sequence[int]], start: int, length: int, size: int) -> int:
    """Return the best end after ``start``: the latest of the strongest kind in the later half."""
    limit = start + size
    if limit >= length:
        return length
    for least in (start + size // 2, start):
        for kind in cuts:
            index = bisect_right(kind, limit) - 1
            if index >= 0 and kind[index] > least:
                return kind[index]
    return limit


def _start(cuts: Sequence[Sequence[int]], start: int, end: int, overlap: int) -> int:
    """Return where the next chunk starts: after ``start``, at most ``overlap`` before ``end``."""
    earliest = max(end - overlap, start + 1)
    for kind in cuts[1:]:
        index = bisect_left(kind, earliest)
        if index < len(kind) and kind[index] < end:
            return kind[index]
    return end


def _trimmed(text: str, start: int, end: int) -> Span | None:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    right = len(piece.rstrip())
    return (start + left, start + right) if right > left else None


class _Bytes:
    """Characters' places to bytes' places; quick for places that mostly ascend."""

    def __init__(self, text: str) -> None:
        self._ascii = text.isascii()
        self._text = text
        self._last = (0, 0)

    def of(self, place: int) -> int:
        if self._ascii:
            return place
        character, byte = self._last
        step = len(self._text[min(character, place) : max(character, place)].encode())
        byte += step if place >= character else -step
        self._last = (place, byte)
        return byte
