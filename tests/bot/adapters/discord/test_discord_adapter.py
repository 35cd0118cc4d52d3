"""The adapter on a loopback Discord: gateway events in, requests out, and what may go wrong."""

import asyncio
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.api import (
    Account,
    AdapterError,
    Argument,
    Attachment,
    Button,
    Chat,
    ChatKind,
    Command,
    CommandInfo,
    Context,
    Forbidden,
    Plugin,
    Reply,
    Sent,
    Unauthorized,
    Unavailable,
)
from bot.testing import talking_to

_spec = importlib.util.spec_from_file_location(
    "on_loopback", Path(__file__).with_name("conftest.py")
)
assert _spec is not None
assert _spec.loader is not None
loopback = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(loopback)
message, interaction = loopback.message, loopback.interaction

OnDiscord = Callable[..., Any]
PRIVATE = Chat("discord", loopback.DIRECT)
CHANNEL = Chat("discord", loopback.CHANNEL, ChatKind.GROUP)
PING = CommandInfo(
    "ping",
    "Answers",
    "core",
    (Argument("word", "What to say"), Argument("how", "How", ("loud", "low"), required=True)),
    names={"es": "ping"},
    summaries={"es": "Responde", "pt_BR": "Responde"},
    argument_summaries={"es": {"word": "Qué decir"}},
)
MENTIONS = {"parse": [], "replied_user": False}


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not true():
            await asyncio.sleep(0.005)


async def test_messages_in_private_in_a_server_and_in_a_thread(
    discord_server: Any, on_discord: OnDiscord
) -> None:
    async with on_discord() as talk:
        await discord_server.dispatch("MESSAGE_CREATE", **message("hello", "10"))
        server = message("hi all", "11", where=loopback.CHANNEL)
        await discord_server.dispatch("MESSAGE_CREATE", **server)
        thread = message("in here", "12", where=loopback.THREAD)
        await discord_server.dispatch("MESSAGE_CREATE", **thread)
        private, public, inner = await talk.hears(3)
    assert (private.chat.key, private.chat.private, private.addressed) == (
        "discord:700",
        True,
        True,
    )
    assert (private.sender.key, private.sender.name) == ("discord:7", "Ana")
    assert (public.chat.key, public.chat.kind, public.addressed) == (
        "discord:600",
        ChatKind.GROUP,
        False,
    )
    assert public.chat.language == "es-ES"
    assert (inner.chat.key, inner.chat.title) == ("discord:601", "shipping")
    assert [m.update for m in talk.heard] == ["10", "11", "12"]


async def test_a_whole_bot_answers_a_mention_a_direct_message_and_a_slash_command(
    discord_server: Any, discord_adapter: OnDiscord
) -> None:
    plugin: Plugin[None] = Plugin("hi", "Greets.")

    @plugin.message(lambda heard: heard.addressed)
    async def hello(context: Context[None]) -> None:
        await context.reply(f"hello {context.message.text}")

    @plugin.command("hi", "Greet.")
    async def hi(context: Context[None]) -> None:
        await context.reply(f"hi in {context.language}", buttons=[Button("again", "hi you")])
        await context.reply("and more")

    talk = discord_adapter()
    async with talking_to(plugin) as bot:
        bot.runtime.adapters["discord"] = talk.adapter
        running = asyncio.create_task(talk.adapter.run(bot.dispatcher.receive))
        await discord_server.connected()
        await discord_server.dispatch("MESSAGE_CREATE", **message("you", "10"))
        await until(lambda: discord_server.texts == ["hello you"])
        mention = message("<@900> there", "11", where=loopback.CHANNEL, mentions=[loopback.USER])
        await discord_server.dispatch("MESSAGE_CREATE", **mention)
        await until(lambda: discord_server.texts[1:] == ["hello there"])
        slash = interaction({"id": "1", "name": "hi", "type": 1})
        await discord_server.dispatch("INTERACTION_CREATE", **slash)
        await until(lambda: discord_server.texts[2:] == ["hi in es", "and more"])
        pressed = interaction({"custom_id": "hi you", "component_type": 2}, "21", type=3)
        pressed["message"] = message("hi", "1003", author=loopback.USER, where=loopback.CHANNEL)
        await discord_server.dispatch("INTERACTION_CREATE", **pressed)
        await until(lambda: discord_server.texts[4:] == ["hi in es", "and more"])
        await bot.settle()
        running.cancel()
        await asyncio.wait([running])
    deferred = discord_server.of("POST", "/interactions/.*/callback")
    assert deferred == [{"type": 5}, {"type": 6}]
    [original] = discord_server.of("PATCH", "/webhooks/900/interaction-token/messages/@original")
    assert original["components"][0]["components"][0]["custom_id"] == "hi you"
    follow_ups = [c for c in discord_server.calls if c.path == "/webhooks/900/interaction-token"]
    assert [c.query for c in follow_ups] == [{"wait": "true"}] * 3
    first = discord_server.of("POST", "/channels/700/messages")[0]
    assert first["message_reference"] == {"message_id": "10", "fail_if_not_exists": False}


