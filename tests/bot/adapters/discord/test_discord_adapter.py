"""The adapter on a loopback Discord: events come in, whole bots answer, connections break."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from bot.api import (
    Account,
    Button,
    Chat,
    ChatKind,
    Context,
    Message,
    Plugin,
    Reply,
    Services,
    Unauthorized,
    Unavailable,
)
from bot.testing import talking_to

OnDiscord = Callable[..., Any]
BOT, PRIVATE, CHANNEL, THREAD = "900", "700", "600", "601"


def user(number: str, **more: Any) -> dict[str, Any]:
    name = "MyBot" if number == BOT else f"user{number}"
    return {"id": number, "username": name, "discriminator": "0", "avatar": None, **more}


MENTION: dict[str, Any] = {"where": CHANNEL, "mentions": [user(BOT)]}


def greeter(ready: list[str]) -> Plugin[None]:
    """Return a plugin that greets, and notes each time that it is set up."""

    @asynccontextmanager
    async def setup(services: Services[None]) -> AsyncIterator[None]:
        ready.append(services.name)
        yield

    plugin: Plugin[None] = Plugin("hi", "Greets.", setup=setup)

    @plugin.command("hi", "Greet.")
    async def hi(context: Context[None]) -> None:
        await context.reply(f"hi in {context.language}", buttons=[Button("again", "hi you")])
        await context.reply("and more")

    @plugin.message(lambda heard: heard.addressed)
    async def hello(context: Context[None]) -> None:
        await context.reply(f"hello {context.message.text}")

    return plugin


async def test_a_whole_bot_answers_a_mention_a_direct_message_a_slash_command_and_a_button(
    discord_server: Any, discord_adapter: OnDiscord, running: OnDiscord
) -> None:
    talk = discord_adapter()
    async with talking_to(greeter([])) as bot:
        bot.runtime.adapters["discord"] = talk.adapter
        async with running(talk.adapter, bot.dispatcher.receive):
            await discord_server.says("you", "10")
            await discord_server.until(lambda: discord_server.texts == ["hello you"])
            await discord_server.says("<@900> there", "11", **MENTION)
            await discord_server.until(lambda: discord_server.texts[1:] == ["hello there"])
            await discord_server.asks("hi")
            await discord_server.until(lambda: discord_server.texts[2:] == ["hi in es", "and more"])
            pressed = discord_server.interaction(
                {"custom_id": "hi you", "component_type": 2},
                "21",
                type=3,
                message=discord_server.message("hi", "1003", where=CHANNEL),
            )
            await discord_server.dispatch("INTERACTION_CREATE", **pressed)
            await discord_server.until(lambda: discord_server.texts[4:] == ["hi in es", "and more"])
            await bot.settle()
    assert discord_server.of("POST", "/interactions/.*/callback") == [{"type": 5}, {"type": 6}]
    [original] = discord_server.of("PATCH", "/webhooks/900/interaction-token/messages/@original")
    assert original["components"][0]["components"][0]["custom_id"] == "hi you"
    follow_ups = [c for c in discord_server.calls if c.path == "/webhooks/900/interaction-token"]
    assert [c.query for c in follow_ups] == [{"wait": "true"}] * 3
    first = discord_server.of("POST", "/channels/700/messages")[0]
    assert first["message_reference"] == {"message_id": "10", "fail_if_not_exists": False}


async def test_being_ready_again_starts_nothing_again(
    discord_server: Any, discord_adapter: OnDiscord, running: OnDiscord
) -> None:
    ready: list[str] = []
    plugin = greeter(ready)
    async with talking_to(plugin) as bot:
        talk = discord_adapter(*bot.runtime.commands)
        bot.runtime.adapters["discord"] = talk.adapter
        async with running(talk.adapter, bot.dispatcher.receive):
            for _ in range(3):
                await discord_server.dispatch("READY", **discord_server.ready())
            await discord_server.says("you")
            await discord_server.says("all", "11")
            await discord_server.until(lambda: len(discord_server.texts) > 1)
            await bot.settle()
    assert discord_server.texts == ["hello you", "hello all"]
    assert ready == ["hi"]
    assert len(discord_server.of("PUT", ".*/commands")) == 1


async def test_other_bots_and_webhooks_are_not_answered(
    discord_server: Any, discord_adapter: OnDiscord, running: OnDiscord
) -> None:
    talk = discord_adapter()
    async with talking_to(greeter([])) as bot:
        bot.runtime.adapters["discord"] = talk.adapter
        async with running(talk.adapter, bot.dispatcher.receive):
            await discord_server.says("<@900> a", "10", author=user("8", bot=True), **MENTION)
            await discord_server.says("<@900> b", "11", author=user("9"), webhook_id="9", **MENTION)
            await discord_server.says("<@900> c", "12", **MENTION)
            await discord_server.until(lambda: bool(discord_server.texts))
            await bot.settle()
    assert discord_server.texts == ["hello c"]


async def test_a_slash_command_is_acknowledged_however_busy_the_bot_is(
    discord_server: Any, discord_adapter: OnDiscord, running: OnDiscord
) -> None:
    """Neither a full lane nor another acknowledgement that is slow holds one up."""
    talk = discord_adapter()
    both = asyncio.Barrier(2)
    discord_server.acknowledged = both.wait

    async def never(_: Message) -> None:
        await asyncio.Event().wait()

    async with running(talk.adapter, never):
        await discord_server.asks("hi", "20")
        await discord_server.asks("hi", "21")
        await discord_server.until(lambda: len(discord_server.of("POST", ".*/callback")) == 2)
    assert discord_server.of("POST", ".*/callback") == [{"type": 5}] * 2


async def test_what_was_missed_comes_after_a_resume(
    discord_server: Any, on_discord: OnDiscord
) -> None:
    async with on_discord() as talk:
        await discord_server.says("before", "10")
        await talk.hears(1)
        discord_server.missed = [("MESSAGE_CREATE", discord_server.message("missed", "11"))]
        await discord_server.sockets[-1].close(code=4000)
        heard = await talk.hears(2)
    assert [m.text for m in heard] == ["before", "missed"]
    assert [said["op"] for said in discord_server.heard if said["op"] in {2, 6}] == [2, 6]


async def test_it_resumes_at_the_gateway_of_the_configuration(
    discord_server: Any, on_discord: OnDiscord
) -> None:
    discord_server.resume_at = "ws://127.0.0.1:9"
    async with on_discord(gateway_url=discord_server.gateway) as talk:
        await discord_server.says("before", "10")
        await talk.hears(1)
        discord_server.missed = [("MESSAGE_CREATE", discord_server.message("missed", "11"))]
        await discord_server.sockets[-1].close(code=4000)
        await talk.hears(2)
    assert discord_server.of("GET", "/gateway/bot") == []


async def test_a_wrong_token_ends_it_with_a_clear_line(
    discord_server: Any, discord_adapter: OnDiscord
) -> None:
    talk = discord_adapter(token="wrong-token")
    with pytest.raises(Unauthorized, match="developer portal") as error:
        await talk.adapter.run(talk.receive)
    assert "wrong-token" not in str(error.value)
    assert discord_server.heard == []


@pytest.mark.parametrize(("code", "named"), [(4004, "token"), (4014, "message_content")])
async def test_what_only_the_operator_can_mend_ends_it(
    discord_server: Any, discord_adapter: OnDiscord, code: int, named: str
) -> None:
    discord_server.refuse_with = code
    talk = discord_adapter()
    with pytest.raises(Unauthorized, match=named):
        await talk.adapter.run(talk.receive)


@pytest.mark.parametrize("option", ["base_url", "gateway_url"])
async def test_without_a_server_it_is_unavailable(discord_adapter: OnDiscord, option: str) -> None:
    nowhere = {"base_url": "http://127.0.0.1:9", "gateway_url": "ws://127.0.0.1:9"}
    talk = discord_adapter(**{option: nowhere[option]})
    with pytest.raises(Unavailable):
        await talk.adapter.run(talk.receive)


async def test_who_administers_a_server(discord_server: Any, on_discord: OnDiscord) -> None:
    channel = Chat("discord", CHANNEL, ChatKind.GROUP)
    async with on_discord() as talk:
        await discord_server.says("hello")
        await talk.hears(1)
        assert await talk.adapter.is_admin(channel, Account("discord", "8"))
        assert not await talk.adapter.is_admin(channel, Account("discord", "7"))
        assert await talk.adapter.is_admin(channel, Account("discord", "1"))
        thread = Chat("discord", THREAD, ChatKind.GROUP)
        assert await talk.adapter.is_admin(thread, Account("discord", "8"))
        assert await talk.adapter.is_admin(Chat("discord", PRIVATE), Account("discord", "7"))
        nowhere = Chat("discord", "12345", ChatKind.GROUP)
        assert not await talk.adapter.is_admin(nowhere, Account("discord", "1"))


async def test_typing_is_shown_while_the_bot_works(
    discord_server: Any, on_discord: OnDiscord
) -> None:
    async with on_discord() as talk:
        await discord_server.says("hello")
        [heard] = await talk.hears(1)
        async with talk.adapter.working(heard):
            await discord_server.until(lambda: bool(discord_server.of("POST", ".*/700/typing")))


async def test_an_interaction_that_nothing_answers_stops_thinking(
    discord_server: Any, on_discord: OnDiscord
) -> None:
    async with on_discord() as talk:
        await discord_server.asks("hi")
        [heard] = await talk.hears(1)
        async with talk.adapter.working(heard):
            pass
    path = "/webhooks/900/interaction-token/messages/@original"
    assert [c.method for c in discord_server.calls if c.path == path] == ["DELETE"]
    assert discord_server.of("POST", ".*/typing") == []


async def test_the_log_has_no_token_and_no_words(
    discord_server: Any, on_discord: OnDiscord, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "aiohttp.access")  # the server's own
    caplog.set_level(logging.DEBUG)
    reply = Reply("our secret reply", reply_to="20")
    discord_server.fail("POST", "/interactions/20/interaction-token/callback", 429)
    discord_server.fail("POST", "/channels/700/messages", 400, 50035)
    async with on_discord() as talk:
        await discord_server.says("my secret words")
        await discord_server.asks("hi", word="my secret argument")
        await talk.hears(2)
        await talk.adapter.send(Chat("discord", CHANNEL), reply)
        with pytest.raises(Exception, match="50035") as error:
            await talk.adapter.send(Chat("discord", PRIVATE), replace(reply, reply_to=None))
        logging.getLogger("test").warning("it failed", exc_info=error.value)
    assert "rate limited" in caplog.text
    for secret in ("secret", "token-of-", "interaction-token"):
        assert secret not in caplog.text
