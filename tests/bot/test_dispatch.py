import asyncio
import logging
from datetime import timedelta
from typing import Any

import pytest

from bot.api import (
    ChatKind,
    Context,
    Erased,
    Forbidden,
    Next,
    Plugin,
    Reply,
    UserError,
)
from bot.dispatch import Limits
from bot.testing import RememberingAdapter, talking_to


def texts(replies: list[Reply]) -> list[str]:
    return [reply.text for reply in replies]


def echo(name: str = "echo") -> Plugin[None]:
    plugin: Plugin[None] = Plugin(name, "Repeats.")

    @plugin.message()
    async def repeat(context: Context[None]) -> None:
        await context.reply(f"{name}: {context.message.text}")

    @plugin.command("ping", "Answers.")
    async def ping(context: Context[None]) -> None:
        await context.reply(f"{name}: pong {context.arguments}".strip())

    return plugin


async def test_the_first_plugin_of_the_yaml_gets_the_message() -> None:
    async with talking_to(echo("a"), echo("b")) as bot:
        assert texts(await bot.say("hello")) == ["a: hello"]
        assert texts(await bot.say("/ping 1")) == ["a: pong 1"]
        assert texts(await bot.say("/PING")) == ["a: pong"]


async def test_in_a_group_only_what_is_addressed_to_it_is_answered() -> None:
    async with talking_to(echo()) as bot:
        assert await bot.say("hi all", chat="g", kind=ChatKind.GROUP) == []
        assert texts(await bot.say("hi", chat="g", kind=ChatKind.GROUP, addressed=True)) == [
            "echo: hi"
        ]
        assert texts(await bot.say("/ping", chat="g", kind=ChatKind.GROUP)) == ["echo: pong"]


async def test_an_unknown_command_is_told_where_the_bot_is_meant() -> None:
    async with talking_to(echo()) as bot:
        assert "/pong" in texts(await bot.say("/pong"))[0]
        assert await bot.say("/pong", chat="g", kind=ChatKind.GROUP) == []


async def test_bots_are_never_answered() -> None:
    async with talking_to(echo()) as bot:
        assert await bot.say("hello", is_bot=True) == []
        assert bot.dispatcher.counts["ignored: a bot"] == 1


async def test_who_is_nobody_is_answered_and_nothing_is_kept() -> None:
    plugin: Plugin[None] = Plugin("notes", "Keeps.")

    @plugin.message()
    async def keep(context: Context[None]) -> None:
        await context.user.put("note", context.message.text)
        await context.reply(f"{context.sender} {await context.user.get('note')}")

    async with talking_to(plugin) as bot:
        assert texts(await bot.say("secret", sender="group", anonymous=True)) == ["None None"]
        assert texts(await bot.say("mine", sender="ana")) == ["test:ana mine"]
        assert [d.scope for d in await bot.store.documents.scan("notes")] == ["person:test:ana"]


def broken(error: Exception) -> Plugin[None]:
    plugin: Plugin[None] = Plugin("broken", "Fails.")

    @plugin.message(lambda message: message.text == "break")
    async def fail(context: Context[None]) -> None:
        raise error

    return plugin


async def test_a_failure_is_answered_with_an_id_that_stands_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with talking_to(broken(RuntimeError("x")), echo()) as bot:
        with caplog.at_level(logging.ERROR):
            [answer] = texts(await bot.say("break"))
        assert answer.startswith("Sorry, something went wrong")
        failure = next(r for r in caplog.records if r.getMessage() == "a plugin failed")
        assert failure.exc_info is not None
        assert vars(failure)["plugin"] == "broken"
        assert texts(await bot.say("hello")) == ["echo: hello"]


async def test_an_apology_is_in_the_persons_language() -> None:
    async with talking_to(broken(RuntimeError("x"))) as bot:
        english = texts(await bot.say("break", language="en"))
        spanish = texts(await bot.say("break", language="es-419", sender="eva"))
        assert english[0].split()[0] != spanish[0].split()[0]


async def test_a_refusal_is_said_as_it_is() -> None:
    async with talking_to(broken(UserError("Not with {name}.", name="Ana"))) as bot:
        assert texts(await bot.say("break")) == ["Not with Ana."]


@pytest.mark.parametrize("error", [Erased("gone"), Forbidden("blocked")])
async def test_what_nobody_can_use_is_not_said(error: Exception) -> None:
    async with talking_to(broken(error)) as bot:
        assert await bot.say("break") == []


async def test_a_slow_handler_ends_at_its_deadline_and_stalls_no_other_chat() -> None:
    plugin: Plugin[None] = Plugin("slow", "Waits.")

    @plugin.command("own", "Has a deadline of its own.", timeout=timedelta(seconds=0.05))
    async def own(context: Context[None]) -> None:
        await asyncio.sleep(60)

    @plugin.message()
    async def wait(context: Context[None]) -> None:
        if context.message.text == "wait":
            await asyncio.sleep(60)
        await context.reply("done")

    async with talking_to(plugin, limits=Limits(timeout=timedelta(seconds=0.2))) as bot:
        await bot.dispatcher.receive(bot.message("wait", sender="ana"))
        await bot.dispatcher.receive(bot.message("quick", sender="eva"))
        await asyncio.sleep(0.05)
        assert texts(list(bot.adapter.shown.values())) == ["done"]
        await bot.settle()
        assert "took too long" in list(bot.adapter.shown.values())[-1].text
        assert "took too long" in texts(await bot.say("/own"))[0]