async def test_nobody_is_ever_pinged_and_no_link_previewed(
    discord_server: Any, on_discord: OnDiscord
) -> None:
    text = "@everyone <@&123> <@456> https://example.com/?q=secret"
    async with on_discord() as talk:
        sent = await talk.adapter.send(CHANNEL, Reply(text))
        await talk.adapter.edit(sent, Reply(f"{text}!"))
        slash = interaction({"id": "1", "name": "hi", "type": 1})
        await discord_server.dispatch("INTERACTION_CREATE", **slash)
        await talk.hears(1)
        await talk.adapter.send(CHANNEL, Reply(text, reply_to="20"))
        await talk.adapter.send(CHANNEL, Reply(text, reply_to="20"))
    bodies = [c.body for c in discord_server.calls if c.body and "content" in c.body]
    assert len(bodies) == 4
    for body in bodies:
        assert body["allowed_mentions"] == MENTIONS
        assert body["flags"] & 4


async def test_an_interaction_that_nothing_answers_stops_thinking(
    discord_server: Any, on_discord: OnDiscord
) -> None:
    async with on_discord() as talk:
        slash = interaction({"id": "1", "name": "hi", "type": 1})
        await discord_server.dispatch("INTERACTION_CREATE", **slash)
        [heard] = await talk.hears(1)
        async with talk.adapter.working(heard):
            pass
    path = "/webhooks/900/interaction-token/messages/@original"
    assert [c.method for c in discord_server.calls if c.path == path] == ["DELETE"]
    assert discord_server.of("POST", ".*/typing") == []


async def test_an_interaction_that_is_over_is_answered_in_its_channel(
    discord_server: Any, on_discord: OnDiscord
) -> None:
    path = "/webhooks/900/interaction-token/messages/@original"
    discord_server.fail("PATCH", path, 401, 50027)
    async with on_discord() as talk:
        slash = interaction({"id": "1", "name": "hi", "type": 1})
        await discord_server.dispatch("INTERACTION_CREATE", **slash)
        await talk.hears(1)
        await talk.adapter.send(CHANNEL, Reply("late", reply_to="20"))
    assert [b["content"] for b in discord_server.of("POST", "/channels/600/messages")] == ["late"]


async def test_arguments_and_locale_of_a_slash_command(
    discord_server: Any, on_discord: OnDiscord
) -> None:
    options = [{"name": "word", "type": 3, "value": "two words"}, {"name": "how", "value": "low"}]
    async with on_discord() as talk:
        slash = interaction({"id": "1", "name": "ping", "type": 1, "options": options})
        await discord_server.dispatch("INTERACTION_CREATE", **slash)
        [heard] = await talk.hears(1)
    assert heard.command == Command("ping", "two words low")
    assert heard.sender.language == "es-ES"
    assert heard.addressed


