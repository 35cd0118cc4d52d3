"""Which handler a message is for."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from bot.api import CommandInfo, Handler, Message, Running

log = logging.getLogger(__name__)

ESSENTIAL: Final = "privacy"
"""The plugin whose commands nothing shadows or intercepts: platforms require an answer."""


class Route(NamedTuple):
    """A handler and the running plugin that it belongs to."""

    running: Running[Any]
    handler: Handler[Any]


class Routes:
    """Finds handlers: commands by name at once, others by their predicates in the given order.

    Where two plugins have a command of one name, the first has it. A command is found under its own
    name and under its names in other languages, as ``infos`` gives them.
    """

    def __init__(self, plugins: Sequence[Running[Any]], infos: Sequence[CommandInfo] = ()) -> None:
        ordered = sorted(plugins, key=lambda running: running.plugin.name != ESSENTIAL)
        self._commands: dict[str, Route] = {}
        self._names: dict[str, str] = {}
        for route in _routes(ordered):
            if route.handler.command is not None:
                self._add(route.handler.command, route)
        for info in infos:
            self._add_localized(info.names, self._commands.get(info.name))
        self._others = [r for r in _routes(plugins) if r.handler.predicate is not None]

    def find(self, message: Message) -> Route | None:
        """Return the first handler for a message; commands reach none but their own."""
        if message.command is not None:
            return self._commands.get(message.command.name.lower())
        return next((route for route in self._others if _fits(route, message)), None)

    def canonical(self, message: Message) -> Message:
        """Return a message that calls its command by the name it has in English."""
        command = message.command
        name = None if command is None else self._names.get(command.name.lower())
        if command is None or name is None:
            return message
        return replace(message, command=replace(command, name=name))

    def _add(self, name: str, route: Route) -> None:
        held = self._commands.setdefault(name.lower(), route)
        if held is not route:
            owner, loser = held.running.plugin.name, route.running.plugin.name
            log.warning("/%s of plugin %s is hidden by that of %s", name, loser, owner)

    def _add_localized(self, names: Mapping[str, str], route: Route | None) -> None:
        if route is None or route.handler.command is None:
            return
        own = route.handler.command
        for name in map(str.lower, names.values()):
            if self._commands.setdefault(name, route) is route and name != own.lower():
                self._names[name] = own


def _routes(plugins: Sequence[Running[Any]]) -> Iterator[Route]:
    for running in plugins:
        for handler in running.plugin.handlers:
            yield Route(running, handler)


def _fits(route: Route, message: Message) -> bool:
    predicate = route.handler.predicate
    try:
        return predicate is not None and predicate(message)
    except Exception:
        log.exception("a predicate failed", extra={"plugin": route.running.plugin.name})
        return False
