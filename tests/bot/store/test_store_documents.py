"""Documents on every store: values come back exactly, writes are atomic, what expired is gone."""

import asyncio
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.api import GLOBAL, Account, Erased, Store, chat_scope, person_scope
from bot.store.values import decode, encode

ANA = Account("test", "1", "Ana")
SCOPE = person_scope("test:1")
NOTES = "notes"


def _add(value: Any) -> Any:
    return (value or 0) + 1


def _same(value: Any) -> Any:
    return value


async def test_a_value_comes_back_with_what_the_store_knows(store: Store, clock: Any) -> None:
    began = clock()
    made = await store.documents.put(SCOPE, NOTES, "k", {"a": [1, None, "ñ"]}, tag="t")
    clock.move(minutes=1)
    again = await store.documents.put(SCOPE, NOTES, "k", 2)
    assert (made.revision, made.created, made.updated, made.tag) == (1, began, began, "t")
    assert (again.revision, again.created, again.updated) == (2, began, clock())
    assert again.tag is None
    assert await store.documents.get(SCOPE, NOTES, "k") == again
    assert await store.documents.get(SCOPE, NOTES, "other") is None
    assert await store.documents.get(SCOPE, "other", "k") is None
    assert await store.documents.get(GLOBAL, NOTES, "k") is None


async def test_a_value_is_the_readers_own(store: Store) -> None:
    value = {"list": [1]}
    await store.documents.put(GLOBAL, NOTES, "k", value)
    value["list"].append(2)
    found = await store.documents.get(GLOBAL, NOTES, "k")
    assert found is not None
    assert found.value == {"list": [1]}


ids = st.integers(10**18, 2**63 - 1)
values = st.recursive(
    st.none() | st.booleans() | ids | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(values)
def test_every_json_value_survives_with_all_its_digits(value: Any) -> None:
    assert decode(encode(value)) == value
    assert repr(decode(encode(value))) == repr(value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1: 2}, {"a": object()}, b"bytes"])
async def test_what_json_cannot_hold_is_refused_and_nothing_is_written(
    store: Store, value: Any
) -> None:
    await store.documents.put(SCOPE, NOTES, "k", "before")
    with pytest.raises(ValueError, match="JSON"):
        await store.documents.put(SCOPE, NOTES, "k", value)
    found = await store.documents.get(SCOPE, NOTES, "k")
    assert found is not None
    assert found.value == "before"


async def test_concurrent_updates_lose_nothing(store: Store) -> None:
    await asyncio.gather(*(store.documents.update(SCOPE, NOTES, "n", _add) for _ in range(200)))
    found = await store.documents.get(SCOPE, NOTES, "n")
    assert found is not None
    assert (found.value, found.revision) == (200, 200)


async def test_an_update_keeps_tag_and_expiry_unless_they_are_given(
    store: Store, clock: Any
) -> None:
    end = clock() + timedelta(hours=1)
    await store.documents.put(SCOPE, NOTES, "k", 1, tag="t", expires=end)
    kept = await store.documents.update(SCOPE, NOTES, "k", _add)
    assert kept is not None
    assert (kept.value, kept.tag, kept.expires) == (2, "t", end)
    later = end + timedelta(hours=1)
    given_ = await store.documents.update(SCOPE, NOTES, "k", _same, tag="u", expires=later)
    assert given_ is not None
    assert (given_.tag, given_.expires) == ("u", later)


async def test_an_update_to_none_deletes_and_one_that_fails_changes_nothing(store: Store) -> None:
    await store.documents.put(SCOPE, NOTES, "k", 1)

    def fail(value: Any) -> Any:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        await store.documents.update(SCOPE, NOTES, "k", fail)
    assert (await store.documents.get(SCOPE, NOTES, "k")) is not None
    assert await store.documents.update(SCOPE, NOTES, "k", lambda _: None) is None
    assert await store.documents.get(SCOPE, NOTES, "k") is None


async def test_deleting_tells_whether_there_was_something(store: Store) -> None:
    await store.documents.put(SCOPE, NOTES, "k", 1)
    assert await store.documents.delete(SCOPE, NOTES, "k")
    assert not await store.documents.delete(SCOPE, NOTES, "k")


async def test_a_scan_goes_by_namespace_scope_and_tag_oldest_first(store: Store) -> None:
    other = chat_scope("test:c")
    for n, (scope, tag) in enumerate([(SCOPE, "a"), (other, "a"), (SCOPE, "b"), (SCOPE, "a")]):
        await store.documents.put(scope, NOTES, str(n), n, tag=tag)
    await store.documents.put(SCOPE, "elsewhere", "x", 9, tag="a")

    async def found(**options: Any) -> list[Any]:
        return [document.value for document in await store.documents.scan(NOTES, **options)]

    assert await found() == [0, 1, 2, 3]
    assert await found(scope=SCOPE) == [0, 2, 3]
    assert await found(tag="a") == [0, 1, 3]
    assert await found(scope=SCOPE, tag="a") == [0, 3]


