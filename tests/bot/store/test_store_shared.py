"""Two programs have one folder open: the bot, and what an operator does beside it."""

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.api import Account, Chat, Entry, Erased, Message, Role, StoreError, person_scope
from bot.store.sqlite import Seal, SqliteStore, restore
from bot.store.sqlite.scrubbing import DUTY

ANA, BOB = Account("test", "1", "Ana"), Account("test", "2", "Bob")
CHAT = "test:c"


@pytest.fixture
async def running(tmp_path: Path, clock: Any) -> AsyncIterator[SqliteStore]:
    store = await SqliteStore.open(tmp_path / "data", clock)
    yield store
    await store.close()


async def said(store: SqliteStore) -> list[Any]:
    return [entry.content for entry in await store.messages.latest(CHAT, 99, archived=True)]


async def say(store: SqliteStore, account: Account, text: str) -> str:
    person = await store.people.resolve(account)
    await store.messages.append(CHAT, [Entry(Role.USER, text, person.id)], epoch=person.epoch)
    return person.id


async def test_what_another_program_did_to_people_holds_from_the_next_write(
    running: SqliteStore, tmp_path: Path, clock: Any
) -> None:
    ana, bob = await say(running, ANA, "1"), await say(running, BOB, "2")
    beside = await SqliteStore.open(tmp_path / "data", clock)
    await beside.people.link(ana, bob)
    await say(running, Account("test", "3"), "any write")
    assert (await running.people.resolve(BOB)).id == ana
    await beside.people.pause(ana, paused=True)
    await say(running, Account("test", "3"), "any write")
    assert (await running.people.resolve(ANA)).paused
    await beside.close()


async def test_a_copy_is_restored_under_a_running_program(
    running: SqliteStore, tmp_path: Path
) -> None:
    ana, bob = await say(running, ANA, "zanzibar"), await say(running, BOB, "before")
    await running.documents.put(person_scope(bob), "core", "k", "before")
    await running.backup(tmp_path / "copy.db")
    message = Message("1", Chat("test", "c"), BOB, "pending", running._clock(), update="1")
    await running.inbox.accept(message)
    await running.erase(ana)
    await running.documents.put(person_scope(bob), "core", "k", "after")
    await say(running, BOB, "after")
    began = await running.people.resolve(BOB)
    assert await restore(tmp_path / "copy.db", tmp_path / "data") == 1
    assert await said(running) == ["before"]
    [document] = await running.documents.scan("core")
    assert document.value == "before"
    [pending] = await running.inbox.pending()
    assert pending.message == message
    with pytest.raises(Erased):
        late = Entry(Role.ASSISTANT, "late", bob)
        await running.messages.append(CHAT, [late], epoch=began.epoch)
    await say(running, BOB, "again")
    assert await said(running) == ["before", "again"]
    assert set((await running.kept(ana)).values()) == {0}
    await running.keep_up()
    files = [path.read_bytes() for path in (tmp_path / "data").iterdir()]
    assert not [True for content in files if b"zanzibar" in content]


async def test_nobody_sees_a_half_restored_store(running: SqliteStore, tmp_path: Path) -> None:
    for n in range(2000):
        await running.documents.put("global", "core", str(n), "old")
    await running.backup(tmp_path / "copy.db")
    for n in range(2000):
        await running.documents.put("global", "core", str(n), "new")
    seen: list[Any] = []

    async def look() -> None:
        while True:
            values = {document.value for document in await running.documents.scan("core")}
            assert len(values) == 1
            seen.extend(values)

    async def write() -> None:
        while True:
            await say(running, ANA, "hello")

    tasks = [asyncio.create_task(look()), asyncio.create_task(write())]
    await restore(tmp_path / "copy.db", tmp_path / "data")
    await asyncio.sleep(0.2)
    assert not [task.exception() for task in tasks if task.done()]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert {seen[0], seen[-1]} == {"new", "old"}


async def test_a_copy_of_another_key_waits_until_the_program_is_stopped(
    running: SqliteStore, tmp_path: Path, clock: Any
) -> None:
    await say(running, ANA, "hello")
    seal = Seal(b64encode(b"1" * 32).decode())
    other = await SqliteStore.open(tmp_path / "other", clock, seal)
    await other.backup(tmp_path / "copy.db")
    await other.close()
    with pytest.raises(StoreError, match=r"its key is not the copy's.*stop that one first"):
        await restore(tmp_path / "copy.db", tmp_path / "data")
    assert await said(running) == ["hello"]
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == [
        "tertulia.db",
        "tertulia.db-shm",
        "tertulia.db-wal",
    ]


async def test_the_file_is_rewritten_after_a_restore(running: SqliteStore, tmp_path: Path) -> None:
    await running.backup(tmp_path / "copy.db")
    await restore(tmp_path / "copy.db", tmp_path / "data")
    ordered = "SELECT name FROM duties"
    assert await running._link.run(lambda c: c.execute(ordered).fetchall()) == [(DUTY,)]
