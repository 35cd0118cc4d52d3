"""Plugins: handlers with a name, a configuration and a life."""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Generic, TypeVar

from bot.api.commands import Argument
from bot.api.context import Context
from bot.api.messages import Message
from bot.api.services import Services
from bot.api.store import Json
from bot.api.tools import Tool

State = TypeVar("State")

Function = Callable[[Context[State]], Awaitable[None]]
Next = Callable[[], Awaitable[None]]
Middleware = Callable[[Context[State], Next], Awaitable[None]]
Predicate = Callable[[Message], bool]
ToolFunction = TypeVar("ToolFunction", bound=Callable[..., Awaitable[object]])
Probe = Callable[[], Awaitable[str]]
"""Finds out whether something answers; returns a note, or raises an error of ours."""

Setup = Callable[[Services[Any]], AbstractAsyncContextManager[State]]


@dataclass(frozen=True)
class Handler(Generic[State]):
    """A function and the messages it is for: a command's, or those that fit a predicate.

    ``timeout`` is the handler's deadline; None means the configured one. ``debounce`` says for the
    plugin's state how long to wait for a further message of the same person, to join the two.
    """

    function: Function[State]
    predicate: Predicate | None = None
    command: str | None = None
    summary: str = ""
    arguments: Sequence[Argument] = ()
    timeout: timedelta | None = None
    debounce: Callable[[State], timedelta] | None = None


@dataclass(frozen=True)
class DataStatement(Generic[State]):
    """What a plugin keeps about people and why, in one sentence (a message id).

    A plugin that keeps some of it outside the store sets ``elsewhere`` and offers both hooks, which
    get the plugin's state and a person's id; without them it does not load. They are called for the
    person's id and for the key of each further account, by which a person was known before it was
    linked. ``erase`` returns how many rows went. ``recipients`` names those whom a plugin hands on
    what people write.
    """

    text: str
    elsewhere: bool = False
    recipients: Callable[[State], Sequence[str]] | None = None
    export: Callable[[State, str], Awaitable[Json]] | None = None
    erase: Callable[[State, str], Awaitable[int]] | None = None


@asynccontextmanager
async def no_setup(services: Services[Any]) -> AsyncIterator[Any]:  # noqa: ARG001 - a Setup
    """Set up a plugin that has no state."""
    yield None


class Plugin(Generic[State]):
    """A named set of handlers.

    ``summary`` is a message id. ``config`` is the pydantic model of the plugin's block in the YAML;
    None takes an empty block only. ``setup`` is an async context manager that yields the state
    which every handler finds in its context. ``needs`` names, for a configuration, the plugins
    whose offers the set-up asks for; they are set up first. ``probes`` returns, for a
    configuration, what ``tertulia check --online`` asks, by name. ``package`` is where the
    plugin's own ``locales`` folder lies, where it has one.
    """

    def __init__(  # noqa: PLR0913 - one argument for each part of a plugin
        self,
        name: str,
        summary: str,
        *,
        setup: Setup[State] = no_setup,
        config: type[Any] | None = None,
        needs: Callable[[Any], Sequence[str]] | None = None,
        data: DataStatement[State] | None = None,
        probes: Callable[[Any], Mapping[str, Probe]] | None = None,
        package: str | None = None,
    ) -> None:
        self.name = name
        self.summary = summary
        self.setup = setup
        self.config = config
        self.needs = needs
        self.data = data
        self.probes = probes
        self.package = package
        self.handlers: list[Handler[State]] = []
        self.middlewares: list[Middleware[State]] = []
        self.tools: list[Tool[State]] = []

    def command(
        self, name: str, summary: str, *arguments: Argument, timeout: timedelta | None = None
    ) -> Callable[[Function[State]], Function[State]]:
        """Register a handler of ``/name``; ``summary`` is a message id for menus and help."""

        def register(function: Function[State]) -> Function[State]:
            self.handlers.append(
                Handler(
                    function,
                    command=name,
                    summary=summary,
                    arguments=arguments,
                    timeout=timeout,
                )
            )
            return function

        return register

    def message(
        self,
        predicate: Predicate | None = None,
        *,
        timeout: timedelta | None = None,
        debounce: Callable[[State], timedelta] | None = None,
    ) -> Callable[[Function[State]], Function[State]]:
        """Register a handler of the messages that fit ``predicate``, or of all addressed ones.

        Commands never reach it. With ``debounce`` it gets what a person sends quickly one after the
        other as one message, with those as its ``parts``.
        """

        def register(function: Function[State]) -> Function[State]:
            fits = predicate if predicate is not None else _addressed
            self.handlers.append(
                Handler(function, predicate=fits, timeout=timeout, debounce=debounce)
            )
            return function

        return register

    def tool(
        self,
        *,
        private: bool = False,
        admins: bool = False,
        chats: Collection[str] = (),
        confirm: bool = False,
        timeout: timedelta | None = None,
    ) -> Callable[[ToolFunction], ToolFunction]:
        """Register a function that a model may call in a conversation, as `Tool` says."""

        def register(function: ToolFunction) -> ToolFunction:
            name = function.__name__
            self.tools.append(Tool(function, name, private, admins, chats, confirm, timeout))
            return function

        return register

    def middleware(self, function: Middleware[State]) -> Middleware[State]:
        """Register a function around every handler; it calls ``next()`` or answers by itself."""
        self.middlewares.append(function)
        return function


@dataclass(frozen=True)
class Running(Generic[State]):
    """A plugin that is set up, with its state."""

    plugin: Plugin[State]
    state: State


def _addressed(message: Message) -> bool:
    return message.addressed
