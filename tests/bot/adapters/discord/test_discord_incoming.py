"""What people do on Discord, read by the SDK's own parsers: who is heard, and as what."""

import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import simcord

from bot.adapters.discord.client import Client
from bot.adapters.discord.config import DiscordConfig
from bot.adapters.discord.interactions import Interactions
from bot.api import ChatKind, Command, Host, Message

OnDiscord = Callable[..., Any]
BOT, CHANNEL, THREAD = "900", "600", "601"


def user(number: str) -> dict[str, Any]:
    name = "MyBot" if number == BOT else f"user{number}"
    return {"id": number, "username": name, "discriminator": "0", "avatar": None}


class World:
    """A server with people, a channel, and the bot."""

    def __init__(self, env: simcord.Env, client: Client, heard: list[Message]) -> None:
        self.env = env
        self.client = client
        self.heard = heard
        self.guild = env.create_guild("Us", preferred_locale="es-ES")
        self.channel = self.guild.create_text_channel("general")
        self.ana = self.guild.add_member(env.create_user("ana", global_name="Ana"))

    @property
    def mention(self) -> str:
        assert self.client.user is not None
        return self.client.user.mention

    async def last(self) -> Message:
        await self.env.settle()
        return self.heard[-1]


@asynccontextmanager
async def living(folder: Path, **options: Any) -> AsyncIterator[World]:
    heard: list[Message] = []
    counts: Counter[str] = Counter()

    async def receive(message: Message) -> None:
        heard.append(message)

    def count(name: str) -> None:
        counts[name] += 1

    async def moved(*_: Any) -> None:
        raise AssertionError

    log = logging.getLogger("platforms.discord")
    host = Host((), log, folder, count, moved, lambda _: None)
    config = DiscordConfig.model_validate({"token": "t", **options})
    client = Client(config, host, Interactions(), receive)
    async with simcord.run(client) as env:
        yield World(env, client, heard)


async def test_only_what_means_the_bot_is_addressed(tmp_path: Path) -> None:
    async with living(tmp_path) as world:
        await world.ana.send(world.channel, "hello all")
        assert not (await world.last()).addressed
        await world.ana.send(world.channel, "@everyone meeting now")
        assert not (await world.last()).addressed
        await world.ana.send(world.channel, f"@everyone {world.mention} hi")
        assert (await world.last()).addressed
        await world.ana.send(world.channel, f"{world.mention}, how long?")
        message = await world.last()
        assert message.addressed
        assert message.text == "how long?"
        bob = world.guild.add_member(world.env.create_user("bob"))
        await world.ana.send(world.channel, f"{bob.mention} hi")
        assert not (await world.last()).addressed


async def test_a_reply_to_the_bot_is_addressed_and_quotes_it(tmp_path: Path) -> None:
    async with living(tmp_path) as world:
        channel = world.client.get_channel(world.channel.id)
        own = await channel.send("3 to 5 days")  # type: ignore[union-attr]
        await world.ana.send(world.channel, "and abroad?", reply_to=own)
        message = await world.last()
        assert message.addressed
        assert message.reply_to is not None
        assert (message.reply_to.text, message.reply_to.own) == ("3 to 5 days", True)
        asked = await world.ana.send(world.channel, "who knows?")
        await world.ana.send(world.channel, "nobody", reply_to=asked)
        message = await world.last()
        assert not message.addressed
        assert message.reply_to is not None
        assert message.reply_to.sender is not None
        assert message.reply_to.sender.name == "Ana"


async def test_a_direct_message_is_private(tmp_path: Path) -> None:
    async with living(tmp_path) as world:
        await world.ana.send_dm("/help reset")
        message = await world.last()
        assert message.chat.private
        assert message.addressed
        assert message.command == Command("help", "reset")
        await world.ana.send(world.channel, "/help")
        assert (await world.last()).command is None


async def test_bots_and_webhooks_are_told_apart_from_people(tmp_path: Path) -> None:
    async with living(tmp_path) as world:
        robot = world.guild.add_member(world.env.create_user("robot", bot=True))
        await robot.send(world.channel, f"{world.mention} hi")
        assert (await world.last()).sender.is_bot
        hook = world.guild.create_webhook(world.channel)
        await hook.send(f"{world.mention} hi", username="Ana")
        assert (await world.last()).sender.is_bot


async def test_the_bots_own_words_are_not_heard(tmp_path: Path) -> None:
    async with living(tmp_path) as world:
        channel = world.client.get_channel(world.channel.id)
        await channel.send("hello")  # type: ignore[union-attr]
        await world.env.settle()
        assert world.heard == []


async def test_an_edit_says_that_it_is_one(tmp_path: Path) -> None:
    async with living(tmp_path) as world:
        sent = await world.ana.send(world.channel, "helo")
        first = await world.last()
        await world.ana.edit(sent, "hello")
        edited = await world.last()
        assert (first.edited, edited.edited) == (False, True)
        assert (first.id, edited.text) == (edited.id, "hello")
        assert first.update != edited.update


