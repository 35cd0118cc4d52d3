"""What happens to an extraction that waits for its model while the person does something else."""

import asyncio
import gc
import os
import time
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from types import SimpleNamespace
from typing import Any

import pytest

from bot.api import Account, Chat, Erased, Message, UserError
from plugins.ai.memory.intake import Work
from plugins.ai.memory.ledger import Changed
from plugins.ai.memory.review import Review

ANA, BO = "test:ana", "test:bo"
STORES = pytest.mark.parametrize("store", ["memory", "sqlite"])


async def extracting(r: Any, *facts: str, person: str = ANA) -> asyncio.Task[Any]:
    """Start an extraction and return it once it waits for the model."""
    r.model.answers = [list(facts)]
    r.model.going, r.model.waiting = asyncio.Event(), asyncio.Event()
    task = asyncio.create_task(r.memory.extract_memory(person, f"So: {facts}", ""))
    await r.model.waiting.wait()
    return task


async def erase(r: Any) -> None:
    await r.store.erase(ANA)


async def erase_and_come_back(r: Any) -> None:
    await r.store.erase(ANA)
    await r.store.people.resolve(Account("test", "ana"))


async def forget_all(r: Any) -> None:
    await r.memory.forget_all(ANA)


async def forget_one(r: Any) -> None:
    await r.memory.forget(ANA, "Old")


async def forget_elsewhere(r: Any) -> None:
    """Forget as another process does it, which shares nothing but the store."""
    ledger = type(r.memory._ledger)(r.store.documents, r.memory.options, r.clock)
    review = Review(ledger, r.memory.policies)
    await review.forget(ANA, (await r.fact("Old")).key)


async def stop(r: Any) -> None:
    await r.memory.choose(ANA, "off", epoch=0)


async def stop_and_go_on(r: Any) -> None:
    await r.memory.choose(ANA, "off", epoch=0)
    await r.memory.choose(ANA, "auto", epoch=0)


@STORES
@pytest.mark.parametrize(
    "act",
    [erase, erase_and_come_back, forget_all, forget_one, forget_elsewhere, stop, stop_and_go_on],
)
async def test_its_result_is_dropped(
    room: Any, store: str, act: Callable[[Any], Awaitable[None]]
) -> None:
    async with room(store) as r:
        await r.memory.remember(ANA, ["Old"])
        task = await extracting(r, "Likes tea")
        await act(r)
        r.model.going.set()
        try:
            assert await task == []
        except Erased:
            assert "erase" in act.__name__
        assert "Likes tea" not in await r.statuses()
        assert "tea" not in str(await r.store.export(ANA))


@STORES
async def test_it_is_dropped_across_a_new_turn_which_counts(room: Any, store: str) -> None:
    async with room(store) as r:
        old = await extracting(r, "Likes tea")
        going = r.model.going
        await r.memory.forget_all(ANA)
        new = await extracting(r, "Has a cat")
        r.model.going.set()
        assert await new == ["Has a cat"]
        going.set()
        assert await old == []
        assert await r.memory.memory(ANA) == ["Has a cat"]


async def test_what_others_do_drops_nothing(room: Any) -> None:
    async with room() as r:
        task = await extracting(r, "Likes tea")
        await r.store.erase(BO)
        await r.memory.forget_all(BO)
        await r.memory.choose(BO, "off", epoch=None)
        r.model.going.set()
        assert await task == ["Likes tea"]


@STORES
async def test_many_extractions_of_one_person_lose_no_fact(room: Any, store: str) -> None:
    async with room(store, max_facts=100, auto_extract={"max_facts_per_turn": 10}) as r:
        names = "abcdefghij"
        r.model.answers = [[f"Knows {a}{b}" for b in names] for a in names]
        turns = [r.memory.extract_memory(ANA, "I know them", "") for _ in names]
        added = [fact for facts in await asyncio.gather(*turns) for fact in facts]
        assert sorted(added) == sorted(f"Knows {a}{b}" for a in names for b in names)
        assert sorted(await r.memory.memory(ANA)) == sorted(added)


@STORES
async def test_the_same_fact_found_twice_at_once_is_one(room: Any, store: str) -> None:
    async with room(store) as r:
        r.model.answers = [["Likes tea"], ["likes TEA!"]]
        turns = [r.memory.extract_memory(ANA, "I like tea", "") for _ in range(2)]
        assert sorted(map(len, await asyncio.gather(*turns))) == [0, 1]
        assert len(await r.facts()) == 1


