"""Cutting a passage into whole sentences."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

ITEM: Final = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
HEADING: Final = re.compile(r"\s*#{1,6}\s+(.*?)\s*#*\s*$")
QUOTE: Final = re.compile(r"\s*>\s?")
FENCE: Final = re.compile(r"\s*(?:```|~~~)")
CLOSERS: Final = r"[\"'”’»)\]*_]*"
ENDING: Final = re.compile(
    rf"(?<=[.!?…]){CLOSERS}\s+(?=[\"'“‘«¿¡(\[*_]*[^\Wa-zà-ÿ])|(?<=[。！？])[”’」』）]*"
)
ABBREVIATED: Final = re.compile(
    r"(?:^|[\s(.])(?:[^\W\d_]|UU|EE|Dr|Mr|Mrs|Ms|St|Sr|Sra|Dra|Nr|vs|etc|approx|aprox|pág|núm)\.\s*$"
)
QUESTION: Final = re.compile(r"[?？][\"'”’»)*_]*$")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as it is written.

    ``title`` marks headings and questions, which answer nothing themselves; ``item`` marks what
    stands in a list.
    """

    text: str
    title: bool = False
    item: bool = False


def sentences(passage: str) -> Iterator[Sentence]:
    """Yield the sentences of a passage in Markdown, without list markers and quote signs."""
    for block in _blocks(passage):
        for text in [block.text] if block.title else _split(block.text):
            whole = " ".join(text.split())
            if re.search(r"\w", whole):
                yield Sentence(whole, block.title or bool(QUESTION.search(whole)), block.item)


def _blocks(passage: str) -> Iterator[Sentence]:
    """Yield headings, list items, table rows, lines of code and paragraphs."""
    open_block: Sentence | None = None
    code = False
    for line in [*passage.splitlines(), ""]:
        fence = bool(FENCE.match(line))
        bare = QUOTE.sub("", line, count=1)
        fresh = None if fence else _begun(bare, code=code)
        code ^= fence
        if open_block is not None and fresh is None and line.strip() and not fence:
            text = f"{open_block.text} {bare.strip()}"
            open_block = Sentence(text, open_block.title, open_block.item)
            continue
        if open_block is not None:
            yield open_block
        open_block = None
        if fresh is not None and (fresh.title or code):
            yield fresh
        elif not fence and line.strip():
            open_block = fresh or Sentence(bare.strip())


def _begun(line: str, *, code: bool) -> Sentence | None:
    """Return the block that a line begins whatever was before, None when it may go on with it."""
    if code:
        return Sentence(f"`{line.strip()}`") if line.strip() else None
    if heading := HEADING.match(line):
        return Sentence(heading[1], title=True)
    if item := ITEM.match(line):
        return Sentence(line[item.end() :].strip(), item=True)
    if line.lstrip().startswith("|"):
        return Sentence(line.strip().strip("|").strip(), item=True)
    return None


def _split(block: str) -> Iterator[str]:
    start = 0
    for found in ENDING.finditer(block):
        sentence = block[start : found.end()]
        if not ABBREVIATED.search(sentence):
            yield sentence
            start = found.end()
    yield block[start:]
