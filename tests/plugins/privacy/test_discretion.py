"""While somebody wants nothing kept, nothing is: by no plugin, in no place, not even by mistake."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.api import ChatKind, Context, Entry, Plugin, Role, Services, Store, person_scope
from bot.store import open_store
from bot.testing import Bot, talking_to
from plugins.privacy import plugin

GROUP = {"kind": ChatKind.GROUP, "chat": "g", "addressed": True}


def careless() -> Plugin[Any]:
    """Return a plugin that holds parts of the store, written without a thought of privacy."""
    held: dict[str, Any] = {}

    @asynccontextmanager
    async def setup(services: Services[Any]) -> AsyncIterator[None]:
        held["documents"], held["messages"] = services.store.documents, services.store.messages
        held["tasks"] = services.tasks
        yield

    plugin: Plugin[Any] = Plugin("careless", "Writes everything down.", setup=setup)

    @plugin.message(lambda message: message.addressed)
    async def write(context: Context[Any]) -> None:
        text, person = context.message.text, context.sender or ""
        await context.user.put(text, text)
        await context.room.put(text, text)
        await held["documents"].put(person_scope(person), "careless", f"held {text}", text)
        await held["messages"].append(context.chat, [Entry(Role.USER, text, person)])

        async def later() -> None:
            await held["documents"].put(person_scope(person), "careless", f"later {text}", text)

        held["tasks"].start(later(), name="later")
        said = await held["messages"].latest(context.chat, 9)
        await context.reply(" ".join(str(entry.content) for entry in said))

    return plugin


@pytest.fixture
async def bot(tmp_path: Path) -> AsyncIterator[Bot]:
    async with talking_to(careless(), plugin) as bot:
        yield bot


async def everything(store: Store) -> str:
    people = [await store.export(person.id) for person in await store.people.all()]
    rooms = [d.value for d in await store.documents.scan("careless")]
    logs = [e.content for c in ("ana", "g") for e in await store.messages.latest(f"test:{c}", 99)]
    return f"{people}{rooms}{logs}"


async def test_who_has_paused_is_talked_with_and_leaves_no_trace(bot: Bot) -> None:
    await bot.say("before")
    await bot.say("/privacy pause")
    assert (await bot.say("secret1"))[0].text == "secret1", "what was kept is out of sight"
    assert (await bot.say("secret2"))[0].text == "secret1 secret2", "the talk goes on in memory"
    await bot.say("secret3", **GROUP)
    assert "secret" not in await everything(bot.store)
    assert "before" in await everything(bot.store)
    assert await bot.store.inbox.pending() == []
    other = await bot.say("open", sender="bob", **GROUP)
    assert "open" in other[0].text
    assert "open" in await everything(bot.store)


async def test_after_a_pause_things_are_kept_again_and_what_was_said_is_forgotten(
    bot: Bot,
) -> None:
    await bot.say("before")
    await bot.say("/privacy pause")
    await bot.say("secret")
    await bot.say("/privacy resume")
    assert (await bot.say("after"))[0].text == "before after"
    assert "secret" not in await everything(bot.store)
    await bot.say("/privacy pause")
    assert (await bot.say("again"))[0].text == "again", "an earlier pause is not remembered"


async def test_work_of_before_a_pause_writes_nothing(bot: Bot) -> None:
    await bot.say("before")
    person = await bot.store.people.get("test:ana")
    assert person is not None
    await bot.say("/privacy pause")
    from bot.api import Erased  # noqa: PLC0415 - this test alone

    with pytest.raises(Erased):
        await bot.store.documents.put(
            person_scope("test:ana"), "careless", "late", "late", epoch=person.epoch
        )


async def test_an_incognito_chat_leaves_no_trace_of_anybody(bot: Bot) -> None:
    bot.adapter.admins.add("ana")
    await bot.say("/incognito", **GROUP)
    await bot.say("secret", **GROUP)
    await bot.say("secret", sender="stranger", **GROUP)
    assert "secret" not in await everything(bot.store)
    assert await bot.store.people.get("test:stranger") is None
    await bot.say("open")
    assert "open" in await everything(bot.store), "other chats are as they were"
    await bot.say("/incognito off", **GROUP)
    assert (await bot.say("hello", **GROUP))[0].text == "hello"
    assert "hello" in await everything(bot.store)


async def test_an_incognito_chat_stays_it_after_a_restart(tmp_path: Path) -> None:
    store = await open_store("memory", tmp_path, clock=lambda: datetime.now(UTC))
    async with talking_to(careless(), plugin, store=store) as bot:
        await bot.say("/incognito on")
        await bot.say("secret1")
    async with talking_to(careless(), plugin, store=store) as bot:
        assert (await bot.say("secret2"))[0].text == "secret2"
        assert "secret" not in await everything(store)


async def test_in_a_group_only_admins_decide(bot: Bot) -> None:
    [refused] = await bot.say("/incognito", **GROUP)
    assert "admins" in refused.text
    await bot.say("open", **GROUP)
    assert "open" in await everything(bot.store)


@pytest.mark.parametrize("command", ["/privacy pause", "/privacy resume"])
async def test_a_pause_is_a_private_matter(bot: Bot, command: str) -> None:
    [refused] = await bot.say(command, **GROUP)
    assert "private" in refused.text


async def test_a_pause_can_be_seen_and_ended_by_a_button(bot: Bot) -> None:
    await bot.say("/privacy pause")
    [overview] = await bot.say("/privacy")
    commands = [button.command for button in overview.buttons]
    assert "privacy resume" in commands
    assert "privacy pause" not in commands


async def test_what_is_over_is_deleted_and_said_to_be(tmp_path: Path) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)

    def clock() -> datetime:
        return now

    store = await open_store("memory", tmp_path, clock=clock)
    await store.messages.append("test:ana", [Entry(Role.USER, "old")])
    await store.documents.put("person:test:ana", "ai.memory", "old", "old")
    await store.documents.put("person:test:ana", "core", "old", "stays")
    now += timedelta(days=10)
    await store.messages.append("test:ana", [Entry(Role.USER, "new")])
    await store.documents.put("person:test:ana", "ai.memory", "new", "new")
    config = {"privacy": {"retention": {"messages": "9d", "facts": "9d"}}}
    async with talking_to(plugin, store=store, clock=clock, config=config) as bot:
        [overview] = await bot.say("/privacy")
    assert "deleted after 9 days" in overview.text
    assert [entry.content for entry in await store.messages.latest("test:ana", 9)] == ["new"]
    assert [d.value for d in await store.documents.scan("ai.memory")] == ["new"]
    assert [d.value for d in await store.documents.scan("core")] == ["stays"]