async def test_what_expires_is_gone_at_that_instant_and_not_before(
    store: Store, clock: Any
) -> None:
    end = clock() + timedelta(days=1)
    await store.documents.put(SCOPE, NOTES, "k", 1, expires=end)
    clock.now = end - timedelta(microseconds=1)
    assert await store.documents.get(SCOPE, NOTES, "k") is not None
    assert len(await store.documents.scan(NOTES)) == 1
    clock.now = end
    assert await store.documents.get(SCOPE, NOTES, "k") is None
    assert await store.documents.scan(NOTES) == []
    assert not await store.documents.delete(SCOPE, NOTES, "k")
    fresh = await store.documents.put(SCOPE, NOTES, "k", 2)
    assert fresh.revision == 1
    clock.move(hours=-2)  # a clock that was set back brings nothing back
    found = await store.documents.get(SCOPE, NOTES, "k")
    assert found is not None
    assert found.value == 2


@pytest.mark.parametrize("hours", [13, -11])
async def test_an_expiry_is_an_instant_wherever_it_was_written(
    store: Store, clock: Any, hours: int
) -> None:
    local = (clock() + timedelta(hours=1)).astimezone(timezone(timedelta(hours=hours)))
    made = await store.documents.put(SCOPE, NOTES, "k", 1, expires=local)
    assert made.expires == local
    clock.move(minutes=59)
    assert await store.documents.get(SCOPE, NOTES, "k") is not None
    clock.move(minutes=1)
    assert await store.documents.get(SCOPE, NOTES, "k") is None


async def test_a_time_without_a_zone_is_refused(store: Store) -> None:
    naive = datetime(2026, 1, 1)  # noqa: DTZ001 - the fault itself
    with pytest.raises(ValueError, match="aware"):
        await store.documents.put(SCOPE, NOTES, "k", 1, expires=naive)


INSTANT = """
from datetime import datetime, timedelta, UTC
from bot.store.values import instant, moment
print([instant(datetime(2026, 3, 29, 0, 30, tzinfo=UTC) + timedelta(hours=h)) for h in range(4)])
"""


def test_the_machines_time_zone_changes_nothing() -> None:
    zones = ["UTC", "Pacific/Apia", "Pacific/Niue", "Europe/Madrid"]
    answers = {
        subprocess.run(
            [sys.executable, "-c", INSTANT],
            env={**os.environ, "TZ": zone},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        ).stdout
        for zone in zones
    }
    assert len(answers) == 1


@pytest.mark.parametrize("scope", ["", "person:", "chat:", "people:1", None, 5, "person", "all"])
async def test_what_is_no_scope_is_refused(store: Store, scope: Any) -> None:
    await store.documents.put(SCOPE, NOTES, "k", 1)
    with pytest.raises(ValueError, match="scope"):
        await store.documents.put(scope, NOTES, "k", 2)
    with pytest.raises(ValueError, match="scope"):
        await store.documents.delete(scope, NOTES, "k")
    found = await store.documents.get(SCOPE, NOTES, "k")
    assert found is not None
    assert found.value == 1


async def test_work_of_an_older_epoch_writes_nothing(store: Store) -> None:
    person = await store.people.resolve(ANA)
    await store.documents.put(SCOPE, NOTES, "k", 1, epoch=person.epoch)
    await store.erase(person.id)
    acts = (
        store.documents.put(SCOPE, NOTES, "k", 2, epoch=person.epoch),
        store.documents.update(SCOPE, NOTES, "k", lambda _: 3, epoch=person.epoch),
        store.documents.delete(SCOPE, NOTES, "k", epoch=person.epoch),
    )
    for act in acts:
        with pytest.raises(Erased):
            await act
    assert await store.documents.get(SCOPE, NOTES, "k") is None
    back = await store.people.resolve(ANA)
    assert back.epoch == person.epoch + 1
    assert (await store.documents.put(SCOPE, NOTES, "k", 4, epoch=back.epoch)).value == 4


@pytest.mark.parametrize("seed", [datetime(2026, 10, 25, 0, 30, tzinfo=UTC)])
async def test_a_change_of_the_clocks_neither_shortens_nor_lengthens_a_life(
    store: Store, clock: Any, seed: datetime
) -> None:
    clock.now = seed
    await store.documents.put(SCOPE, NOTES, "k", 1, expires=seed + timedelta(hours=3))
    clock.move(hours=2, minutes=59)
    assert await store.documents.get(SCOPE, NOTES, "k") is not None
    clock.move(minutes=1)
    assert await store.documents.get(SCOPE, NOTES, "k") is None
