"""Answering without a model: the sentence of the passages that answers best, quoted."""

from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from bot.api import Passage
from plugins.ai import syntax
from plugins.ai.matching import Matcher
from plugins.ai.providers.provider import End, Event, Piece, Request, Stop
from plugins.ai.sentences import Sentence, sentences

ENOUGH: Final = 0.25
"""Which part of the question's weight a sentence and its title must cover to be an answer."""

SURE: Final = 0.25
"""Which confidence of a passage it takes."""

OF_TITLE: Final = 0.8
OF_PASSAGE: Final = 0.4
"""What a word is worth that stands only in the title above a sentence, or around it."""

LONGEST_LIST: Final = 8


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence with the number of its passage, the titles above it and what follows it."""

    passage: int
    sentence: Sentence
    title: str
    following: Sequence[Sentence]


class Offline:
    """Quotes; it needs neither a network nor a model, and says so when it finds no answer."""

    name = "offline"

    async def stream(self, request: Request) -> AsyncGenerator[Event, None]:
        """Yield the sentence that answers best with its number, or the end only."""
        found = best(request.question, request.passages)
        if found is None:
            yield End(Stop.UNKNOWN)
            return
        yield Piece(_quote(found))
        yield End(Stop.DONE)

    async def close(self) -> None:
        """Do nothing: there are no connections."""


def best(question: str, passages: Sequence[Passage]) -> Candidate | None:
    """Return the sentence that answers a question best, None where none does."""
    candidates = [
        candidate
        for number, passage in enumerate(passages, 1)
        if passage.confidence >= SURE
        for candidate in _candidates(number, passage)
    ]
    matcher = Matcher(question, [f"{c.title} {c.sentence.text}" for c in candidates])
    around = [matcher.coverage(passage.text) for passage in passages]

    def score(candidate: Candidate) -> float:
        text = candidate.sentence.text
        near = OF_PASSAGE * around[candidate.passage - 1]
        return _coverage(matcher, candidate) + matcher.bonus(text) + near

    found = max(candidates, key=score, default=None)
    return None if found is None or _coverage(matcher, found) < ENOUGH else found


def _coverage(matcher: Matcher, candidate: Candidate) -> float:
    own = matcher.coverage(candidate.sentence.text)
    both = matcher.coverage(f"{candidate.title} {candidate.sentence.text}")
    return own + OF_TITLE * (both - own)


def _candidates(number: int, passage: Passage) -> Iterator[Candidate]:
    above = passage.label.partition("›")[2]
    title = above
    found = list(sentences(passage.text))
    for place, sentence in enumerate(found):
        if sentence.title:
            title = f"{above} {sentence.text}"
        else:
            yield Candidate(number, sentence, title, found[place + 1 :])


def _quote(found: Candidate) -> str:
    """Return the sentence with its number; one that announces a list with the list."""
    quoted = syntax.MARK.sub("", found.sentence.text)
    mark = f"[{found.passage}]"
    if not quoted.rstrip("*_").endswith((":", "：")):
        return f"{quoted} {mark}"
    items = list(takewhile(lambda sentence: sentence.item, found.following))[:LONGEST_LIST]
    listed = "".join(f"\n- {syntax.MARK.sub('', item.text)}" for item in items)
    return f"{quoted} {mark}{listed and chr(10)}{listed}"
