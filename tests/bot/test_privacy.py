"""All that is kept of a person, in one hand: the store's rows and what plugins keep elsewhere."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.api import Account, DataStatement, Json, Plugin, Running, Store, person_scope
from bot.discretion import Discretion
from bot.privacy import FAILED, LATE, Coordinator, known_as, owe
from bot.runtime import utc_now
from bot.store import open_store

Drawers = dict[str, list[str]]
"""What a plugin of these tests keeps elsewhere: things by person."""


async def store_with(*people: str) -> Store:
    """Return a store with a document and an account of each of the people."""
    store = await open_store("memory", Path(), clock=utc_now)
    for person in people:
        await store.people.resolve(Account("test", person))
        await store.documents.put(person_scope(f"test:{person}"), "ai.memory", "tea", person)
    return store


def coordinating(store: Store, running: Any, seconds: float = 5.0) -> Coordinator:
    return Coordinator(Discretion(store, lambda: store), running, seconds)


async def hand_out(drawers: Drawers, person: str) -> Json:
    return drawers.get(person, [])


async def throw_away(drawers: Drawers, person: str) -> int:
    return len(drawers.pop(person, []))


async def fail(drawers: Drawers, person: str) -> Any:
    raise OSError(f"/secret/path of {person}")


def fail_at_once(drawers: Drawers, person: str) -> Awaitable[Any]:
    raise OSError("before it could be awaited")


async def hang(drawers: Drawers, person: str) -> Any:
    await asyncio.Event().wait()


def keeper(
    name: str,
    drawers: Drawers,
    export: Callable[[Drawers, str], Awaitable[Json]] = hand_out,
    erase: Callable[[Drawers, str], Awaitable[int]] = throw_away,
) -> Running[Drawers]:
    statement = DataStatement(f"What {name} keeps.", elsewhere=True, export=export, erase=erase)
    return Running(Plugin(name, "For a test", data=statement), drawers)


async def test_an_export_holds_the_store_and_the_plugins() -> None:
    store = await store_with("1")
    coordinator = coordinating(store, [keeper("files", {"test:1": ["a", "b"]})])
    held = await coordinator.export("test:1")
    assert held.keys() == {*(await store.export("test:1")), "plugins"}
    assert held["plugins"] == {"files": ["a", "b"]}


async def test_what_is_kept_is_counted_by_kind() -> None:
    store = await store_with("1")
    assert await coordinating(store, []).kept("test:1") == await store.kept("test:1")
    assert sum((await store.kept("test:1")).values()) == 2


async def test_an_erasure_takes_all_and_says_how_much() -> None:
    store = await store_with("1")
    kept = await store.kept("test:1")
    drawers = {"test:1": ["a", "b"]}
    coordinator = coordinating(store, [keeper("files", drawers)])
    receipt = await coordinator.erase("test:1")
    assert receipt.counts == {**kept, "plugins.files": 2}
    assert receipt.failures == {}
    assert drawers == {}
    again = await coordinator.erase("test:1")
    assert not any(again.counts.values())


@pytest.mark.parametrize(
    ("broken", "reason"), [(fail, FAILED), (fail_at_once, FAILED), (hang, LATE)]
)
async def test_a_hook_that_fails_is_told_of_and_stops_no_other(
    broken: Callable[[Drawers, str], Awaitable[Any]],
    reason: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    drawers = {"test:1": ["a"]}
    plugins = [keeper("broken", {}, broken, broken), keeper("files", drawers)]
    coordinator = coordinating(await store_with("1"), plugins, seconds=0.01)
    held = await coordinator.export("test:1")
    assert held["plugins"] == {"files": ["a"]}
    assert held["failures"] == {"broken": reason}
    receipt = await coordinator.erase("test:1")
    assert receipt.counts["plugins.files"] == 1
    assert receipt.failures == {"broken": reason}
    logged = [r for r in caplog.records if r.levelno == logging.ERROR]
    assert [record.plugin for record in logged] == ["broken", "broken"]  # type: ignore[attr-defined]


@pytest.mark.parametrize("nobody", ["", None])
async def test_nobodys_data_is_refused_and_nothing_goes(nobody: Any) -> None:
    store = await store_with("1", "10")
    drawers = {"test:1": ["a"], "": ["b"]}
    coordinator = coordinating(store, [keeper("files", drawers)])
    for act in (coordinator.kept, coordinator.export, coordinator.erase):
        with pytest.raises(ValueError, match="person"):
            await act(nobody)
    assert drawers == {"test:1": ["a"], "": ["b"]}
    assert sum((await store.kept("test:1")).values()) == 2


def without_hooks() -> Running[Any]:
    return Running(Plugin("words", "For a test", data=DataStatement("Words.")), None)


async def test_statements_are_those_of_the_plugins_that_run() -> None:
    running: list[Running[Any]] = []
    coordinator = coordinating(await store_with(), running)
    assert coordinator.statements() == {}
    running += [keeper("files", {}), without_hooks(), Running(Plugin("mute", "For a test"), None)]
    assert coordinator.statements() == {"files": "What files keeps.", "words": "Words."}
    assert (await coordinator.export("test:1"))["plugins"] == {"files": []}


PEOPLE = st.lists(st.sampled_from(["1", "10", "101", "1:1", "0"]), min_size=2, unique=True)


@given(PEOPLE)
def test_erasing_one_leaves_all_others_as_they_were(people: list[str]) -> None:
    asyncio.run(erase_first(people))


async def erase_first(people: list[str]) -> None:
    store = await store_with(*people)
    drawers = {f"test:{person}": [person] for person in people}
    coordinator = coordinating(store, [keeper("files", drawers)])
    others = [f"test:{person}" for person in people[1:]]
    before: Mapping[str, Any] = {person: await coordinator.export(person) for person in others}
    await coordinator.erase(f"test:{people[0]}")
    assert {person: await coordinator.export(person) for person in others} == before
    assert not any((await coordinator.kept(f"test:{people[0]}")).values())
    await store.close()


async def test_plugins_erase_once_nothing_older_can_write_any_more() -> None:
    store = await store_with("1")
    seen: list[Mapping[str, int]] = []

    async def look(drawers: Drawers, person: str) -> int:
        seen.append(await store.kept(person))
        return 0

    await coordinating(store, [keeper("files", {}, erase=look)]).erase("test:1")
    assert [sum(kept.values()) for kept in seen] == [0]


async def test_a_plugin_is_asked_by_all_the_ids_a_person_had() -> None:
    store = await store_with("1", "2")
    await store.people.link("test:1", "test:2")
    drawers = {"test:1": ["a"], "test:2": ["b", "c"], "test:3": ["d"]}
    coordinator = coordinating(store, [keeper("files", drawers)])
    assert (await coordinator.export("test:1"))["plugins"] == {"files": [["a"], ["b", "c"]]}
    receipt = await coordinator.erase("test:1")
    assert receipt.counts["plugins.files"] == 3
    assert drawers == {"test:3": ["d"]}


async def test_an_erasure_that_a_plugin_owes_is_tried_again() -> None:
    store = await store_with("1")
    drawers = {"test:1": ["a"]}
    failing = True

    async def sometimes(drawers: Drawers, person: str) -> int:
        if failing:
            raise OSError
        return await throw_away(drawers, person)

    kept: Drawers = {"test:1": ["b"]}
    coordinator = coordinating(store, [keeper("a", drawers, erase=sometimes), keeper("b", kept)])
    receipt = await coordinator.erase("test:1")
    assert receipt.failures == {"a": FAILED}
    assert (drawers, kept) == ({"test:1": ["a"]}, {})
    await coordinator.settle()
    assert drawers
    failing = False
    await coordinator.settle()
    assert not drawers
    drawers["test:1"] = ["new"]
    await coordinator.settle()
    assert drawers, "what is settled is not erased again"


async def test_an_erasure_by_another_program_reaches_the_plugins() -> None:
    store = await store_with("1")
    drawers = {"test:1": ["a"], "test:2": ["b"]}
    await owe(store, await known_as(store, "test:1"))
    await store.erase("test:1")
    settling = asyncio.create_task(coordinating(store, [keeper("a", drawers)]).keep_settling())
    while "test:1" in drawers:
        await asyncio.sleep(0.005)
    settling.cancel()
    assert drawers == {"test:2": ["b"]}
