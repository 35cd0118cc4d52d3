"""All that is kept of a person, in the store and by plugins, in one hand."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, Final, TypeVar

from bot.api import (
    GLOBAL,
    Chat,
    DataStatement,
    Json,
    Receipt,
    Running,
    Store,
    StoreError,
    gettext_noop,
)
from bot.archive import archive
from bot.discretion import Discretion

log = logging.getLogger(__name__)

HOOK_SECONDS: Final = 20.0
SETTLING: Final = 600.0
OWED: Final = "erasures"
"""The namespace of those who were erased, until plugins have erased what they keep elsewhere."""

LATE: Final = gettext_noop("it did not answer in time")
FAILED: Final = gettext_noop("it met an error, which the operator finds in the log")

Answer = TypeVar("Answer")
Hook = Callable[[Any, str], Awaitable[Answer]]


class Coordinator:
    """Counts, exports and erases what the store and the running plugins keep; a `Privacy`.

    Plugins are asked about each of a person's accounts, since they know a person who was linked
    later by the id of before. An erasure that they owe is tried again until it is done.
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
        ids = await known_as(self._store, person)
        hooks = {
            running.plugin.name: _exported(data.export, running.state, ids)
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
        ids = await known_as(self._store, _named(person))
        await owe(self._discretion.lasting, ids)
        counts = dict(await self._store.erase(person))
        answers, failures = await self._erase_elsewhere(ids)
        return Receipt(counts | {f"plugins.{name}": n for name, n in answers.items()}, failures)

    async def settle(self) -> None:
        """Have plugins erase what they owe: a command erased someone, or a hook failed."""
        documents = self._discretion.lasting.documents
        for owed in await documents.scan(OWED, scope=GLOBAL):
            await self._erase_elsewhere([owed.key])

    async def keep_settling(self) -> None:
        """Settle at once, and then again and again."""
        while True:
            try:
                await self.settle()
            except StoreError as error:
                log.warning("the erasures that plugins owe could not be read: %s", error)
            await asyncio.sleep(SETTLING)

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

    async def _erase_elsewhere(
        self, ids: Sequence[str]
    ) -> tuple[Mapping[str, int], Mapping[str, str]]:
        hooks = {
            running.plugin.name: _erased(data.erase, running.state, ids)
            for running, data in self._statements()
            if data.erase is not None
        }
        answers, failures = await self._ask(hooks)
        if not failures:
            for known in ids:
                await self._discretion.lasting.documents.delete(GLOBAL, OWED, known)
        return answers, failures

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


async def known_as(store: Store, person: str) -> Sequence[str]:
    """Return the ids under which a person is or was known: their own, and their accounts'."""
    accounts = await store.people.accounts(person)
    return list(dict.fromkeys([person, *(account.key for account in accounts)]))


async def owe(store: Store, ids: Sequence[str]) -> None:
    """Note that plugins have to erase what they keep of somebody outside of the store."""
    for known in ids:
        await store.documents.put(GLOBAL, OWED, known, value=True)


async def _exported(hook: Hook[Json], state: object, ids: Sequence[str]) -> Json:
    answers = [await hook(state, known) for known in ids]
    first, *others = answers
    others = [answer for answer in others if answer]
    return [answer for answer in answers if answer] if others else first


async def _erased(hook: Hook[int], state: object, ids: Sequence[str]) -> int:
    return sum([await hook(state, known) for known in ids])


def _named(person: str) -> str:
    """Return a person's id; an empty one is refused, it never means everybody."""
    if not person:
        message = "whose data is meant? a person's id is needed"
        raise ValueError(message)
    return person
