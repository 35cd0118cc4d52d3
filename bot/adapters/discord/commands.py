"""Native slash commands, made from the commands of plugins and kept up to date."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from itertools import islice
from logging import Logger
from pathlib import Path
from typing import Any, Final

import discord
from discord.http import Route

from bot.adapters.discord.errors import sdk_errors
from bot.api import Argument, CommandInfo, Forbidden

MOST: Final = 100
CHOICES: Final = 25
LONGEST_SUMMARY: Final = 100
CHAT_INPUT: Final = 1
STRING: Final = 3
EVERYWHERE: Final = (0, 1)
"""Contexts: servers, and direct messages with the bot."""

LOCALES: Final[Mapping[str, Sequence[str]]] = {
    "en": ("en-US", "en-GB"),
    "es": ("es-ES", "es-419"),
    "pt_BR": ("pt-BR",),
    "zh_Hans": ("zh-CN",),
}
"""Our languages to Discord's; one that is missing here is named as it is, with a hyphen."""

KNOWN: Final = frozenset(locale.value for locale in discord.Locale)
"""What Discord takes; it refuses a whole list of commands for one locale more."""

FILE: Final = "commands.json"

Json = dict[str, Any]


def payload(commands: Sequence[CommandInfo]) -> Sequence[Json]:
    """Return commands as the bulk request wants them."""
    return [_command(command) for command in islice(commands, MOST)]


class Registry:
    """Keeps Discord's list of commands as the plugins have it.

    What was last set, and where, stands in a file, so that an unchanged list costs no request and
    one that was set for a single server is taken back when it is set for all.
    """

    def __init__(self, folder: Path, log: Logger) -> None:
        self._file = folder / FILE
        self._log = log

    async def sync(
        self, client: discord.Client, commands: Sequence[CommandInfo], guild: str | None
    ) -> None:
        """Set the commands for one server, or for all with ``guild`` None."""
        wanted = payload(commands)
        mark = {"application": client.application_id, "guild": guild, "digest": _digest(wanted)}
        before = self._read()
        if before == mark:
            return
        left = before.get("guild") if before.get("application") == client.application_id else None
        if left != guild:
            await self._take_back(client, left)
        await self._put(client, guild, wanted)
        self._log.info("%d slash commands are set for %s", len(wanted), _scope(guild))
        self._write(mark)

    async def _take_back(self, client: discord.Client, guild: str | None) -> None:
        try:
            await self._put(client, guild, [])
        except Forbidden as error:  # the bot is no longer there, and neither are its commands
            self._log.warning("no slash commands to take back from %s: %s", _scope(guild), error)

    async def _put(self, client: discord.Client, guild: str | None, wanted: Sequence[Json]) -> None:
        path = "/applications/{application}/commands"
        if guild is not None:
            path = "/applications/{application}/guilds/{guild_id}/commands"
        route = Route("PUT", path, application=client.application_id, guild_id=guild)
        with sdk_errors():
            await client.http.request(route, json=wanted)

    def _read(self) -> Json:
        try:
            found: Json = dict(json.loads(self._file.read_text("utf-8")))
        except (OSError, ValueError, TypeError):
            return {}
        return found

    def _write(self, mark: Json) -> None:
        self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        new = self._file.with_suffix(".new")
        new.write_text(json.dumps(mark), "utf-8")
        new.replace(self._file)


def _command(command: CommandInfo) -> Json:
    made: Json = {
        "type": CHAT_INPUT,
        "name": command.name,
        "description": command.summary[:LONGEST_SUMMARY],
        "name_localizations": _localized(command.names),
        "description_localizations": _localized(command.summaries),
        "contexts": list(EVERYWHERE),
    }
    if command.arguments:
        required_first = sorted(command.arguments, key=lambda argument: not argument.required)
        made["options"] = [_option(argument, command) for argument in required_first]
    return made


def _option(argument: Argument, command: CommandInfo) -> Json:
    texts = {
        language: summaries[argument.name]
        for language, summaries in command.argument_summaries.items()
        if argument.name in summaries
    }
    made: Json = {
        "type": STRING,
        "name": argument.name,
        "description": argument.summary[:LONGEST_SUMMARY],
        "description_localizations": _localized(texts),
        "required": argument.required,
    }
    if argument.choices:
        named = [{"name": choice, "value": choice} for choice in argument.choices]
        made["choices"] = named[:CHOICES]
    return made


def _localized(texts: Mapping[str, str]) -> Json:
    return {
        locale: text[:LONGEST_SUMMARY]
        for language, text in texts.items()
        for locale in LOCALES.get(language, (language.replace("_", "-"),))
        if locale in KNOWN
    }


def _scope(guild: str | None) -> str:
    return "all servers" if guild is None else f"server {guild}"


def _digest(wanted: Sequence[Json]) -> str:
    return hashlib.sha256(json.dumps(wanted, sort_keys=True).encode()).hexdigest()