async def test_a_limit_is_waited_for(discord_server: Any, on_discord: OnDiscord) -> None:
    discord_server.fail("POST", "/channels/700/messages", 429)
    async with on_discord() as talk:
        await talk.adapter.send(PRIVATE, Reply("whole"))
    assert discord_server.texts == ["whole"]
    bodies = discord_server.of("POST", "/channels/700/messages")
    assert len({body["nonce"] for body in bodies}) == 1
    assert all(body["enforce_nonce"] for body in bodies)


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [(403, 50007, Forbidden), (404, 10003, AdapterError), (400, 50035, AdapterError)],
)
async def test_a_refusal_is_an_error_of_ours(
    discord_server: Any, on_discord: OnDiscord, status: int, code: int, kind: type[AdapterError]
) -> None:
    discord_server.fail("POST", "/channels/700/messages", status, code)
    async with on_discord() as talk:
        with pytest.raises(AdapterError) as error:
            await talk.adapter.send(PRIVATE, Reply("my words"))
    assert type(error.value) is kind
    assert error.value.__cause__ is not None
    assert "my words" not in str(error.value)


async def test_a_long_reply_grows_and_shrinks(discord_server: Any, on_discord: OnDiscord) -> None:
    long = "\n\n".join(f"{n} {'x' * 900}" for n in range(5))
    async with on_discord() as talk:
        sent = await talk.adapter.send(PRIVATE, Reply("0 x", partial=True))
        sent = await talk.adapter.edit(sent, Reply(long))
        assert len(sent.ids) == 3
        assert "".join("".join(discord_server.texts).split()) == "".join(long.split())
        edits = len(discord_server.of("PATCH", ".*"))
        sent = await talk.adapter.edit(sent, Reply(f"{long}!"))
        assert len(discord_server.of("PATCH", ".*")) == edits + 1, "what stays is left alone"
        sent = await talk.adapter.edit(sent, Reply("short"))
    assert discord_server.texts == ["short"]


async def test_a_message_that_somebody_deleted_is_sent_anew(
    discord_server: Any, on_discord: OnDiscord
) -> None:
    discord_server.fail("PATCH", "/channels/700/messages/5", 404, 10008)
    async with on_discord() as talk:
        sent = await talk.adapter.edit(Sent(PRIVATE, ("5",), Reply("old")), Reply("new"))
    assert discord_server.texts == ["new"]
    assert sent.ids == ("1001",)


async def test_a_file_is_uploaded(discord_server: Any, on_discord: OnDiscord) -> None:
    file = Attachment("export.json", "application/json", b"{}")
    async with on_discord() as talk:
        await talk.adapter.send(PRIVATE, Reply("yours", attachments=(file,)))
    [body] = discord_server.of("POST", "/channels/700/messages")
    assert body["files"] == {"files[0]": "export.json"}
    assert body["content"] == "yours"


async def test_slash_commands_are_set_where_they_changed_and_not_again(
    discord_server: Any, on_discord: OnDiscord
) -> None:
    for _ in range(2):
        async with on_discord(PING):
            pass
        discord_server.heard.clear()
    [wanted] = discord_server.of("PUT", "/applications/900/commands")
    [command] = wanted
    assert (command["name"], command["description"]) == ("ping", "Answers")
    assert command["description_localizations"] == {
        "es-ES": "Responde",
        "es-419": "Responde",
        "pt-BR": "Responde",
    }
    assert [option["name"] for option in command["options"]] == ["how", "word"]
    assert command["options"][0]["choices"][0] == {"name": "loud", "value": "loud"}
    async with on_discord():
        pass
    assert discord_server.commands["/applications/900/commands"] == []


async def test_commands_of_a_scope_that_is_left_are_taken_back(
    discord_server: Any, on_discord: OnDiscord
) -> None:
    async with on_discord(PING, dev_guild=loopback.GUILD):
        pass
    own, everywhere = "/applications/900/guilds/500/commands", "/applications/900/commands"
    assert discord_server.commands[everywhere] == []
    assert len(discord_server.commands[own]) == 1
    discord_server.heard.clear()
    async with on_discord(PING):
        pass
    assert discord_server.commands[own] == []
    assert len(discord_server.commands[everywhere]) == 1


