"""The log of each chat on every store."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from bot.api import Account, Entry, Erased, Role, Store

CHAT = "test:c"
ANA = Account("test", "1", "Ana")


def said(*texts: str, person: str | None = "test:1") -> list[Entry]:
    return [Entry(Role.USER, text, person) for text in texts]


async def texts(store: Store, chat: str = CHAT, limit: int = 99, **options: Any) -> list[Any]:
    return [entry.content for entry in await store.messages.latest(chat, limit, **options)]


async def test_entries_come_back_in_their_order_with_sequence_and_time(
    store: Store, clock: Any
) -> None:
    made = await store.messages.append(CHAT, said("a", "b"))
    clock.move(seconds=1)
    await store.messages.append(
        CHAT, [Entry(Role.ASSISTANT, {"text": "c"}, "test:1", 7, clock() - timedelta(days=1))]
    )
    found = list(await store.messages.latest(CHAT, 99))
    assert found[:2] == list(made)
    assert [entry.sequence for entry in found] == [1, 2, 3]
    assert [entry.role for entry in found] == [Role.USER, Role.USER, Role.ASSISTANT]
    assert found[2].time == clock() - timedelta(days=1)
    assert (found[2].tokens, found[2].content) == (7, {"text": "c"})
    assert found[0].time == clock() - timedelta(seconds=1)


async def test_the_last_ones_are_given_and_other_chats_are_apart(store: Store) -> None:
    await store.messages.append(CHAT, said(*"abcd"))
    await store.messages.append("test:c2", said("x"))
    assert await texts(store, limit=2) == ["c", "d"]
    assert await texts(store, limit=0) == []
    assert await texts(store, "test:c2") == ["x"]
    assert await texts(store, "test:none") == []


async def test_turns_that_are_written_at_once_stay_whole(store: Store) -> None:
    await asyncio.gather(*(store.messages.append(CHAT, said(f"{n}a", f"{n}b")) for n in range(50)))
    found = await texts(store, limit=100)
    pairs = list(zip(found[::2], found[1::2], strict=True))
    assert sorted(pairs) == sorted((f"{n}a", f"{n}b") for n in range(50))


async def test_a_turn_is_written_whole_or_not_at_all(store: Store) -> None:
    with pytest.raises(ValueError, match="JSON"):
        await store.messages.append(CHAT, [*said("good"), Entry(Role.USER, object())])  # type: ignore[arg-type]
    assert await texts(store) == []


async def test_the_archive_is_out_of_sight_and_not_gone(store: Store) -> None:
    await store.messages.append(CHAT, said(*"abcd"))
    assert await store.messages.archive(CHAT, 3) == 2
    assert await store.messages.archive(CHAT, 3) == 0
    assert await texts(store) == ["c", "d"]
    assert await texts(store, archived=True) == ["a", "b", "c", "d"]
    flags = [entry.archived for entry in await store.messages.latest(CHAT, 9, archived=True)]
    assert flags == [True, True, False, False]
    assert await store.messages.archive(CHAT, 99) == 2
    await store.messages.append(CHAT, said("e"))
    assert await texts(store) == ["e"], "what is written later is not archived"


async def test_clearing_takes_the_archive_too(store: Store) -> None:
    await store.messages.append(CHAT, said(*"ab"))
    await store.messages.archive(CHAT, 2)
    assert await store.messages.clear(CHAT) == 2
    assert await texts(store, archived=True) == []
    [entry] = await store.messages.append(CHAT, said("c"))
    assert entry.sequence == 3, "no sequence is given twice"


async def test_one_persons_part_is_cleared_alone(store: Store) -> None:
    await store.messages.append(CHAT, said("a", "b"))
    await store.messages.append(CHAT, said("x", person="test:10"))
    await store.messages.append(CHAT, said("n", person=None))
    assert await store.messages.clear(CHAT, person="test:1") == 2
    assert await texts(store) == ["x", "n"]


async def test_a_turn_of_an_older_epoch_is_not_written(store: Store) -> None:
    person = await store.people.resolve(ANA)
    await store.messages.append(CHAT, said("a"), epoch=person.epoch)
    await store.erase(person.id)
    with pytest.raises(Erased):
        await store.messages.append(CHAT, said("late"), epoch=person.epoch)
    assert await texts(store, archived=True) == []


@pytest.mark.parametrize("chat", ["", None, "\ud800"])
async def test_a_chat_without_a_key_is_refused(store: Store, chat: Any) -> None:
    with pytest.raises(ValueError, match="chat"):
        await store.messages.append(chat, said("a"))
    with pytest.raises(ValueError, match="chat"):
        await store.messages.clear(chat)


async def test_a_moved_chat_is_found_under_both_keys_and_moving_again_does_nothing(
    store: Store,
) -> None:
    await store.messages.append("t:-100", said("old"))
    await store.documents.put("chat:t:-100", "settings", "mode", "quiet")
    await store.messages.append("t:-1001", said("new"))
    for _ in range(2):
        await store.move_chat("t:-100", "t:-1001")
        assert await texts(store, "t:-1001") == ["old", "new"]
    assert await texts(store, "t:-100") == ["old", "new"]
    await store.messages.append("t:-100", said("late"))
    assert await texts(store, "t:-1001") == ["old", "new", "late"]
    for scope in ("chat:t:-100", "chat:t:-1001"):
        found = await store.documents.get(scope, "settings", "mode")
        assert found is not None
        assert found.value == "quiet"
