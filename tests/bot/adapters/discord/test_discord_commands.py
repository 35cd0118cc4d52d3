"""Slash commands: made from the plugins' commands, set where they changed, taken back."""

from collections.abc import Callable
from typing import Any

import discord

from bot.adapters.discord.commands import payload
from bot.api import Argument, Chat, Command, CommandInfo, Reply

OnDiscord = Callable[..., Any]
GUILD = "500"
OWN = f"/applications/900/guilds/{GUILD}/commands"
EVERYWHERE = "/applications/900/commands"
PING = CommandInfo(
    "ping",
    "Answers",
    "core",
    (Argument("word", "What to say"), Argument("how", "How", ("loud", "low"), required=True)),
    names={"es": "eco", "en": "ping"},
    summaries={"es": "Responde", "pt_BR": "Responde", "tlh": "jang"},
    argument_summaries={"es": {"word": "Qué decir"}},
)


def test_a_command_in_every_language_that_discord_knows() -> None:
    [command] = payload([PING])
    assert (command["name"], command["description"]) == ("ping", "Answers")
    assert command["name_localizations"]["es-419"] == "eco"
    assert command["description_localizations"] == {
        "es-ES": "Responde",
        "es-419": "Responde",
        "pt-BR": "Responde",
    }
    how, word = command["options"]
    assert (how["name"], how["required"]) == ("how", True), "Discord wants these first"
    assert how["choices"] == [{"name": n, "value": n} for n in ("loud", "low")]
    assert word["description_localizations"] == {"es-ES": "Qué decir", "es-419": "Qué decir"}


def test_what_is_too_long_or_too_much_is_cut() -> None:
    choices = [str(n) for n in range(40)]
    long = CommandInfo("c", "x" * 300, "p", (Argument("a", "y" * 300, choices),))
    commands = payload([long] * 150)
    assert len(commands) == 100
    assert len(commands[0]["description"]) == 100
    assert len(commands[0]["options"][0]["description"]) == 100
    assert len(commands[0]["options"][0]["choices"]) == 25


def test_the_shipped_languages_have_locales_of_discord() -> None:
    known = {locale.value for locale in discord.Locale}
    summaries = dict.fromkeys(("en", "es", "pt_BR", "zh_Hans"), "x")
    [command] = payload([CommandInfo("c", "x", "p", summaries=summaries)])
    assert set(command["description_localizations"]) <= known
    assert len(command["description_localizations"]) >= 6


async def test_they_are_set_where_they_changed_and_not_again(
    discord_server: Any, on_discord: OnDiscord
) -> None:
    for _ in range(2):
        async with on_discord(PING):
            pass
    assert [[c["name"] for c in sent] for sent in discord_server.of("PUT", ".*")] == [["ping"]]
    async with on_discord():
        pass
    assert discord_server.commands == {EVERYWHERE: []}


async def test_those_of_a_scope_that_is_left_are_taken_back(
    discord_server: Any, on_discord: OnDiscord
) -> None:
    async with on_discord(PING, dev_guild=GUILD):
        pass
    assert discord_server.commands[EVERYWHERE] == []
    assert len(discord_server.commands[OWN]) == 1
    async with on_discord(PING):
        pass
    assert discord_server.commands[OWN] == []
    assert len(discord_server.commands[EVERYWHERE]) == 1


async def test_a_server_that_the_bot_left_does_not_stand_in_the_way(
    discord_server: Any, on_discord: OnDiscord
) -> None:
    async with on_discord(PING, dev_guild=GUILD):
        pass
    discord_server.fail("PUT", OWN, 403, 50001)
    for _ in range(2):
        async with on_discord(PING):
            pass
    assert len(discord_server.commands[EVERYWHERE]) == 1
    assert len(discord_server.of("PUT", OWN)) == 2


async def test_what_is_refused_stops_nothing_and_is_tried_again(
    discord_server: Any, on_discord: OnDiscord
) -> None:
    discord_server.fail("PUT", EVERYWHERE, 400, 50035)
    async with on_discord(PING) as talk:
        await talk.adapter.send(Chat("discord", "700"), Reply("hello"))
    assert discord_server.texts == ["hello"]
    async with on_discord(PING):
        pass
    assert len(discord_server.of("PUT", EVERYWHERE)) == 2


async def test_arguments_come_in_the_order_in_which_they_are_declared(
    discord_server: Any, on_discord: OnDiscord
) -> None:
    async with on_discord(PING) as talk:
        await discord_server.asks("ping", "20", how="low", word="two words")
        await discord_server.asks("ping", "21", how="low")
        both, one = await talk.hears(2)
    assert both.command == Command("ping", "two words low")
    assert one.command == Command("ping", "low")
    assert both.text == "/ping two words low"
    assert both.sender.language == "es-ES"
    assert both.addressed
