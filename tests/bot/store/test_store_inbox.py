"""What was acknowledged to a platform stays until it is finished."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.api import Account, Attachment, Chat, ChatKind, Command, Message, Pending, Quote, Store
from bot.store.envelopes import read_message, write_message
from bot.store.sqlite import SqliteStore
from bot.store.sqlite.restoring import restore

ANA = Account("test", "1", "Ana")
BOB = Account("test", "10", "Bob")


class Clock(Protocol):
    def __call__(self) -> datetime: ...

    def move(self, **units: float) -> None: ...


def message(update: str, sender: Account = ANA, text: str = "hello") -> Message:
    chat = Chat("test", "c")
    return Message(update, chat, sender, text, datetime(2026, 1, 1, tzinfo=UTC), update=update)


async def test_a_message_is_pending_until_it_is_finished(store: Store) -> None:
    first, second = message("1"), message("2", BOB)
    assert await store.inbox.accept(first)
    assert await store.inbox.accept(second)
    assert await store.inbox.pending() == [Pending(first), Pending(second)]
    await store.inbox.finish(first)
    assert await store.inbox.pending() == [Pending(second)]


async def test_one_that_comes_again_is_known_also_when_it_is_finished(store: Store) -> None:
    assert await store.inbox.accept(message("1"))
    assert not await store.inbox.accept(message("1"))
    await store.inbox.finish(message("1"))
    assert not await store.inbox.accept(message("1"))
    elsewhere = replace(message("1"), chat=Chat("other", "c"))
    assert await store.inbox.accept(elsewhere)


async def test_what_was_sent_of_an_answer_is_known(store: Store) -> None:
    await store.inbox.accept(message("1"))
    await store.inbox.sent(message("1"), 0, ["a"], whole=False)
    await store.inbox.sent(message("1"), 1, ["b"], whole=False)
    await store.inbox.sent(message("1"), 0, ["a", "c"], whole=False)
    [pending] = await store.inbox.pending()
    assert pending.sent == {0: ("a", "c"), 1: ("b",)}
    assert not pending.answered
    await store.inbox.sent(message("1"), 1, ["b"], whole=True)
    [pending] = await store.inbox.pending()
    assert pending.answered
    await store.inbox.sent(message("1"), 1, ["b"], whole=False)
    [pending] = await store.inbox.pending()
    assert not pending.answered, "it was cut off after all"
    await store.inbox.finish(message("1"))
    await store.inbox.sent(message("1"), 2, ["late"], whole=True)
    assert await store.inbox.pending() == []


async def test_it_is_the_senders_and_goes_with_their_erasure(store: Store) -> None:
    ana = await store.people.resolve(ANA)
    bob = await store.people.resolve(BOB)
    await store.inbox.accept(message("1", text="ana's secret"))
    await store.inbox.accept(message("2", BOB))
    assert (await store.kept(ana.id))["inbox"] == 1
    exported = await store.export(ana.id)
    assert [row["text"] for row in exported["inbox"]] == ["ana's secret"]  # type: ignore[union-attr, index, call-overload]
    assert (await store.erase(ana.id))["inbox"] == 1
    assert [pending.message for pending in await store.inbox.pending()] == [message("2", BOB)]
    assert (await store.kept(bob.id))["inbox"] == 1
    assert not await store.inbox.accept(message("1")), "delivered again, it is still known"


async def test_a_message_without_a_number_cannot_be_told_from_others(store: Store) -> None:
    with pytest.raises(ValueError, match="update"):
        await store.inbox.accept(replace(message("1"), update=None))


async def test_it_outlives_the_process(tmp_path: Path, clock: Clock) -> None:
    store = await SqliteStore.open(tmp_path, clock)
    await store.inbox.accept(message("1"))
    await store.inbox.accept(message("2"))
    await store.inbox.finish(message("1"))
    await store.inbox.sent(message("2"), 0, ["a"], whole=False)
    await store.close()
    store = await SqliteStore.open(tmp_path, clock)
    assert await store.inbox.pending() == [Pending(message("2"), {0: ("a",)})]
    assert not await store.inbox.accept(message("1"))
    await store.close()


async def test_a_restored_copy_does_not_answer_what_was_answered_since(
    tmp_path: Path, clock: Clock
) -> None:
    store = await SqliteStore.open(tmp_path / "data", clock)
    await store.inbox.accept(message("1"))
    await store.backup(tmp_path / "copy.db")
    await store.close()
    await restore(tmp_path / "copy.db", tmp_path / "data")
    store = await SqliteStore.open(tmp_path / "data", clock)
    assert await store.inbox.pending() == []
    assert not await store.inbox.accept(message("1"))
    await store.close()


async def test_numbers_are_forgotten_when_no_platform_delivers_them_again(
    sqlite: SqliteStore, clock: Clock
) -> None:
    await sqlite.inbox.accept(message("1"))
    await sqlite.inbox.accept(message("2"))
    await sqlite.inbox.finish(message("1"))
    clock.move(days=3, seconds=1)
    await sqlite.keep_up()
    assert await sqlite.inbox.accept(message("1"))
    assert not await sqlite.inbox.accept(message("2")), "what is not finished is never forgotten"


texts = st.text(st.characters(codec=None), max_size=20)
maybe = st.none() | texts
accounts = st.builds(Account, texts, texts, texts, maybe, st.booleans(), st.booleans())
messages = st.builds(
    Message,
    texts,
    st.builds(Chat, texts, texts, st.sampled_from(ChatKind), maybe, maybe, maybe),
    accounts,
    texts,
    st.datetimes(timezones=st.sampled_from([UTC])).map(lambda t: t + timedelta(0)),
    st.booleans(),
    st.none() | st.builds(Command, texts, texts),
    st.none() | st.builds(Quote, texts, texts, st.none() | accounts, st.booleans()),
    st.lists(
        st.builds(Attachment, texts, texts, st.none(), maybe, st.none() | st.integers()),
        max_size=2,
    ).map(tuple),
    maybe,
    st.booleans(),
    maybe,
)


@given(messages)
def test_a_message_comes_back_as_it_was(written: Message) -> None:
    assert repr(read_message(write_message(written))) == repr(written)
