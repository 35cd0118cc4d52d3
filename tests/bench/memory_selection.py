"""How often the fact that a question needs is among those that go into the prompt.

For two invented people, one in English and one in Spanish, whose facts stand in ``memory_people``
with the question that each is needed for. Behind ``~`` stand questions that hint at a fact without
a word of it; they are counted apart. A fact's age is shuffled anew in every round.

python tests/bench/memory_selection.py [--missed]
"""

import random
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from plugins.ai.memory.fact import Fact, Source, Status, key_of
from plugins.ai.memory.options import MemoryConfig
from plugins.ai.memory.selection import NEWEST, select

FOLDER = Path(__file__).with_name("memory_people")
ROUNDS = 20
NOW = datetime(2026, 3, 1, tzinfo=UTC)
RELEVANT = MemoryConfig(select="relevant", max_inject_chars=1000)
NEWEST_50 = MemoryConfig(select="newest")
Pair = tuple[str, str]


def read(path: Path) -> list[Pair]:
    """Return the facts of a person, each with the question that needs it, which may be empty."""
    lines = (line.partition("|") for line in path.read_text("utf-8").splitlines())
    return [(fact.strip(), question.strip()) for fact, _, question in lines]


def shuffled(pairs: Sequence[Pair], seed: int) -> list[Fact]:
    order = list(range(len(pairs)))
    random.Random(seed).shuffle(order)
    return [
        Fact("test:x", key_of(text), text, Status.APPROVED, Source.AUTO, time, time)
        for (text, _), age in zip(pairs, order, strict=True)
        for time in [NOW - timedelta(days=age)]
    ]


def newest_within(facts: Sequence[Fact], room: int) -> list[str]:
    chosen: list[str] = []
    for fact in sorted(facts, key=lambda fact: fact.updated, reverse=True):
        if sum(map(len, chosen)) + len(fact.text) > room:
            break
        chosen.append(fact.text)
    return chosen


def held(pairs: Sequence[Pair], asked: Sequence[Pair]) -> tuple[dict[str, float], list[Pair]]:
    """Return how often each way of selecting holds the needed fact, and what relevant missed."""
    hits = {"relevant": 0, "newest": 0, "newest within 1,000": 0}
    missed: set[Pair] = set()
    for seed in range(ROUNDS):
        facts = shuffled(pairs, seed)
        newest = {fact.text for fact in select(facts, "", NEWEST_50)}
        within = set(newest_within(facts, RELEVANT.max_inject_chars))
        for needed, question in asked:
            chosen = {fact.text for fact in select(facts, question, RELEVANT)}
            assert sum(map(len, chosen)) <= RELEVANT.max_inject_chars
            assert len(newest) == NEWEST
            hits["relevant"] += needed in chosen
            hits["newest"] += needed in newest
            hits["newest within 1,000"] += needed in within
            if needed not in chosen:
                missed.add((needed, question))
    return {name: count / ROUNDS / len(asked) for name, count in hits.items()}, sorted(missed)


def show(title: str, pairs: Sequence[Pair], asked: Sequence[Pair]) -> None:
    rates, missed = held(pairs, asked)
    print(f"{title}: {len(pairs)} facts, {len(asked)} questions")
    for name, rate in rates.items():
        print(f"    {name:<22} holds the needed fact in {rate:6.1%}")
    print(f"    relevant / newest with {NEWEST}: {rates['relevant'] / rates['newest']:.2f}")
    if "--missed" in sys.argv:
        for fact, question in missed:
            print(f"      {fact}  <-  {question}")


def main() -> None:
    results = []
    for path in sorted(FOLDER.glob("*.txt")):
        pairs = read(path)
        asked = [(fact, question) for fact, question in pairs if question]
        direct = [pair for pair in asked if not pair[1].startswith("~")]
        hinted = [(fact, question[1:]) for fact, question in asked if question.startswith("~")]
        show(path.stem, pairs, direct)
        show(f"{path.stem}, hinted at", pairs, hinted)
        results.append(held(pairs, direct + hinted)[0])
    means = {name: sum(rates[name] for rates in results) / len(results) for name in results[0]}
    print(
        f"all questions: {means['relevant']:.1%} to {means['newest']:.1%} for newest with {NEWEST},"
    )
    print(f"    {means['relevant'] / means['newest']:.2f} times as often")


if __name__ == "__main__":
    main()
