"""The SQLite store: many writers at once, the end of a long log, and how it treats the loop.

python tests/bench/store.py [messages in the long log]
"""

import asyncio
import json
import sqlite3
import statistics
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

import aiosqlite

from bot.api import Account, Entry, Role, Store, person_scope
from bot.runtime import utc_now
from bot.store import open_store

WRITERS = 64
EACH = 40
TEXT = {"text": "How long does shipping to the islands take, and what does it cost?"}
LAST = 50
READS = 300
SETTINGS = ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA busy_timeout = 60000")
TABLES = (
    (
        "CREATE TABLE messages (chat TEXT, sequence INTEGER, content TEXT,"
        " PRIMARY KEY (chat, sequence)) WITHOUT ROWID"
    ),
    "CREATE TABLE profiles (person TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID",
)
APPEND = "INSERT INTO messages VALUES (?, ?, ?)"
UPDATE = (
    "INSERT INTO profiles VALUES (?, ?) ON CONFLICT (person) DO UPDATE SET value = excluded.value"
)
Write = Callable[[int, int], Awaitable[None]]


async def crowd(write: Write) -> float:
    """Return how many turns a second all writers together get."""

    async def one(writer: int) -> None:
        for number in range(EACH):
            await write(writer, number)

    start = perf_counter()
    await asyncio.gather(*map(one, range(WRITERS)))
    return WRITERS * EACH / (perf_counter() - start)


async def one_transaction_a_turn(folder: Path) -> float:
    async with aiosqlite.connect(folder / "peer.db") as database:
        for statement in (*SETTINGS, *TABLES):
            await database.execute(statement)
        lock = asyncio.Lock()  # one connection has one transaction at a time

        async def write(writer: int, number: int) -> None:
            async with lock:
                await database.execute(APPEND, (f"c{writer}", number, str(TEXT)))
                await database.execute(UPDATE, (f"p{writer}", str(number)))
                await database.commit()

        return await crowd(write)


async def raw_in_groups(folder: Path) -> float:
    """Write the same rows with sqlite3 alone, as many to a transaction as there are writers."""
    with closing(sqlite3.connect(folder / "raw.db", isolation_level=None)) as database:
        for statement in (*SETTINGS, *TABLES):
            database.execute(statement)
        start = perf_counter()
        for number in range(EACH):
            database.execute("BEGIN")
            for writer in range(WRITERS):
                database.execute(APPEND, (f"c{writer}", number, str(TEXT)))
                database.execute(UPDATE, (f"p{writer}", str(number)))
            database.execute("COMMIT")
        return WRITERS * EACH / (perf_counter() - start)


async def ours(store: Store) -> tuple[float, float]:
    """Return turns a second, and the longest that the event loop was held up in milliseconds."""
    people = [await store.people.resolve(Account("bench", str(n))) for n in range(WRITERS)]

    async def write(writer: int, number: int) -> None:
        person = people[writer]
        await asyncio.gather(
            store.messages.append(f"bench:{writer}", [Entry(Role.USER, TEXT, person.id)]),
            store.documents.put(person_scope(person.id), "profile", "k", number),
        )

    longest = 0.0

    async def watch() -> None:
        nonlocal longest
        while True:
            start = perf_counter()
            await asyncio.sleep(0.001)
            longest = max(longest, perf_counter() - start - 0.001)

    watching = asyncio.create_task(watch())
    rate = await crowd(write)
    watching.cancel()
    return rate, longest * 1000


async def long_log(store: Store, path: Path, count: int) -> tuple[float, float, float]:
    """Return the milliseconds of reading a log's end: a raw query's, with its values, and ours."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("INSERT INTO chats (key, last) VALUES ('long', ?)", (count,))
        database.executemany(
            "INSERT INTO messages VALUES ('long', ?, 'user', NULL, '\"What is it?\"', 5, 1, NULL)",
            ((n,) for n in range(1, count + 1)),
        )
    with closing(sqlite3.connect(path)) as database:
        query = (
            "SELECT sequence, role, person, content, tokens, time FROM messages"
            " WHERE chat = 'long' ORDER BY sequence DESC LIMIT ?"
        )
        raw = [timed(lambda: database.execute(query, (LAST,)).fetchall()) for _ in range(READS)]
        full = [timed(lambda: decoded(database.execute(query, (LAST,)))) for _ in range(READS)]
    took = []
    for _ in range(READS):
        start = perf_counter()
        found = await store.messages.latest("long", LAST)
        took.append(perf_counter() - start)
        if len(found) != LAST:
            raise RuntimeError("entries are missing")
    return median(raw), median(full), median(took)


def decoded(rows: Iterable[Any]) -> list[Any]:
    """Do the least that makes values of rows."""
    return [
        (Role(role), json.loads(content), datetime.fromtimestamp(time / 1e6, UTC), rest)
        for *rest, role, _, content, _, time in rows
    ]


def timed(run: Callable[[], object]) -> float:
    start = perf_counter()
    run()
    return perf_counter() - start


def median(times: Sequence[float]) -> float:
    return statistics.median(times) * 1000


async def main(count: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        peer, raw = await one_transaction_a_turn(folder), await raw_in_groups(folder)
        store = await open_store("sqlite", folder / "data", clock=utc_now)
        rate, longest = await ours(store)
        print(f"a message and a profile from {WRITERS} writers, {EACH} times each")
        print(f"{'way':44}{'turns/s':>10}{'ratio':>8}")
        print(f"{'aiosqlite, one transaction a turn':44}{peer:10.0f}{1:8.2f}")
        print(f"{'ours':44}{rate:10.0f}{rate / peer:8.2f}   reach: 5")
        print(f"{'raw sqlite3, grouped, no event loop':44}{raw:10.0f}{raw / peer:8.2f}")
        print(f"longest hold-up of the event loop: {longest:.1f} ms   reach: 50")
        clustered, values, read = await long_log(store, folder / "data" / "tertulia.db", count)
        await store.close()
        print(f"\nthe last {LAST} messages of a chat of {count}")
        print(f"{'way':44}{'ms':>10}{'ratio':>8}")
        print(f"{'raw clustered query':44}{clustered:10.3f}{1:8.2f}")
        print(f"{'... with its values decoded':44}{values:10.3f}{values / clustered:8.2f}")
        print(f"{'ours, decoded, off the event loop':44}{read:10.3f}{read / clustered:8.2f}")


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000))
