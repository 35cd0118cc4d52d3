"""A tool with ``confirm`` runs only after its person said yes, in time."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from bot.api import ChatKind, Context, Plugin
from bot.testing import Bot

GROUP: dict[str, Any] = {"chat": "g", "kind": ChatKind.GROUP, "addressed": True}


def bank() -> tuple[Plugin[None], list[int]]:
    plugin: Plugin[None] = Plugin("bank", "Pays.")
    paid: list[int] = []

    @plugin.tool(confirm=True)
    async def pay(_: Context[None], amount: int, note: str = "a\n**b**") -> str:
        """Pay."""
        paid.append(amount)
        return f"paid {amount} {note}"

    return plugin, paid


@pytest.fixture
def paying(server: Any, answered: Any, sse: Any) -> Callable[..., None]:
    """Let the model pay these amounts in one step, and then answer."""

    def script(*amounts: int) -> None:
        calls = [
            {
                "choices": [
                    {
                        "index": 0,
                        "delta": {
                            "tool_calls": [
                                {
                                    "index": n,
                                    "id": f"c{n}",
                                    "function": {"name": "pay", "arguments": f'{{"amount": {n}}}'},
                                }
                            ]
                        },
                    }
                ]
            }
            for n in amounts
        ]
        server.script = [answered([sse(*calls)]), answered([sse("So be it.")])]

    return script


async def asked(bot: Bot, questions: int = 1) -> list[list[str]]:
    """Wait for questions; return the commands of their buttons."""
    while True:
        found = [[b.command for b in r.buttons] for r in bot.adapter.shown.values() if r.buttons]
        if len(found) == questions:
            return found
        await asyncio.sleep(0.01)


def results(server: Any) -> list[str]:
    return [m["content"] for m in server.asked[1].body["messages"] if m["role"] == "tool"]


@pytest.mark.parametrize(("answer", "runs"), [(0, [5]), (1, [])])
async def test_the_person_decides_with_a_button(
    chatting: Any, server: Any, paying: Any, answer: int, runs: list[int]
) -> None:
    plugin, paid = bank()
    paying(5)
    async with chatting(plugin, model=True) as bot:
        await bot.dispatcher.receive(bot.message("pay 5"))
        [buttons] = await asked(bot)
        question = next(iter(bot.adapter.shown.values())).text
        assert "`pay`" in question
        assert "`amount`:\n> 5" in question
        assert "> a\n> **b**" in question, "what the model wrote is data"
        assert not paid
        replies = await bot.say(f"/{buttons[answer]}")
        assert replies[-1].text == "So be it."
        assert paid == runs
        assert ("paid 5" in results(server)[0]) is bool(runs)
        (late,) = await bot.say(f"/{buttons[0]}")
        assert "isn't open any more" in late.text
        assert paid == runs
        assert not await bot.store.inbox.pending()


async def test_another_message_is_a_no_and_is_answered_itself(
    chatting: Any, server: Any, paying: Any
) -> None:
    plugin, paid = bank()
    paying(5)
    async with chatting(plugin, model=True) as bot:
        await bot.dispatcher.receive(bot.message("pay 5"))
        await asked(bot)
        await bot.say("no wait, how much is it?")
        assert not paid
        assert "did not allow" in results(server)[0]
    assert server.asked[2].body["messages"][-1]["content"] == "no wait, how much is it?"


async def test_a_question_expires(chatting: Any, server: Any, paying: Any) -> None:
    plugin, paid = bank()
    paying(5)
    block = {"tools": {"confirm_timeout": "50ms"}}
    async with chatting(plugin, model=True, block=block) as bot:
        replies = await bot.say("pay 5")
        assert "did not run pay" in replies[1].text
        assert replies[-1].text == "So be it."
    assert not paid


async def test_nobody_else_can_say_yes(chatting: Any, server: Any, paying: Any) -> None:
    plugin, paid = bank()
    paying(5)
    block = {"tools": {"confirm_timeout": "300ms"}}
    async with chatting(plugin, model=True, block=block) as bot:
        await bot.dispatcher.receive(bot.message("pay 5", **GROUP))
        [buttons] = await asked(bot)
        replies = await bot.say(f"/{buttons[0]}", sender="bea", **GROUP)
        assert "isn't open any more" in replies[-1].text
    assert not paid


async def test_several_questions_come_one_after_the_other(
    chatting: Any, server: Any, paying: Any
) -> None:
    plugin, paid = bank()
    paying(1, 2)
    async with chatting(plugin, model=True) as bot:
        await bot.dispatcher.receive(bot.message("pay both"))
        for number in (1, 2):
            buttons = (await asked(bot, number))[-1]
            await bot.dispatcher.receive(bot.message(f"/{buttons[0]}"))
        await bot.settle()
    assert paid == [1, 2]