@STORES
async def test_eviction_holds_while_many_write(room: Any, store: str) -> None:
    async with room(store, max_facts=5) as r:
        await asyncio.gather(*(r.memory.remember(ANA, [f"Knows {n}"]) for n in range(20)))
        assert len(await r.memory.memory(ANA)) == 5


@STORES
async def test_two_reviewers_at_once_decide_once(room: Any, store: str) -> None:
    async with room(store, review="required") as r:
        await r.learn("Likes tea")
        key = (await r.fact("Likes tea")).key
        other = type(r.memory._ledger)(r.store.documents, r.memory.options, r.clock)
        reviews = [r.memory.review.approve(ANA, key), Review(other, r.memory.policies).reject]
        results = await asyncio.gather(reviews[0], reviews[1](ANA, key), return_exceptions=True)
        assert sum(isinstance(result, UserError) for result in results) == 1
        assert len(await r.facts()) == 1


@STORES
async def test_a_write_over_a_changed_fact_changes_nothing(room: Any, store: str) -> None:
    async with room(store) as r:
        await r.memory.remember(ANA, ["Likes tea"])
        seen = await r.fact("Likes tea")
        r.clock.forward(days=1)
        await r.memory.remember(ANA, ["likes tea"])
        before = await r.facts()
        with pytest.raises(Changed):
            await r.memory._ledger.write(seen.rejected())
        assert await r.facts() == before


async def test_while_too_many_wait_for_the_model_no_more_are_begun(
    room: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plugins.ai.memory.memory.MOST_WAITING", 2)
    async with room(auto_extract=True) as r:
        r.model.answers, r.model.going = [["Likes tea"]], asyncio.Event()
        person = await r.store.people.get(ANA)
        message = Message("1", Chat("test", "ana"), Account("test", "ana"), "I like tea", r.clock())
        context: Any = SimpleNamespace(person=person, message=message, chat="test:ana")
        for _ in range(5):
            r.memory.learn(context, "I like tea", "")
        await r.model.waiting.wait()
        r.model.going.set()
        await r.memory.idle()
        assert r.memory.counts["memory extractions dropped: too many at once"] == 3
        assert len(r.model.asked) == 2
        r.memory.learn(context, "I like tea", "")
        await r.memory.idle()
        assert len(r.model.asked) == 3


@STORES
async def test_what_was_said_before_forgetting_is_not_learned_after_it(
    room: Any, store: str
) -> None:
    """The extraction was begun, but has not come to read anything yet."""
    async with room(store, auto_extract=True) as r:
        r.model.answers = [["Likes tea"]]
        r.memory._tasks.start(r.memory._learn(_work(r), "I like tea", ""), name="extraction")
        await r.memory.forget_all(ANA)
        await r.memory.idle()
        assert await r.facts() == []
        assert r.memory.counts["memory extractions dropped: out of date"] == 1


async def test_background_work_survives_when_nobody_holds_it(room: Any) -> None:
    async with room(auto_extract=True) as r:
        r.model.answers = [["Likes tea"]]
        r.model.going = asyncio.Event()
        r.memory._tasks.start(r.memory._learn(_work(r), "I like tea", ""), name="memory extraction")
        await r.model.waiting.wait()
        gc.collect()
        r.model.going.set()
        await r.memory.idle()
        assert await r.memory.memory(ANA) == ["Likes tea"]


def _work(r: Any) -> Any:
    return Work(ANA, 0, r.memory._ledger.generations[ANA])


@pytest.fixture(params=["UTC", "Pacific/Tongatapu", "Pacific/Pago_Pago", "America/New_York"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setitem(os.environ, "TZ", request.param)
    time.tzset()
    yield request.param
    monkeypatch.undo()
    time.tzset()


@STORES
@pytest.mark.parametrize("offset", [13, -11, 0])
async def test_a_life_is_as_long_in_every_time_zone(
    room: Any, store: str, zone: str, offset: int
) -> None:
    """Over the night in which New York sets its clocks forward, too."""
    async with room(store, ttl="1d") as r:
        start = datetime(2026, 3, 8, 1, 30, tzinfo=timezone(timedelta(hours=offset)))
        r.clock.now = start
        await r.memory.remember(ANA, ["Likes tea"])
        r.clock.now = start + timedelta(days=1, microseconds=-1)
        assert await r.memory.memory(ANA) == ["Likes tea"]
        (fact,) = await r.facts()
        assert fact.expires == (start + timedelta(days=1)).astimezone(UTC)
        r.clock.now = start + timedelta(days=1)
        assert await r.memory.memory(ANA) == []
