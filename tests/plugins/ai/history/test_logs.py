"""One suite for every place in which conversations can be kept."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from logging import getLogger
from pathlib import Path
from typing import Any

import pytest

from bot.api import Account, Entry, Erased, Json, Messages, Role, Store, origin
from bot.store import open_store
from plugins.ai.history import Log, OwnLog
from plugins.ai.history.opening import open_own
from plugins.ai.history.options import HistoryConfig

CHAT = "test:c"
KEYS = [
    "test:c",
    "test:C",
    "test:../../etc/passwd",
    "/etc/passwd",
    "..",
    ".",
    "con",
    "a\x00b",
    "a/b\\c:d",
    "x" * 3000,
    "é中😀",
    " ",
    "\n",
]


class ListLog:
    """An operator's own: the shortest that follows the protocol."""

    def __init__(self, folder: Path) -> None:
        self.rows: list[tuple[str, Entry]] = []
        self.marks: dict[str, int] = {}
        self.last = 0

    async def append(self, chat: str, entries: Sequence[Entry]) -> Sequence[Entry]:
        made = []
        for entry in entries:
            self.last += 1
            numbered = replace(entry, sequence=self.last)
            self.rows.append((chat, numbered))
            made.append(numbered)
        return made

    async def latest(self, chat: str, limit: int, *, archived: bool = False) -> Sequence[Entry]:
        mark = 0 if archived else self.marks.get(chat, 0)
        found = [e for key, e in self.rows if key == chat and e.sequence >= mark]
        return found[-limit:] if limit else []

    async def archive(self, chat: str, before: int) -> int:
        gone = [e for e in await self.latest(chat, 10**9) if e.sequence < before]
        self.marks[chat] = max(self.marks.get(chat, 0), before)
        return len(gone)

    async def drop(self, chat: str, which: Callable[[Entry], bool]) -> int:
        kept = [(key, e) for key, e in self.rows if key != chat or not which(e)]
        count = len(self.rows) - len(kept)
        self.rows = kept
        return count

    async def chats(self) -> Sequence[str]:
        return sorted({key for key, _ in self.rows})

    async def close(self) -> None:
        pass


OWN = ["memory", "file", f"{__name__}:ListLog"]


class Places:
    """A store and what keeps conversations beside it, opened again by `again`."""

    def __init__(self, kind: str, folder: Path, store: Store) -> None:
        self.kind = kind
        self.folder = folder
        self.store = store
        self.own = self._open()

    def _open(self) -> OwnLog | None:
        if self.kind == "sql":
            return None
        options = HistoryConfig(store=self.kind)
        return open_own(options, lambda: self.folder, self.store, getLogger("test"))

    @property
    def messages(self) -> Messages:
        return self.own or self.store.messages

    async def erase(self, person: str) -> None:
        accounts = {account.key for account in await self.store.people.accounts(person)}
        await self.store.erase(person)
        for account in accounts:
            if self.own is not None:
                await self.own.erase(account)


@pytest.fixture(params=["sql", *OWN], ids=["sql", "memory", "file", "own"])
async def places(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Places]:
    store = await open_store("sqlite", tmp_path / "store", clock=lambda: datetime.now(UTC))
    yield Places(request.param, tmp_path / "plugin", store)
    await store.close()


@pytest.fixture
def log(places: Places) -> Messages:
    return places.messages


def said(*texts: str, person: str | None = "test:1") -> list[Entry]:
    return [Entry(Role.USER, text, person) for text in texts]


async def texts(log: Messages, chat: str = CHAT, limit: int = 99, **options: Any) -> list[Any]:
    return [entry.content for entry in await log.latest(chat, limit, **options)]


async def test_entries_come_back_as_they_were(log: Messages) -> None:
    time = datetime(2026, 1, 31, 12, 30, 15, 123456, UTC)
    content: Json = {
        "text": "¿qué? 你好 😀\x00\n\u2028",
        "calls": [{"id": "1", "n": 1.5, "none": None}],
    }
    await log.append(CHAT, [Entry(Role.TOOL, content, "test:1", 7, time)])
    (found,) = await log.latest(CHAT, 9)
    assert (found.role, found.content, found.tokens) == (Role.TOOL, content, 7)
    assert (found.person, found.time) == ("test:1", time)
    assert found.sequence == 1


async def test_the_last_ones_are_given_and_other_chats_are_apart(log: Messages) -> None:
    await log.append(CHAT, said(*"abcd"))
    await log.append("test:c2", said("x"))
    assert await texts(log, limit=2) == ["c", "d"]
    assert await texts(log, limit=0) == []
    assert await texts(log, "test:c2") == ["x"]
    assert await texts(log, "test:none") == []


async def test_turns_that_are_written_at_once_stay_whole(log: Messages) -> None:
    await asyncio.gather(*(log.append(CHAT, said(f"{n}a", f"{n}b")) for n in range(50)))
    found = await texts(log, limit=100)
    pairs = list(zip(found[::2], found[1::2], strict=True))
    assert sorted(pairs) == sorted((f"{n}a", f"{n}b") for n in range(50))
    numbers = [entry.sequence for entry in await log.latest(CHAT, 100)]
    assert numbers == sorted(set(numbers))


