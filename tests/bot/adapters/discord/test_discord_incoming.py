"""What people do on Discord, read by the SDK's own parsers: who is heard, and as what."""

import logging
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import simcord

from bot.adapters.discord.client import Client
from bot.adapters.discord.config import DiscordConfig
from bot.adapters.discord.interactions import Interactions
from bot.api import Command, Host, Message


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
