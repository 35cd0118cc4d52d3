"""What a person says while an answer comes, or shortly before it."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from bot.api import Context, Plugin
from bot.api.messages import ChatKind
from bot.testing import Bot
from plugins.ai.interrupting import until

GROUP: dict[str, Any] = {"chat": "g", "kind": ChatKind.GROUP, "addressed": True}
STOPPED = "(I stopped here, because you went on.)"
INTERRUPT = {"busy": "interrupt"}


def shown(bot: Bot) -> list[str]:
    return [reply.text for reply in bot.adapter.shown.values()]


async def say_while_answering(bot: Bot, text: str, **options: Any) -> None:
    """Say something as soon as the first answer shows a piece."""
    while "Long" not in str(bot.adapter.history):
        await asyncio.sleep(0.005)
    await bot.say(text, **options)


@pytest.fixture
def slow(answered: Any, sse: Any) -> list[Any]:
    long = answered([sse("Long ", stop=None, done=False), sse("talk.")], wait=0.3)
    return [long, answered([sse("Next.")])]


async def contents(bot: Bot, chat: str = "test:ana") -> list[Any]:
    entries: Any = await bot.store.messages.latest(chat, 99)
    return [entry.content["text"] for entry in entries]


async def test_quick_messages_are_one_question(
    chatting: Any, server: Any, answered: Any, sse: Any
) -> None:
    server.script = [answered([sse("Yes.")])]
    debounce = timedelta(seconds=0.05)
    async with chatting(model=True, block={"debounce": debounce}) as bot:
        await bot.dispatcher.receive(bot.message("I am vegan", forwarded="Eve"))
        await bot.dispatcher.receive(bot.message("what does that mean?"))
        await bot.say("and is it healthy?")
        assert shown(bot) == ["Yes."]
        entries: Any = await bot.store.messages.latest("test:ana", 9)
        assert [entry.content.get("forwarded") for entry in entries] == ["Eve", None, None, None]
    (asked,) = server.asked
    assert asked.body["messages"][-1]["content"] == (
        'The person passes on a message by "Eve"; these are not the sender\'s words:\n'
        "> I am vegan\n\nwhat does that mean?\n\nand is it healthy?"
    )


@pytest.mark.parametrize(
    ("block", "first", "kept"),
    [
        ({}, "Long talk.", ["hi", "Long talk.", "more", "Next."]),
        (INTERRUPT, f"Long\n\n{STOPPED}", ["hi", "Long ", "more", "Next."]),
    ],
)
async def test_a_further_message_waits_or_interrupts(
    chatting: Any, server: Any, slow: Any, block: Any, first: str, kept: list[str]
) -> None:
    server.script = slow
    async with chatting(model=True, block=block) as bot:
        await bot.dispatcher.receive(bot.message("hi"))
        await say_while_answering(bot, "more")
        assert shown(bot) == [first, "Next."]
        assert await contents(bot) == kept


async def test_only_the_person_who_is_answered_interrupts(
    chatting: Any, server: Any, slow: Any
) -> None:
    server.script = slow
    async with chatting(model=True, block=INTERRUPT) as bot:
        await bot.dispatcher.receive(bot.message("hi", **GROUP))
        await say_while_answering(bot, "more", sender="bea", **GROUP)
        assert shown(bot) == ["Long talk.", "Next."]


@pytest.mark.parametrize(("who", "stops"), [("ana", True), ("admin", True), ("bea", False)])
async def test_a_reset_ends_the_answer_of_whoever_it_concerns(
    chatting: Any, server: Any, slow: Any, who: str, stops: Any
) -> None:
    server.script = slow
    async with chatting(model=True) as bot:
        bot.adapter.admins.add("admin")
        await bot.dispatcher.receive(bot.message("hi", **GROUP))
        await say_while_answering(bot, "/reset", sender=who, **GROUP)
        answer, done = shown(bot)
        assert answer == (f"Long\n\n{STOPPED}" if stops else "Long talk.")
        assert "cleared" in done
        assert await contents(bot, "test:g") == ([] if stops else ["hi", "Long talk."])
        await bot.say("again", **GROUP)
        assert ("Long" in str(server.asked[-1].body)) is not stops


async def test_a_reset_by_its_name_in_another_language_counts_too(
    chatting: Any, server: Any, slow: Any
) -> None:
    server.script = slow
    async with chatting(model=True) as bot:
        await bot.dispatcher.receive(bot.message("hola", language="es"))
        await say_while_answering(bot, "/reiniciar", language="es")
        assert shown(bot)[0].startswith("Long\n\n")
        assert await contents(bot) == []


async def test_a_reset_ends_a_tool_that_hangs(
    chatting: Any, server: Any, answered: Any, sse: Any
) -> None:
    running = asyncio.Event()
    clock: Plugin[None] = Plugin("clock", "Waits.")

    @clock.tool()
    async def wait(context: Context[None]) -> str:
        """Wait."""
        running.set()
        await asyncio.Event().wait()
        return ""

    call = {"index": 0, "id": "1", "function": {"name": "wait", "arguments": "{}"}}
    piece = {"choices": [{"delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}]}
    server.script = [answered([sse(piece, stop=None)]), answered([sse("Fresh.")])]
    async with chatting(clock, model=True) as bot:
        await bot.dispatcher.receive(bot.message("wait"))
        await running.wait()
        (done,) = await bot.say("/reset")
        assert "cleared" in done.text
        assert [reply.text for reply in await bot.say("hi")] == ["Fresh."]
        assert "wait" not in str(server.asked[-1].body["messages"])


async def test_until_ends_a_block_and_nothing_more() -> None:
    event = asyncio.Event()

    async def wanted() -> None:
        await event.wait()

    async with until(wanted) as ended:
        pass
    assert not ended.early
    asyncio.get_running_loop().call_later(0.01, event.set)
    async with until(wanted) as ended:
        await asyncio.sleep(5)
    assert ended.early
    task = asyncio.current_task()
    assert task is not None
    assert not task.cancelling()


async def test_until_lets_a_cancellation_from_outside_through() -> None:
    async def block() -> None:
        async with until(asyncio.Event().wait):  # type: ignore[arg-type]
            await asyncio.sleep(5)

    task = asyncio.create_task(block())
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_until_lets_an_error_through() -> None:
    with pytest.raises(KeyError):
        async with until(asyncio.Event().wait):  # type: ignore[arg-type]
            raise KeyError
