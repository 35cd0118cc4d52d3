"""One message, one answer: delivered twice, edited meanwhile, or cut off by the end."""

import asyncio
from dataclasses import replace

from bot.api import ChatKind, Context, Plugin
from bot.testing import RememberingAdapter, talking_to


def slow(started: asyncio.Event, go_on: asyncio.Event) -> Plugin[None]:
    plugin: Plugin[None] = Plugin("slow", "Answers in two pieces.")

    @plugin.message(lambda message: message.addressed)
    async def answer(context: Context[None]) -> None:
        async with context.draft() as draft:
            await draft.append("to ")
            while draft.sent is None:
                await asyncio.sleep(0)
            started.set()
            await go_on.wait()
            await draft.append(context.message.text)

    return plugin


def echo() -> Plugin[None]:
    plugin: Plugin[None] = Plugin("echo", "Repeats.")

    @plugin.message(lambda message: message.addressed)
    async def answer(context: Context[None]) -> None:
        await context.reply(context.message.text)

    return plugin


async def test_an_update_that_comes_twice_is_handled_once() -> None:
    async with talking_to(echo()) as bot:
        message = bot.message("hello")
        await bot.dispatcher.receive(message)
        await bot.dispatcher.receive(message)
        await bot.settle()
        await bot.dispatcher.receive(message)
        await bot.settle()
        assert [reply.text for reply in bot.adapter.shown.values()] == ["hello"]
        assert bot.dispatcher.counts["ignored: delivered twice"] == 2


async def test_a_message_without_a_number_is_always_a_new_one() -> None:
    async with talking_to(echo()) as bot:
        message = replace(bot.message("hello"), update=None)
        await bot.dispatcher.receive(message)
        await bot.dispatcher.receive(message)
        await bot.settle()
        assert len(bot.adapter.shown) == 2


async def test_talk_that_nobody_waits_for_is_never_written_down() -> None:
    async with talking_to(echo()) as bot:
        chatter = bot.message("between us", kind=ChatKind.GROUP, chat="g", addressed=False)
        await bot.dispatcher.receive(chatter)
        assert await bot.store.inbox.pending() == []


async def test_a_question_that_is_edited_gets_its_answer_in_the_same_place() -> None:
    started, go_on = asyncio.Event(), asyncio.Event()
    async with talking_to(slow(started, go_on)) as bot:
        first = bot.message("A")
        await bot.dispatcher.receive(first)
        await started.wait()
        started.clear()
        edited = replace(first, text="B", edited=True, update="edit")
        await bot.dispatcher.receive(edited)
        await started.wait()
        go_on.set()
        await bot.settle()
        assert [reply.text for reply in bot.adapter.shown.values()] == ["to B"]
        assert await bot.store.inbox.pending() == []


async def test_an_answer_that_was_cut_off_is_made_whole_after_a_restart() -> None:
    started, go_on = asyncio.Event(), asyncio.Event()
    platform = RememberingAdapter()
    async with talking_to(slow(started, go_on), adapter=platform) as bot:
        await bot.dispatcher.receive(bot.message("A"))
        await bot.dispatcher.receive(bot.message("B"))
        await started.wait()
        store = bot.store
        assert await bot.dispatcher.drain(0) == 1
        assert [reply.text for reply in platform.shown.values()] == ["to "]
        async with talking_to(slow(started, go_on), adapter=platform, store=store) as again:
            go_on.set()
            await again.dispatcher.resume()
            await again.settle()
        assert [reply.text for reply in platform.shown.values()] == ["to A", "to B"]
        assert await store.inbox.pending() == []


async def test_an_answer_that_was_sent_is_not_sent_again_after_a_restart() -> None:
    async with talking_to(echo()) as bot:
        message = bot.message("hello")
        await bot.store.inbox.accept(message)
        await bot.store.inbox.sent(message, 0, ["there"], whole=True)
        await bot.dispatcher.resume()
        await bot.settle()
        assert bot.adapter.history == []
        assert await bot.store.inbox.pending() == []


async def test_what_waits_for_a_platform_that_is_switched_off_goes_on_waiting() -> None:
    async with talking_to(echo()) as bot:
        message = bot.message("hello")
        elsewhere = replace(message, chat=replace(message.chat, platform="other"))
        await bot.store.inbox.accept(elsewhere)
        await bot.dispatcher.resume()
        await bot.settle()
        assert [pending.message for pending in await bot.store.inbox.pending()] == [elsewhere]
