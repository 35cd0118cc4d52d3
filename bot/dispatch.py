"""The way of a message: its chat's lane, middleware, the first matching handler."""

import asyncio
import logging
import secrets
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Any, Literal

from bot.api import (
    Adapter,
    AdapterError,
    CommandInfo,
    Context,
    Erased,
    Following,
    Function,
    Message,
    Middleware,
    Person,
    Running,
    Store,
    Tools,
    UserError,
    gettext_noop,
    origin,
)
from bot.breaker import Breaker
from bot.delivery import Begun, Delivery
from bot.discretion import Discretion
from bot.i18n import Languages
from bot.identity import Identity
from bot.joining import join
from bot.lanes import Lane, Lanes
from bot.log import correlation
from bot.routes import ESSENTIAL, Route, Routes

log = logging.getLogger(__name__)

Step = Callable[[], Awaitable[None]]

UNKNOWN = gettext_noop("I don't know the command /{name}. /help lists what I can do.")
FAILED = gettext_noop("Sorry, something went wrong on my side. If it keeps happening, report {id}.")
LATE = gettext_noop("Sorry, that took too long and I gave up. If it keeps happening, report {id}.")
RESTING = gettext_noop("Sorry, this part of me is out of order. Please try again in a minute.")


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a handler may take, how many messages of a chat may wait, what an edit does."""

    timeout: timedelta = timedelta(seconds=60)
    queue: int = 100
    edits: Literal["redo", "ignore"] = "redo"


class Dispatcher:
    """Takes messages in and has each handled once, in the order of its chat.

    It is the error boundary: a handler that fails, hangs or keeps failing is answered for here, in
    one line with an id that stands in the log too, and stops nothing else.
    """

    def __init__(  # noqa: PLR0913 - what a message needs on its way
        self,
        plugins: Sequence[Running[Any]],
        *,
        adapters: Mapping[str, Adapter],
        store: Store,
        discretion: Discretion,
        identity: Identity,
        languages: Languages,
        tools: Tools,
        infos: Sequence[CommandInfo] = (),
        limits: Limits | None = None,
    ) -> None:
        self.counts: Counter[str] = Counter()
        self._limits = limits or Limits()
        self._adapters = adapters
        self._store = store
        self._discretion = discretion
        self._identity = identity
        self._languages = languages
        self._tools = tools
        self._routes = Routes(plugins, infos)
        self._lanes = Lanes(self._handle, self._limits.queue)
        self._breakers = {running.plugin.name: Breaker() for running in plugins}
        innermost_first = [(r, m) for r in plugins for m in r.plugin.middlewares][::-1]
        self._middleware = innermost_first
        self._begun: dict[str, Begun] = {}

    async def receive(self, message: Message) -> None:
        """Accept a message; waits while its chat has too many.

        From then on it is answered once, also when the process is killed and started again. Other
        bots are never answered, so that two of them cannot answer each other for ever.
        """
        message = self._routes.canonical(message)
        if message.sender.is_bot:
            self.counts["ignored: a bot"] += 1
        elif not message.edited:
            await self._accept(message)
        elif self._limits.edits == "ignore" or not self._lanes.replace(message):
            self.counts["ignored: an edit"] += 1

    async def drain(self, seconds: float | None = None) -> int:
        """Wait for what was accepted, or cancel it after a time; return how many chats were cut."""
        return await self._lanes.drain(seconds)

    async def resume(self) -> None:
        """Go on with what was accepted and not answered when the process ended."""
        for pending in await self._store.inbox.pending():
            message = pending.message
            if pending.answered:
                await self._store.inbox.finish(message)
            elif message.chat.platform in self._adapters:
                self._begun[_event(message)] = pending.sent
                await self._lanes.put(message)

    async def _accept(self, message: Message) -> None:
        if not _calls(message) and not self._middleware and self._routes.find(message) is None:
            return  # talk among others, of which nothing is to be kept
        if not await self._leaves_traces(message):
            message = replace(message, update=None)
        if message.update is not None and not await self._store.inbox.accept(message):
            self.counts["ignored: delivered twice"] += 1
            return
        await self._lanes.put(message)

    async def _leaves_traces(self, message: Message) -> bool:
        """Tell whether a message may be written down until it is answered."""
        if self._discretion.incognito(message.chat):
            return False
        person = await self._identity.resolve(message.sender)
        return person is None or not person.paused

    async def _handle(self, message: Message, lane: Lane) -> None:
        trace = secrets.token_hex(4)
        correlation.set(trace)
        origin.set(None if message.sender.anonymous else message.sender.key)
        try:
            await self._attend(message, trace, lane)
            for done in (message, *lane.taken):
                if done.update is not None:
                    await self._store.inbox.finish(done)
        except Exception:
            # What fails outside of a plugin: the store, the platform's sign of being at work.
            log.exception("a message could not be handled")

    async def _attend(self, message: Message, trace: str, lane: Lane) -> None:
        adapter: Adapter = self._adapters[message.chat.platform]
        if message.update is None:
            await self._try(message, adapter, trace, lane)
            return
        begun = self._begun.pop(_event(message), {})
        delivery = Delivery(adapter, self._store.inbox, message, begun)
        try:
            await self._try(message, delivery, trace, lane)
        except asyncio.CancelledError:
            await delivery.cut()
            self._begun[_event(message)] = delivery.begun  # an edit may be handled in its place
            raise

    async def _try(self, message: Message, adapter: Adapter, trace: str, lane: Lane) -> None:
        try:
            if adapter.features.bursts:
                message = await self._whole(message, lane)
            visit = await self._visit(message, adapter, trace, lane)
            async with adapter.working(message) if _calls(message) else nullcontext():
                await self._answer(visit)
        except Erased:
            log.debug("the person was erased meanwhile")
        except AdapterError as error:
            log.warning("%s: %s", type(error).__name__, error)

    async def _whole(self, message: Message, lane: Lane) -> Message:
        """Return a message with those that its handler wants joined to it."""
        route = self._routes.find(message)
        if route is None or route.handler.debounce is None:
            return message
        pause = route.handler.debounce(route.running.state).total_seconds()
        return await join(message, lane, lambda other: self._routes.find(other) is route, pause)

    async def _visit(self, message: Message, adapter: Adapter, trace: str, lane: Lane) -> "Visit":
        if self._discretion.incognito(message.chat):
            person = await self._identity.guess(message.sender)
        else:
            person = await self._identity.resolve(message.sender)
        keeps = self._discretion.enter(message.chat, person)
        language = self._languages.negotiate(
            None if person is None else person.language,
            message.sender.language,
            message.chat.language,
        )
        return Visit(message, person, adapter, language, trace, lane, keeps)

    async def _answer(self, visit: "Visit") -> None:
        route = self._routes.find(visit.message)
        if route is None and not self._middleware:
            await self._no_route(visit)
            return
        own = None if route is None else route.handler.timeout
        deadline = asyncio.timeout((own or self._limits.timeout).total_seconds())
        try:
            async with deadline:
                await self._onion(visit, route)()
        except UserError as error:
            await self._say(visit, error.message, **error.values)
        except (Erased, AdapterError):
            raise
        except Exception as error:
            log.exception("a plugin failed", extra={"plugin": visit.plugin})
            late = isinstance(error, TimeoutError) and deadline.expired()
            await self._failed(visit, LATE if late else FAILED)

    def _onion(self, visit: "Visit", route: Route | None) -> Step:
        step: Step = partial(self._no_route, visit)
        if route is not None:
            step = partial(self._run, visit, route.running, route.handler.function)
            if route.running.plugin.name == ESSENTIAL:
                return step
            if not self._breakers[route.running.plugin.name].allows():
                step = partial(self._say, visit, RESTING)
        for running, middleware in self._middleware:
            if self._breakers[running.plugin.name].allows():
                around = partial(_with_next, middleware, step)
                step = partial(self._run, visit, running, around)
        return step

    async def _run(self, visit: "Visit", running: Running[Any], function: Function[Any]) -> None:
        # After an error the name stays: it is the innermost plugin that failed.
        before, visit.plugin = visit.plugin, running.plugin.name
        await function(self._context(visit, running))
        self._breakers[running.plugin.name].succeeded()
        visit.plugin = before

    def _context(self, visit: "Visit", running: Running[Any] | None) -> Context[Any]:
        return Context(
            visit.message,
            visit.person,
            visit.adapter,
            self._languages.translator(visit.language),
            language=visit.language,
            id=visit.trace,
            plugin="" if running is None else running.plugin.name,
            state=None if running is None else running.state,
            store=self._store,
            tools=self._tools,
            keeps=visit.keeps,
            following=visit.following,
        )

    async def _no_route(self, visit: "Visit") -> None:
        command = visit.message.command
        if command is not None and visit.message.addressed:
            await self._say(visit, UNKNOWN, name=command.name)

    async def _failed(self, visit: "Visit", text: str) -> None:
        breaker = self._breakers.get(visit.plugin)
        if breaker is not None and breaker.failed():
            log.error("a plugin keeps failing and rests", extra={"plugin": visit.plugin})
        if _calls(visit.message):
            await self._say(visit, text, id=visit.trace)

    async def _say(self, visit: "Visit", text: str, **values: object) -> None:
        context = self._context(visit, None)
        await context.reply(context.gettext(text).format(**values))


@dataclass(slots=True)
class Visit:
    """One message on its way; ``plugin`` is the one that has it at the moment."""

    message: Message
    person: Person | None
    adapter: Adapter
    language: str
    trace: str
    following: Following
    keeps: bool = True
    plugin: str = ""


def _calls(message: Message) -> bool:
    """Tell whether a message is meant for the bot, so that silence would be rude."""
    return message.addressed or message.command is not None


def _event(message: Message) -> str:
    return f"{message.chat.platform}:{message.update}"


async def _with_next(middleware: Middleware[Any], step: Step, context: Context[Any]) -> None:
    await middleware(context, step)
