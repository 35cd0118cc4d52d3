"""The facts for a turn and the size of the file, beside a raw SQLite query over the same rows.

python tests/bench/memory.py [PEOPLE] [FACTS]     1e5 people with 50 facts each unless given
"""

import asyncio
import json
import logging
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from bot.api import Person, Store
from bot.background import Background
from bot.store import open_store
from bot.store.values import instant
from plugins.ai.memory import Memory, MemoryConfig
from plugins.ai.memory.fact import Fact, Source, Status, key_of

TURNS = 2000
AT_ONCE = 32
NOW = datetime(2026, 3, 1, tzinfo=UTC)
THINGS = ["tea", "coffee", "chess", "pianos", "bikes", "cats", "Lisbon", "films", "bread", "trains"]
VERBS = ["Likes", "Knows", "Collects", "Photographs", "Studies", "Restores", "Teaches", "Paints"]
QUESTION = "do you know a good place for tea and chess?"
RAW = (
    "SELECT value FROM documents WHERE scope = ? AND namespace = 'ai.memory'"
    " AND (expires IS NULL OR expires > ?) ORDER BY number"
)
Row = tuple[str, str, str, str, int, int]


def rows(people: int, facts: int) -> Iterator[Row]:
    for number in range(people):
        for index in range(facts):
            verb, thing = VERBS[index % len(VERBS)], THINGS[(number + index) % len(THINGS)]
            text = f"{verb} {thing} of the {index + 1}th kind since {1980 + number % 40}"
            time = NOW - timedelta(minutes=index)
            person = f"telegram:{number}"
            fact = Fact(person, key_of(text), text, Status.APPROVED, Source.AUTO, time, time)
            value = json.dumps(fact.value(), separators=(",", ":"))
            yield fact.scope, fact.key, value, fact.status.value, instant(time), instant(time)


async def fill(folder: Path, people: int, facts: int) -> Path:
    """Write what the memory would have written into a database that the store has made."""
    store = await open_store("sqlite", folder, clock=lambda: NOW)
    await store.close()
    with sqlite3.connect(folder / "tertulia.db") as connection:
        connection.executemany(
            "INSERT INTO documents (scope, namespace, key, value, tag, revision, created, updated)"
            " VALUES (?, 'ai.memory', ?, ?, ?, 1, ?, ?)",
            rows(people, facts),
        )
    connection.close()
    return folder / "tertulia.db"


def memory_over(store: Store) -> Memory:
    log = logging.getLogger("bench")
    return Memory(
        MemoryConfig(),
        store,
        lambda: None,  # type: ignore[arg-type,return-value]
        tasks=Background(log),
        clock=lambda: NOW,
        log=log,
    )


async def timed(call: Callable[[str], Awaitable[Any]], people: list[str]) -> list[float]:
    took = []
    for person in people:
        start = time.perf_counter()
        await call(person)
        took.append((time.perf_counter() - start) * 1000)
    return sorted(took)


def show(name: str, took: list[float], least: float | None = None) -> float:
    p50, p99 = took[len(took) // 2], took[len(took) * 99 // 100]
    ratio = "" if least is None else f"{p50 / least:8.1f}x"
    print(f"{name:<44} p50 {p50:7.3f} ms   p99 {p99:7.3f} ms {ratio}")
    return p50


async def main(people: int, facts: int) -> None:
    random.seed(1)
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        path = await fill(Path(folder), people, facts)
        store = await open_store("sqlite", Path(folder), clock=lambda: NOW)
        print(
            f"{people:,} people with {facts} facts, filled in {time.perf_counter() - start:.0f} s"
        )
        await measure(store, path, [f"telegram:{random.randrange(people)}" for _ in range(TURNS)])
        await store.close()
        size = path.stat().st_size
        print(f"file: {size / 1e6:,.0f} MB, {size / people / facts:.0f} bytes a fact")
        texts = sum(len(value.encode()) for _, _, value, *_ in rows(100, facts)) / 100 / facts
        print(f"of which the values alone: {texts:.0f} bytes a fact")


async def measure(store: Store, path: Path, people: list[str]) -> None:
    raw = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)

    async def query(person: str) -> None:
        found = raw.execute(RAW, (f"person:{person}", instant(NOW))).fetchall()
        assert [json.loads(value) for (value,) in found]

    async def recall(person: str) -> None:
        context: Any = SimpleNamespace(person=Person(person), private=True)
        assert (await memory.recall(context, QUESTION)).facts

    memory = memory_over(store)
    await timed(query, people)
    least = show("raw sqlite3 query and json.loads", await timed(query, people))
    scan = await timed(lambda p: store.documents.scan("ai.memory", scope=f"person:{p}"), people)
    show("documents.scan", scan, least)
    show("Memory.memory", await timed(memory.memory, people), least)
    show("Memory.recall, ranked for the message", await timed(recall, people), least)
    start = time.perf_counter()
    lanes = [people[lane::AT_ONCE] for lane in range(AT_ONCE)]
    await asyncio.gather(*(timed(recall, lane) for lane in lanes))
    rate = len(people) / (time.perf_counter() - start)
    print(f"{f'{AT_ONCE} chats at once':<44} {rate:,.0f} turns a second")
    raw.close()


if __name__ == "__main__":
    arguments = [int(float(argument)) for argument in sys.argv[1:]]
    asyncio.run(main(*(arguments + [100_000, 50][len(arguments) :])))
