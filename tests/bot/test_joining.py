"""What one person sends quickly reaches a handler that wants it so as one message."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import timedelta
from typing import Any

import pytest

from bot.api import ChatKind, Context, Features, Message, Plugin
from bot.testing import Bot, RememberingAdapter, talking_to

Heard = list[tuple[str, dict[str, Any]]]

GROUP: dict[str, Any] = {"chat": "g", "kind": ChatKind.GROUP, "addressed": True}


def hearing(got: list[Message], pause: float = 0.1) -> Plugin[None]:
    plugin: Plugin[None] = Plugin("ear", "Hears.")

    @plugin.message(lambda message: message.text == "special")
    async def special(context: Context[None]) -> None:
        got.append(context.message)

    @plugin.message(debounce=lambda _: timedelta(seconds=pause))
    async def hear(context: Context[None]) -> None:
        got.append(context.message)
        await context.reply(context.message.text)

    @plugin.command("note", "Notes.")
    async def note(context: Context[None]) -> None:
        got.append(context.message)

    return plugin


async def heard(
    *said: tuple[str, dict[str, Any]],
    wait: float = 0.0,
    around: Callable[[list[Message]], AbstractAsyncContextManager[Bot]] | None = None,
) -> list[tuple[str, str]]:
    got: list[Message] = []
    async with (around or (lambda got: talking_to(hearing(got))))(got) as bot:
        for text, options in said:
            await bot.dispatcher.receive(bot.message(text, **options))
            await asyncio.sleep(wait)
        await bot.settle()
        assert not await bot.store.inbox.pending()
    return [(message.sender.id, message.text) for message in got]


async def test_quick_messages_are_one_and_slow_ones_are_not() -> None:
    quick: Heard = [("one", {}), ("two", {}), ("three", {})]
    assert await heard(*quick) == [("ana", "one\ntwo\nthree")]
    assert await heard(*quick, wait=0.15) == [("ana", text) for text, _ in quick]
    assert await heard(*quick, wait=0.06) == [("ana", "one\ntwo\nthree")]


async def test_nothing_overtakes_what_came_before_it() -> None:
    said: Heard = [("one", {}), ("/note", {}), ("two", {}), ("special", {}), ("three", {})]
    assert await heard(*said) == [("ana", text) for text, _ in said]


async def test_people_are_not_mixed_up() -> None:
    said = [("a1", "ana"), ("b1", "bea"), ("a2", "ana"), ("b2", "bea")]
    in_group = [(text, GROUP | {"sender": sender}) for text, sender in said]
    assert await heard(*in_group) == [("ana", "a1\na2"), ("bea", "b1\nb2")]
    nobodies = [(text, GROUP | {"sender": "g", "anonymous": True}) for text in ("x", "y")]
    assert await heard(*nobodies) == [("g", "x"), ("g", "y")]
    aside = [("a1", GROUP), ("aside", GROUP | {"addressed": False}), ("a2", GROUP)]
    assert await heard(*aside) == [("ana", "a1\na2")]


async def test_what_is_passed_on_stays_apart() -> None:
    got: list[Message] = []
    async with talking_to(hearing(got)) as bot:
        await bot.dispatcher.receive(bot.message("I am vegan", forwarded="Eve"))
        await bot.say("is that healthy?")
    (message,) = got
    assert message.forwarded is None
    assert [part.forwarded for part in message.parts] == ["Eve", None]


async def test_one_who_does_not_stop_is_answered_all_the_same() -> None:
    got: list[Message] = []
    async with talking_to(hearing(got, 0.04)) as bot:
        for number in range(40):
            await bot.dispatcher.receive(bot.message(str(number)))
            await asyncio.sleep(0.02)
        await bot.settle()
    assert 1 < len(got) <= 4
    said = "\n".join(message.text for message in got)
    assert said.split("\n") == list(map(str, range(40)))


@pytest.mark.parametrize("which", [0, 1])
async def test_an_edit_of_a_part_counts(which: int) -> None:
    got: list[Message] = []
    async with talking_to(hearing(got, 0.2)) as bot:
        messages = [bot.message("one"), bot.message("two")]
        for message in messages:
            await bot.dispatcher.receive(message)
        await asyncio.sleep(0.02)
        edited = bot.message("new", message_id=messages[which].id, edited=True)
        await bot.dispatcher.receive(edited)
        await bot.settle()
        assert not await bot.store.inbox.pending()
    assert got[-1].text == ("new\ntwo", "one\nnew")[which]
    assert len(bot.adapter.shown) == 1


async def test_an_edit_of_a_part_is_answered_anew_in_the_same_place() -> None:
    started, texts = asyncio.Event(), []
    plugin: Plugin[None] = Plugin("slow", "Is slow.")

    @plugin.message(debounce=lambda _: timedelta(seconds=0.02))
    async def slow(context: Context[None]) -> None:
        texts.append(context.message.text)
        async with context.draft() as draft:
            await draft.append(context.message.text)
            started.set()
            await asyncio.sleep(0.2)

    async with talking_to(plugin) as bot:
        await bot.dispatcher.receive(bot.message("one"))
        await bot.dispatcher.receive(bot.message("two", message_id="second"))
        await started.wait()
        await bot.dispatcher.receive(bot.message("zwei", message_id="second", edited=True))
        await bot.settle()
        assert [reply.text for reply in bot.adapter.shown.values()] == ["one\nzwei"]
        assert not await bot.store.inbox.pending()
    assert texts == ["one\ntwo", "one\nzwei"]


async def test_where_a_message_is_whole_none_is_waited_for() -> None:
    got: list[Message] = []
    adapter = RememberingAdapter(features=Features(edit_interval=0.0, bursts=False))
    async with talking_to(hearing(got, 10), adapter=adapter) as bot:
        await bot.dispatcher.receive(bot.message("one"))
        await asyncio.wait_for(bot.say("two"), 5)
    assert [message.text for message in got] == ["one", "two"]