async def test_a_plugin_that_keeps_failing_rests_and_the_others_go_on() -> None:
    async with talking_to(broken(RuntimeError("x")), echo()) as bot:
        for _ in range(5):
            await bot.say("break")
        assert "out of order" in texts(await bot.say("break"))[0]
        assert texts(await bot.say("hello")) == ["echo: hello"]


async def test_middleware_goes_around_handlers_in_the_order_of_the_yaml() -> None:
    journal: list[str] = []

    def around(name: str) -> Plugin[None]:
        plugin: Plugin[None] = Plugin(name, "Watches.")

        @plugin.middleware
        async def watch(context: Context[None], go_on: Next) -> None:
            journal.append(f"+{name}")
            if context.message.text != f"stop {name}":
                await go_on()
            journal.append(f"-{name}")

        return plugin

    async with talking_to(around("a"), around("b"), echo()) as bot:
        assert texts(await bot.say("hello")) == ["echo: hello"]
        assert journal == ["+a", "+b", "-b", "-a"]
        journal.clear()
        assert await bot.say("stop b") == []
        assert journal == ["+a", "+b", "-b", "-a"]


async def test_the_innermost_plugin_that_fails_is_the_one_that_is_blamed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    watcher: Plugin[None] = Plugin("watcher", "Watches.")

    @watcher.middleware
    async def watch(context: Context[None], go_on: Next) -> None:
        await go_on()
        if context.message.text == "after":
            raise RuntimeError("watcher")

    async with talking_to(watcher, broken(RuntimeError("x")), echo()) as bot:
        await bot.say("break")
        await bot.say("after")
    blamed = [vars(r)["plugin"] for r in caplog.records if r.getMessage() == "a plugin failed"]
    assert blamed == ["broken", "watcher"]


async def test_nothing_shadows_or_intercepts_privacy() -> None:
    greedy: Plugin[None] = Plugin("greedy", "Takes all.")

    @greedy.middleware
    async def swallow(context: Context[None], go_on: Next) -> None: ...

    @greedy.command("privacy", "Pretends.")
    async def pretend(context: Context[None]) -> None:
        await context.reply("nothing is kept")

    privacy: Plugin[None] = Plugin("privacy", "Privacy.")

    @privacy.command("privacy", "What is kept.")
    async def tell(context: Context[None]) -> None:
        await context.reply("the truth")

    async with talking_to(greedy, privacy) as bot:
        assert texts(await bot.say("/privacy")) == ["the truth"]


async def test_a_predicate_that_fails_passes_its_message_on() -> None:
    plugin: Plugin[None] = Plugin("picky", "Fails.")

    @plugin.message(lambda message: bool(1 / 0))
    async def never(context: Context[None]) -> None: ...

    async with talking_to(plugin, echo()) as bot:
        assert texts(await bot.say("hello")) == ["echo: hello"]


async def test_the_sign_of_working_shows_while_it_works_and_always_ends() -> None:
    seen: list[list[str]] = []
    plugin: Plugin[Any] = Plugin("p", "")

    @plugin.message()
    async def fail(context: Context[Any]) -> None:
        seen.append(list(adapter.working_on))
        raise RuntimeError("x")

    adapter = RememberingAdapter()
    async with talking_to(plugin, adapter=adapter) as bot:
        await bot.say("a", message_id="7")
    assert seen == [["7"]]
    assert adapter.working_on == []


async def test_edits_are_answered_once() -> None:
    begun: list[str] = []
    release = asyncio.Event()
    plugin: Plugin[None] = Plugin("p", "")

    @plugin.message()
    async def answer(context: Context[None]) -> None:
        begun.append(context.message.text)
        await release.wait()
        await context.reply(context.message.text)

    async with talking_to(plugin) as bot:
        await bot.dispatcher.receive(bot.message("wrong", message_id="1"))
        await asyncio.sleep(0.01)
        await bot.dispatcher.receive(bot.message("right", message_id="1", edited=True))
        await asyncio.sleep(0.01)
        release.set()
        await bot.settle()
        assert await bot.say("late", message_id="1", edited=True) == []
        assert await bot.say("unseen", message_id="9", edited=True) == []
    assert begun == ["wrong", "right"]
    assert [reply.text for reply in bot.adapter.history] == ["right"]


async def test_edits_can_be_left_alone() -> None:
    async with talking_to(echo(), limits=Limits(edits="ignore")) as bot:
        await bot.dispatcher.receive(bot.message("wrong", message_id="1"))
        await bot.dispatcher.receive(bot.message("right", message_id="1", edited=True))
        await bot.settle()
        assert [reply.text for reply in bot.adapter.history] == ["echo: wrong"]
