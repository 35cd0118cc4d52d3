"""Which language to answer in, and everything that the bot says in it."""

import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from gettext import NullTranslations
from typing import Any, Final

from babel.core import Locale

from bot.api import CommandInfo, ConfigError, Handler, Plugin
from bot.catalogs import languages, locate, message_ids, translations
from bot.negotiation import closest, parse
from bot.wordings import faults

log = logging.getLogger(__name__)

ENGLISH: Final = "en"
"""The language of the message ids; it needs no catalog."""

COMMAND: Final = re.compile(r"[a-z0-9_]{1,32}")


class Speaker:
    """The messages of one language; a `Translator`.

    ``wordings`` come before the translations: by message id or, of a message with plurals, by the
    singular's id for the CLDR category ``one`` and by the plural's for all others.
    """

    def __init__(
        self, language: str, found: NullTranslations, wordings: Mapping[str, str] | None = None
    ) -> None:
        self._found = found
        self._wordings = wordings or {}
        self._category = Locale.parse(language).plural_form

    def gettext(self, message: str) -> str:
        """Return the translation, or the message itself."""
        if message in self._wordings:
            return self._wordings[message]
        return self._found.gettext(message) if message else ""

    def ngettext(self, singular: str, plural: str, count: int) -> str:
        """Return the form of the translation for ``count``."""
        if self._wordings:
            message = singular if self._category(count) == "one" else plural
            if message in self._wordings:
                return self._wordings[message]
        return self._found.ngettext(singular, plural, count)

    def command(self, name: str) -> str:
        """Return the name of a command."""
        return self._found.pgettext("command", name)


class Languages:
    """The languages that the bot speaks: its own and those that plugins' packages add.

    ``overrides`` are an operator's wordings by language and message id; `ConfigError` lists what is
    wrong with them. Catalogs are read when their language is first spoken.
    """

    def __init__(
        self,
        default: str = ENGLISH,
        overrides: Mapping[str, Mapping[str, str]] | None = None,
        packages: Iterable[str] = (),
    ) -> None:
        self._folders = locate(packages)
        self.available: Sequence[str] = sorted({ENGLISH, *languages(self._folders)})
        shortest_first = sorted(self.available, key=len)
        self._tags = {code: tag for code in shortest_first if (tag := parse(code)) is not None}
        self._fit = lru_cache(maxsize=1024)(self._find)
        self._wordings = self._checked(overrides or {})
        self._speakers: dict[str, Speaker] = {}
        self.default = self._fit(default) or ENGLISH
        if self._fit(default) is None:
            log.warning(
                "there is no catalog of language %s: the bot's own lines stay English", default
            )

    def negotiate(self, *wanted: str | None) -> str:
        """Return the first of the wanted languages that there is, else the default.

        ``es-419`` finds ``es`` and ``zh-CN`` finds ``zh_Hans``. Anything may be asked for; what is
        no language is passed over.
        """
        for code in wanted:
            if code and (found := self._fit(code)) is not None:
                return found
        return self.default

    def translator(self, language: str) -> Speaker:
        """Return the messages of a language, or of the nearest to it."""
        if language in self._speakers:
            return self._speakers[language]
        code = self.negotiate(language)
        if code not in self._speakers:
            found = translations(self._folders, code)
            self._speakers[code] = Speaker(code, found, self._wordings.get(code))
        return self._speakers[code]

    def command_infos(self, plugins: Iterable[Plugin[Any]]) -> Sequence[CommandInfo]:
        """Describe the commands of plugins in every language, for help and menus.

        Of two commands with one name the first counts. A localized name stands only where every
        platform takes it and it means no other command in any language.
        """
        commands: dict[str, tuple[Plugin[Any], Handler[Any]]] = {}
        for name, plugin, handler in _commands(plugins):
            commands.setdefault(name.lower(), (plugin, handler))
        taken = {name: name for name in commands}
        return [
            self._info(plugin, handler, self._names(name, taken))
            for name, (plugin, handler) in commands.items()
        ]

    def _names(self, name: str, taken: dict[str, str]) -> Mapping[str, str]:
        names = {}
        for language in self.available:
            localized = self.translator(language).command(name)
            fits = COMMAND.fullmatch(localized) and taken.setdefault(localized, name) == name
            names[language] = localized if fits else name
        return names

    def _info(
        self, plugin: Plugin[Any], handler: Handler[Any], names: Mapping[str, str]
    ) -> CommandInfo:
        say = {language: self.translator(language).gettext for language in self.available}
        return CommandInfo(
            handler.command or "",
            handler.summary,
            plugin.name,
            handler.arguments,
            names=names,
            summaries={language: gettext(handler.summary) for language, gettext in say.items()},
            argument_summaries={
                language: {word.name: gettext(word.summary) for word in handler.arguments}
                for language, gettext in say.items()
            },
        )

    def _find(self, code: str) -> str | None:
        wanted = parse(code)
        return None if wanted is None else closest(wanted, self._tags)

    def _checked(self, overrides: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
        known = message_ids(self._folders) if overrides else set()
        checked: dict[str, dict[str, str]] = {}
        found: list[str] = []
        for language, wordings in overrides.items():
            code = self._fit(language)
            if code is None:
                found.append(f"messages.{language}: there is only {', '.join(self.available)}")
            found += [f"messages.{language}: {fault}" for fault in faults(wordings, known)]
            checked.setdefault(code or "", {}).update(wordings)
        if found:
            raise ConfigError(*found)
        return checked


def _commands(plugins: Iterable[Plugin[Any]]) -> Iterator[tuple[str, Plugin[Any], Handler[Any]]]:
    for plugin in plugins:
        for handler in plugin.handlers:
            if handler.command is not None:
                yield handler.command, plugin, handler