async def test_commands_that_are_refused_stop_nothing_and_are_tried_again(
    discord_server: Any, on_discord: OnDiscord
) -> None:
    discord_server.fail("PUT", "/applications/900/commands", 400, 50035)
    async with on_discord(PING) as talk:
        await talk.adapter.send(PRIVATE, Reply("hello"))
    discord_server.heard.clear()
    async with on_discord(PING):
        pass
    assert len(discord_server.of("PUT", "/applications/900/commands")) == 2


async def test_what_was_missed_comes_after_a_resume(
    discord_server: Any, on_discord: OnDiscord
) -> None:
    async with on_discord() as talk:
        await discord_server.dispatch("MESSAGE_CREATE", **message("before", "10"))
        await talk.hears(1)
        discord_server.missed = [("MESSAGE_CREATE", message("missed", "11"))]
        await discord_server.sockets[-1].close(code=4000)
        heard = await talk.hears(2)
    assert [m.text for m in heard] == ["before", "missed"]
    assert [said["op"] for said in discord_server.heard if said["op"] in {2, 6}] == [2, 6]


async def test_being_ready_again_starts_nothing_again(
    discord_server: Any, on_discord: OnDiscord
) -> None:
    async with on_discord(PING) as talk:
        for _ in range(3):
            await discord_server.dispatch("READY", **discord_server._ready())
        await discord_server.dispatch("GUILD_CREATE", **loopback.SERVER)
        await discord_server.dispatch("MESSAGE_CREATE", **message("hello", "10"))
        heard = await talk.hears(1)
    assert len(heard) == 1
    assert len(discord_server.of("PUT", ".*")) == 1


async def test_a_wrong_token_ends_it_with_a_clear_line(
    discord_server: Any, discord_adapter: OnDiscord
) -> None:
    talk = discord_adapter(token="wrong-token")
    with pytest.raises(Unauthorized, match="developer portal") as error:
        await talk.adapter.run(talk.receive)
    assert "wrong-token" not in str(error.value)


async def test_an_intent_that_is_not_allowed_is_named(
    discord_server: Any, discord_adapter: OnDiscord
) -> None:
    discord_server.refuse_with = 4014
    talk = discord_adapter()
    with pytest.raises(Unauthorized, match="message_content"):
        await talk.adapter.run(talk.receive)


async def test_without_a_server_it_is_unavailable(discord_adapter: OnDiscord) -> None:
    talk = discord_adapter(base_url="http://127.0.0.1:9")
    with pytest.raises(Unavailable):
        await talk.adapter.run(talk.receive)


async def test_who_administers_a_server(discord_server: Any, on_discord: OnDiscord) -> None:
    async with on_discord() as talk:
        await discord_server.dispatch("MESSAGE_CREATE", **message("hello", "10"))
        await talk.hears(1)
        assert await talk.adapter.is_admin(CHANNEL, Account("discord", "8"))
        assert not await talk.adapter.is_admin(CHANNEL, Account("discord", "7"))
        assert await talk.adapter.is_admin(CHANNEL, Account("discord", "1"))
        assert await talk.adapter.is_admin(PRIVATE, Account("discord", "7"))
        nowhere = Chat("discord", "12345", ChatKind.GROUP)
        assert not await talk.adapter.is_admin(nowhere, Account("discord", "1"))


async def test_typing_is_shown_while_the_bot_works(
    discord_server: Any, on_discord: OnDiscord
) -> None:
    async with on_discord() as talk:
        await discord_server.dispatch("MESSAGE_CREATE", **message("hello", "10"))
        [heard] = await talk.hears(1)
        async with talk.adapter.working(heard):
            await until(lambda: bool(discord_server.of("POST", "/channels/700/typing")))
