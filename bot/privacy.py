"""All that is kept of a person, in the store and by plugins, in one hand."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, Final, TypeVar

from bot.api import Chat, DataStatement, Json, Receipt, Running, gettext_noop
from bot.archive import archive
from bot.discretion import Discretion

log = logging.getLogger(__name__)

HOOK_SECONDS: Final = 20.0
LATE: Final = gettext_noop("it did not answer in time")
FAILED: Final = gettext_noop("it met an error, which the operator finds in the log")

Answer = TypeVar("Answer")
Hook = Callable[[Any, str], Awaitable[Answer]]


class Coordinator:
    """Counts, exports and erases what the store and the running plugins keep; a `Privacy`.

    ``running`` is read when it is needed, so that it may still grow. ``seconds`` is how long one
    plugin's hook may take.
    """

    def __init__(
        self,
        discretion: Discretion,
        running: Sequence[Running[Any]],
        seconds: float = HOOK_SECONDS,
    ) -> None:
        self._discretion = discretion
        self._store = discretion.store
        self._running = running
        self._seconds = seconds

    async def kept(self, person: str) -> Mapping[str, int]:
        """Return how many rows the store holds by kind."""
        return await self._store.kept(_named(person))

    async def export(self, person: str) -> Mapping[str, Json]:
        """Return what the store holds by kind, and under ``plugins`` what plugins do by name.

        Where a plugin's hook failed, ``failures`` has the reason by its name.
        """
        held = await self._store.export(_named(person))
        hooks = {
            running.plugin.name: _call(data.export, running.state, person)
            for running, data in self._statements()
            if data.export is not None
        }
        answers, failures = await self._ask(hooks)
        missing: Mapping[str, Json] = {"failures": failures} if failures else {}
        return {**held, "plugins": answers, **missing}

    async def archive(self, person: str) -> tuple[bytes, bool]:
        """Return the export as a zip archive, and whether something is missing in it."""
        held = await self.export(person)
        return archive(held), "failures" in held

    async def erase(self, person: str) -> Receipt:
        """Delete what the store holds, then what plugins do; one that fails stops no other.

        The store comes first: from then on, work that began earlier can write nothing.
        """
        counts = dict(await self._store.erase(_named(person)))
        hooks = {
            running.plugin.name: _call(data.erase, running.state, person)
            for running, data in self._statements()
            if data.erase is not None
        }
        answers, failures = await self._ask(hooks)
        return Receipt(counts | {f"plugins.{name}": n for name, n in answers.items()}, failures)

    async def pause(self, person: str, *, paused: bool) -> None:
        """Keep nothing more of a person, or begin to again."""
        await self._discretion.pause(_named(person), paused=paused)

    def incognito(self, chat: Chat) -> bool:
        """Tell whether nothing of a chat is kept."""
        return self._discretion.incognito(chat)

    async def set_incognito(self, chat: Chat, *, on: bool) -> None:
        """Keep nothing of a chat from here on, or begin to again."""
        await self._discretion.set_incognito(chat, on=on)

    def statements(self) -> Mapping[str, str]:
        """Return the data statements (message ids) of the running plugins by plugin."""
        return {running.plugin.name: data.text for running, data in self._statements()}

    def recipients(self) -> Sequence[str]:
        """Return to whom the running plugins hand on what people write."""
        return [
            name
            for running, data in self._statements()
            if data.recipients is not None
            for name in data.recipients(running.state)
        ]

    def _statements(self) -> Sequence[tuple[Running[Any], DataStatement[Any]]]:
        return [(r, r.plugin.data) for r in self._running if r.plugin.data is not None]

    async def _ask(
        self, hooks: Mapping[str, Coroutine[Any, Any, Answer]]
    ) -> tuple[dict[str, Answer], dict[str, str]]:
        """Return the answers of hooks and the reasons of those that failed, by plugin."""
        timed = [asyncio.wait_for(hook, self._seconds) for hook in hooks.values()]
        outcomes = await asyncio.gather(*timed, return_exceptions=True)
        answers: dict[str, Answer] = {}
        failures: dict[str, str] = {}
        for name, outcome in zip(hooks, outcomes, strict=True):
            if isinstance(outcome, BaseException):
                log.error("a privacy hook failed", exc_info=outcome, extra={"plugin": name})
                failures[name] = LATE if isinstance(outcome, TimeoutError) else FAILED
            else:
                answers[name] = outcome
        return answers, failures


async def _call(hook: Hook[Answer], state: object, person: str) -> Answer:
    return await hook(state, person)


def _named(person: str) -> str:
    """Return a person's id; an empty one is refused, it never means everybody."""
    if not person:
        message = "whose data is meant? a person's id is needed"
        raise ValueError(message)
    return person
