"""With a key, whoever gets hold of the data folder finds nothing that anybody said."""

from base64 import b64encode
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.api import Account, Chat, Entry, Message, Role, Store, StoreError, person_scope
from bot.store import open_store
from bot.store.sqlite import Seal, SqliteStore, restore, rotate

FIRST = b64encode(b"1" * 32).decode()
SECOND = b64encode(b"2" * 32).decode()
ANA = Account("test", "1", "zanzibar-name")
NEEDLES = [b"zanzibar-" + part for part in (b"name", b"fact", b"words", b"question")]
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def now() -> datetime:
    return NOW


async def fill(store: Store) -> str:
    person = await store.people.resolve(ANA)
    await store.documents.put(person_scope(person.id), "ai.memory", "k", {"fact": "zanzibar-fact"})
    said = Entry(Role.USER, {"text": "zanzibar-words"}, person.id)
    await store.messages.append("test:c", [said])
    chat = Chat("test", "c")
    await store.inbox.accept(Message("1", chat, ANA, "zanzibar-question", NOW, update="1"))
    return person.id


async def readable(store: Store, person: str) -> list[str]:
    [account] = await store.people.accounts(person)
    [document] = await store.documents.scan("ai.memory")
    [entry] = await store.messages.latest("test:c", 9)
    [pending] = await store.inbox.pending()
    return [account.name, str(document.value), str(entry.content), pending.message.text]


def found(data: Path) -> list[bytes]:
    everything = b"".join(path.read_bytes() for path in data.rglob("*") if path.is_file())
    return [needle for needle in NEEDLES if needle in everything]


async def test_nothing_can_be_read_without_the_key_and_all_with_it(tmp_path: Path) -> None:
    store = await open_store("sqlite", tmp_path, clock=now, key=FIRST)
    person = await fill(store)
    assert found(tmp_path) == [], "while it is open"
    await store.close()
    assert found(tmp_path) == []
    store = await open_store("sqlite", tmp_path, clock=now, key=FIRST)
    texts = await readable(store, person)
    assert all(needle.decode() in text for needle, text in zip(NEEDLES, texts, strict=True))
    await store.close()


async def test_a_first_key_encrypts_what_was_there(tmp_path: Path) -> None:
    store = await open_store("sqlite", tmp_path, clock=now)
    person = await fill(store)
    await store.close()
    assert found(tmp_path) == NEEDLES
    store = await open_store("sqlite", tmp_path, clock=now, key=FIRST)
    assert found(tmp_path) == []
    assert "zanzibar-fact" in (await readable(store, person))[1]
    await store.close()
    assert found(tmp_path) == []


@pytest.mark.parametrize(("key", "told"), [(SECOND, "is not the key"), (None, "set `data_key`")])
async def test_another_key_is_told_and_changes_nothing(
    tmp_path: Path, key: str | None, told: str
) -> None:
    store = await open_store("sqlite", tmp_path, clock=now, key=FIRST)
    await fill(store)
    await store.close()
    before = (tmp_path / "tertulia.db").read_bytes()
    with pytest.raises(StoreError, match=told) as error:
        await open_store("sqlite", tmp_path, clock=now, key=key)
    assert SECOND not in str(error.value)
    assert (tmp_path / "tertulia.db").read_bytes() == before


async def test_a_key_is_exchanged_for_another_one_and_taken_away(tmp_path: Path) -> None:
    store = await open_store("sqlite", tmp_path, clock=now, key=FIRST)
    person = await fill(store)
    await store.close()
    await rotate(tmp_path, Seal(FIRST), Seal(SECOND))
    assert found(tmp_path) == []
    with pytest.raises(StoreError, match="is not the key"):
        await open_store("sqlite", tmp_path, clock=now, key=FIRST)
    store = await open_store("sqlite", tmp_path, clock=now, key=SECOND)
    assert "zanzibar-words" in (await readable(store, person))[2]
    with pytest.raises(StoreError, match="another program holds it"):
        await rotate(tmp_path, Seal(SECOND), Seal())
    await store.close()
    with pytest.raises(StoreError, match="is not the key"):
        await rotate(tmp_path, Seal(FIRST), Seal())
    await rotate(tmp_path, Seal(SECOND), Seal())
    assert found(tmp_path) == NEEDLES


async def test_a_copy_is_encrypted_as_the_original_is(tmp_path: Path) -> None:
    store = await SqliteStore.open(tmp_path / "data", now, Seal(FIRST))
    person = await fill(store)
    await store.backup(tmp_path / "copy.db")
    assert found(tmp_path) == []
    await store.erase(person)
    await store.close()
    assert await restore(tmp_path / "copy.db", tmp_path / "data") == 1
    store = await SqliteStore.open(tmp_path / "data", now, Seal(FIRST))
    assert set((await store.kept(person)).values()) == {0}
    await store.close()


@pytest.mark.parametrize("key", ["", "secret", "x" * 44, b64encode(b"short").decode()])
def test_what_is_no_key_is_refused_without_being_quoted(key: str) -> None:
    with pytest.raises(ValueError, match="32 random bytes") as error:
        Seal(key)
    assert not key or key not in str(error.value)