async def test_what_is_forwarded_is_marked_as_somebody_elses(tmp_path: Path) -> None:
    async with living(tmp_path) as world:
        bob = world.guild.add_member(world.env.create_user("bob"))
        said = await bob.send(world.channel, f"{world.mention} I am vegan")
        await world.ana.forward(said, world.channel)
        message = await world.last()
        assert message.forwarded is not None
        assert "I am vegan" in message.text
        assert not message.addressed
        assert message.command is None


async def test_files_are_known_without_being_fetched(tmp_path: Path) -> None:
    async with living(tmp_path) as world:
        await world.ana.send(world.channel, "see", attachments=[("a.txt", b"hello")])
        [file] = (await world.last()).attachments
        assert (file.name, file.size, file.content) == ("a.txt", 5, None)
        assert file.id


async def test_all_can_be_meant_for_it(tmp_path: Path) -> None:
    async with living(tmp_path, answer="all") as world:
        await world.ana.send(world.channel, "hello all")
        assert (await world.last()).addressed


async def test_messages_in_private_in_a_server_and_in_a_thread(
    discord_server: Any, on_discord: OnDiscord
) -> None:
    async with on_discord() as talk:
        await discord_server.says("hello", "10")
        await discord_server.says("hi all", "11", where=CHANNEL)
        await discord_server.says("in here", "12", where=THREAD)
        private, public, inner = await talk.hears(3)
    assert (private.chat.key, private.chat.private, private.addressed) == (
        "discord:700",
        True,
        True,
    )
    assert (private.sender.key, private.sender.name) == ("discord:7", "Ana")
    assert (public.chat.key, public.chat.kind) == ("discord:600", ChatKind.GROUP)
    assert not public.addressed
    assert public.chat.language == "es-ES"
    assert (inner.chat.key, inner.chat.title) == ("discord:601", "shipping")
    assert [m.update for m in talk.heard] == ["10", "11", "12"]


async def test_a_place_that_is_not_known_yet_is_not_private(
    discord_server: Any, on_discord: OnDiscord
) -> None:
    async with on_discord() as talk:
        elsewhere = discord_server.message("hello", where="12345") | {"guild_id": "54321"}
        await discord_server.dispatch("MESSAGE_CREATE", **elsewhere)
        [heard] = await talk.hears(1)
    assert heard.chat.kind is ChatKind.GROUP
    assert not heard.addressed


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ({"content": "hi <@900>", "mentions": [BOT]}, "hi <@900>"),
        ({"content": "<@&510>: hi", "mention_roles": ["510"]}, "hi"),
        ({"content": "<@&511> hi", "mention_roles": ["511"]}, None),
        ({"content": "@everyone hi", "mention_everyone": True}, None),
        ({"content": "@everyone hi", "mention_everyone": True, "mentions": [BOT]}, "@everyone hi"),
        ({"content": "`<@900>` hi"}, None),
        ({"content": "and you?", "type": 19, "referenced_message": BOT}, "and you?"),
        ({"content": "and you?", "type": 19, "referenced_message": "8"}, None),
        ({"content": "and you?", "type": 19, "referenced_message": None}, None),
    ],
)
async def test_who_means_the_bot_explicitly_is_heard(
    discord_server: Any, on_discord: OnDiscord, said: dict[str, Any], left: str | None
) -> None:
    """Discord lists who is mentioned outside of code; a reply counts with or without its ping."""
    more = dict(said)
    more["mentions"] = [user(number) for number in said.get("mentions", ())]
    if said.get("referenced_message"):
        by = user(said["referenced_message"])
        more["referenced_message"] = discord_server.message("3", "9", author=by, where=CHANNEL)
    if "referenced_message" in said:
        more["message_reference"] = {"message_id": "9", "channel_id": CHANNEL, "guild_id": "500"}
    async with on_discord() as talk:
        await discord_server.says(more.pop("content"), where=CHANNEL, **more)
        [heard] = await talk.hears(1)
    assert (heard.text if heard.addressed else None) == left


async def test_a_slash_command_in_private(discord_server: Any, on_discord: OnDiscord) -> None:
    async with on_discord() as talk:
        slash = discord_server.interaction({"id": "1", "name": "hi", "type": 1}, locale="pt-BR")
        await discord_server.dispatch("INTERACTION_CREATE", **discord_server.private(slash))
        [heard] = await talk.hears(1)
    assert heard.chat.private
    assert (heard.chat.key, heard.sender.key) == ("discord:700", "discord:7")
    assert heard.sender.language == "pt-BR"


async def test_an_edit_is_heard_and_a_link_that_was_looked_up_is_not(
    discord_server: Any, on_discord: OnDiscord
) -> None:
    async with on_discord() as talk:
        await discord_server.says("helo")
        looked_up = discord_server.message("helo", embeds=[{"type": "link"}])
        await discord_server.dispatch("MESSAGE_UPDATE", **looked_up)
        edited = discord_server.message("hello", edited_timestamp="2026-01-01T00:01:00+00:00")
        await discord_server.dispatch("MESSAGE_UPDATE", **edited)
        first, second = await talk.hears(2)
    assert (first.text, first.edited) == ("helo", False)
    assert (second.text, second.edited) == ("hello", True)
    assert first.id == second.id
    assert first.update != second.update
