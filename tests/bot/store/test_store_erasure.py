"""Erasing one person takes all of theirs and nothing of anybody else's, for good."""

from pathlib import Path
from typing import Any

import pytest

from bot.api import Account, Entry, Role, Store, chat_scope, person_scope
from bot.store.sqlite import SqliteStore, restore

ANA, BOB = Account("test", "1", "Ana"), Account("test", "10", "Bob")


async def fill(store: Store, account: Account, mark: str) -> str:
    person = await store.people.resolve(account)
    for chat in ("test:a", "test:b"):
        turn = [Entry(Role.USER, f"{mark} says"), Entry(Role.ASSISTANT, f"to {mark}")]
        turn = [Entry(e.role, e.content, person.id) for e in turn]
        await store.messages.append(chat, turn, epoch=person.epoch)
    await store.messages.archive("test:a", 2)
    await store.documents.put(person_scope(person.id), "ai.memory", "k", f"{mark} fact", tag="t")
    await store.documents.put(person_scope(person.id), "core", "k", [mark])
    await store.people.set_language(person.id, "es")
    return person.id


async def test_everything_of_one_goes_and_nothing_of_another(store: Store) -> None:
    ana, bob = await fill(store, ANA, "ana"), await fill(store, BOB, "bob")
    await store.documents.put(chat_scope("test:a"), "core", "k", "the chat's")
    before = await store.export(bob)
    kept = await store.kept(ana)
    assert await store.erase(ana) == kept
    assert kept == {"accounts": 1, "documents": 2, "messages": 4, "inbox": 0}
    assert set((await store.kept(ana)).values()) == {0}
    assert await store.export(bob) == before
    assert await store.people.get(ana) is None
    assert await store.people.accounts(ana) == []
    for chat in ("test:a", "test:b"):
        found = await store.messages.latest(chat, 99, archived=True)
        assert [entry.person for entry in found] == [bob, bob]
    assert await store.documents.get(chat_scope("test:a"), "core", "k") is not None


async def test_of_whom_nothing_is_kept_nothing_goes(store: Store) -> None:
    bob = await fill(store, BOB, "bob")
    before = await store.export(bob)
    assert set((await store.erase("test:1")).values()) == {0}
    assert await store.export(bob) == before


async def test_who_comes_back_is_a_stranger_in_a_new_epoch(store: Store) -> None:
    ana = await fill(store, ANA, "ana")
    await store.erase(ana)
    back = await store.people.resolve(ANA)
    assert (back.id, back.epoch, back.language) == (ana, 1, None)
    assert (await store.kept(ana))["messages"] == 0
    await store.erase(ana)
    assert (await store.people.resolve(ANA)).epoch == 2


async def test_the_export_is_what_was_counted(store: Store) -> None:
    ana = await fill(store, ANA, "ana")
    exported: Any = await store.export(ana)
    assert {kind: len(rows) for kind, rows in exported.items()} == await store.kept(ana)
    assert [row["value"] for row in exported["documents"]] == ["ana fact", ["ana"]]
    assert {row["chat"] for row in exported["messages"]} == {"test:a", "test:b"}
    assert exported["accounts"][0]["name"] == "Ana"


def traces(folder: Path, needle: bytes) -> list[str]:
    return [p.name for p in folder.rglob("*") if p.is_file() and needle in p.read_bytes()]


@pytest.mark.parametrize("rounds", [1, 40])
async def test_no_file_holds_a_trace_of_what_was_erased(
    tmp_path: Path, clock: Any, rounds: int
) -> None:
    store = await SqliteStore.open(tmp_path, clock)
    for n in range(rounds):
        await fill(store, ANA, f"zanzibar{n} " + "x" * 500)
        await fill(store, BOB, f"rosebud{n} " + "y" * 300)
        await store.documents.update(
            person_scope("test:1"), "core", "k", lambda value: [value, "zanzibar again"]
        )
    assert traces(tmp_path, b"zanzibar")
    await store.erase("test:1")
    assert traces(tmp_path, b"zanzibar") == []
    assert traces(tmp_path, b"rosebud")
    await store.close()
    assert traces(tmp_path, b"zanzibar") == []


async def test_a_restored_copy_does_not_bring_the_erased_back(tmp_path: Path, clock: Any) -> None:
    data, copy = tmp_path / "data", tmp_path / "copy.db"
    store = await SqliteStore.open(data, clock)
    ana, bob = await fill(store, ANA, "zanzibar"), await fill(store, BOB, "bob")
    await store.backup(copy)
    before = await store.export(bob)
    await store.erase(ana)
    await store.close()
    assert await restore(copy, data) == 1
    store = await SqliteStore.open(data, clock)
    assert set((await store.kept(ana)).values()) == {0}
    assert await store.export(bob) == before
    assert (await store.people.resolve(ANA)).epoch >= 1
    await store.close()
    assert traces(data, b"zanzibar") == []