async def test_a_turn_is_written_whole_or_not_at_all(log: Messages) -> None:
    for wrong in (object(), float("nan")):
        with pytest.raises((ValueError, TypeError)):
            await log.append(CHAT, [*said("good"), Entry(Role.USER, wrong)])  # type: ignore[arg-type]
    assert await texts(log) == []


async def test_the_archive_is_out_of_sight_and_not_gone(log: Messages) -> None:
    await log.append(CHAT, said(*"abcd"))
    third = (await log.latest(CHAT, 9))[2].sequence
    assert await log.archive(CHAT, third) == 2
    assert await log.archive(CHAT, third) == 0
    assert await texts(log) == ["c", "d"]
    assert await texts(log, archived=True) == ["a", "b", "c", "d"]
    await log.append(CHAT, said("e"))
    assert await texts(log) == ["c", "d", "e"]


async def test_clearing_takes_the_archive_too(log: Messages) -> None:
    await log.append(CHAT, said(*"ab"))
    await log.archive(CHAT, 2)
    assert await log.clear(CHAT) == 2
    assert await texts(log, archived=True) == []
    await log.append(CHAT, said("c"))
    assert await texts(log) == ["c"]


async def test_one_persons_part_is_cleared_alone(log: Messages) -> None:
    await log.append(CHAT, said("a", "b"))
    await log.append(CHAT, said("x", person="test:10"))
    await log.append(CHAT, said("n", person=None))
    assert await log.clear(CHAT, person="test:1") == 2
    assert await texts(log) == ["x", "n"]


@pytest.mark.parametrize("key", KEYS)
async def test_a_chat_of_any_key_has_a_log_of_its_own(places: Places, key: str) -> None:
    try:
        await places.messages.append(key, said("mine"))
    except ValueError:
        assert places.kind == "sql"
        assert "\x00" in key
        return
    others = [other for other in KEYS if other != key and "\x00" not in other]
    for other in others:
        assert await texts(places.messages, other) == []
    assert await texts(places.messages, key) == ["mine"]
    if places.kind == "file":
        (file,) = places.folder.rglob("*.jsonl")
        assert file.parent == places.folder / "history"
        assert len(file.name) < 100


async def test_a_chat_without_a_key_is_refused(log: Messages) -> None:
    with pytest.raises(ValueError, match="chat"):
        await log.append("", said("a"))


async def test_a_turn_of_an_older_epoch_is_not_written(places: Places) -> None:
    person = await places.store.people.resolve(Account("test", "1"))
    await places.messages.append(CHAT, said("a"), epoch=person.epoch)
    await places.erase(person.id)
    with pytest.raises(Erased):
        await places.messages.append(CHAT, said("late"), epoch=person.epoch)
    assert await texts(places.messages, archived=True) == []


async def by(account: Account, places: Places, chat: str, text: str) -> None:
    person = await places.store.people.resolve(account)
    origin.set(account.key)
    turn = [Entry(Role.USER, text, person.id), Entry(Role.ASSISTANT, f"re {text}", person.id)]
    await places.messages.append(chat, turn, epoch=person.epoch)


ANA, BEA, ANNA = Account("test", "1"), Account("test", "2"), Account("other", "9")


async def test_erasure_takes_all_of_a_person_and_nothing_else(places: Places) -> None:
    for chat in ("test:g", "test:h"):
        await by(ANA, places, chat, "a")
        await by(BEA, places, chat, "b")
    await places.messages.archive("test:g", 3)
    await places.erase("test:1")
    for chat in ("test:g", "test:h"):
        assert await texts(places.messages, chat, archived=True) == ["b", "re b"]


async def test_people_who_are_linked_and_taken_apart_keep_their_own(places: Places) -> None:
    await by(ANA, places, CHAT, "before")
    await by(ANNA, places, CHAT, "other before")
    await places.store.people.link("test:1", "other:9")
    await by(ANNA, places, CHAT, "linked")
    await by(BEA, places, CHAT, "b")
    for account, own in (("test:1", {"before"}), ("other:9", {"other before", "linked"})):
        if places.own is not None:
            exported: Any = await places.own.export(account)
            assert {row["content"] for row in exported if row["role"] == "user"} == own
            assert {row["chat"] for row in exported} == {CHAT}
    await places.store.people.unlink(ANNA)
    await places.erase("test:1")
    left = await texts(places.messages, archived=True)
    assert left == ["other before", "re other before", "linked", "re linked", "b", "re b"]
    await places.erase("other:9")
    assert await texts(places.messages, archived=True) == ["b", "re b"]


async def test_what_is_over_is_deleted(places: Places) -> None:
    now = datetime.now(UTC)
    old = Entry(Role.USER, "old", "test:1", time=now - timedelta(days=2))
    await places.messages.append(CHAT, [old, Entry(Role.USER, "new", "test:1")])
    if places.own is None:
        await places.store.purge_older(now - timedelta(days=1), {})
    else:
        assert await places.own.expire(now - timedelta(days=1)) == 1
    assert await texts(places.messages, archived=True) == ["new"]


def test_an_operators_log_follows_the_protocol() -> None:
    log: Log = ListLog(Path())
    assert isinstance(log, ListLog)
