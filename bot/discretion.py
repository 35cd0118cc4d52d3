"""Keeping nothing: of a person who has paused it, and in a chat that is incognito."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from datetime import datetime
from typing import Any, Final, cast

from bot.api import (
    Chat,
    Documents,
    Inbox,
    Json,
    Messages,
    People,
    Person,
    Store,
    chat_scope,
)

REMEMBERED: Final = 1_000
"""How many conversations go on in memory at a time; the one that rests longest is forgotten."""

NAMESPACE: Final = "privacy"
KEY: Final = "incognito"
SPACE: Final = "chat:"

_present: ContextVar[Store | None] = ContextVar("present", default=None)
"""What stands in for the store while nothing is to be kept."""


class Discretion:
    """Decides whether a message leaves traces, and gives those that must not a store in memory.

    ``store`` is what plugins get: whatever they keep while such a message is handled, and in the
    background work that it starts, goes to memory and is forgotten with the process. What was kept
    before is out of their sight meanwhile. ``lasting`` is the store itself.
    """

    def __init__(self, store: Store, passing: Callable[[], Store]) -> None:
        self.store: Store = DiscreetStore(store, self)
        self.lasting = store
        self._new = passing
        self._incognito: set[str] = set()
        self._passing: OrderedDict[tuple[str, str | None], Store] = OrderedDict()

    async def begin(self) -> None:
        """Learn which chats are incognito; they stay it until somebody ends it."""
        for document in await self.lasting.documents.scan(NAMESPACE, tag=KEY):
            self._incognito.add(document.scope.removeprefix(SPACE))

    def incognito(self, chat: Chat) -> bool:
        """Tell whether a chat is incognito."""
        return chat.key in self._incognito

    async def set_incognito(self, chat: Chat, *, on: bool) -> None:
        """Make a chat incognito, or end it and forget what was said meanwhile."""
        place = (chat_scope(chat.key), NAMESPACE, KEY)
        if on:
            self._incognito.add(chat.key)
            await self.lasting.documents.put(*place, value=True, tag=KEY)
        else:
            await self.lasting.documents.delete(*place)
            self._incognito.discard(chat.key)
            self._passing.pop((chat.key, None), None)

    async def pause(self, person: str, *, paused: bool) -> None:
        """Keep nothing more of a person, or begin again and forget what was said meanwhile."""
        await self.lasting.people.pause(person, paused=paused)
        if not paused:
            self.forget(person)

    def forget(self, person: str) -> None:
        """Forget what a person said while nothing was to be kept."""
        for key in [key for key in self._passing if key[1] == person]:
            del self._passing[key]

    def enter(self, chat: Chat, person: Person | None) -> bool:
        """Choose the store of the message that is handled from here on; tell whether it keeps."""
        paused = person is not None and person.paused
        if not paused and not self.incognito(chat):
            _present.set(None)
            return True
        key = (chat.key, None if person is None or self.incognito(chat) else person.id)
        store = self._passing.pop(key, None) or self._new()
        self._passing[key] = store
        if len(self._passing) > REMEMBERED:
            self._passing.popitem(last=False)
        _present.set(store)
        return False


class DiscreetStore:
    """A store whose documents and messages are those that the present message may use."""

    def __init__(self, real: Store, discretion: Discretion) -> None:
        self._real = real
        self._discretion = discretion
        self.documents = cast("Documents", _Present(lambda store: store.documents, real))
        self.messages = cast("Messages", _Present(lambda store: store.messages, real))

    @property
    def people(self) -> People:
        """Who is who."""
        return self._real.people

    @property
    def inbox(self) -> Inbox:
        """What is being worked on."""
        return self._real.inbox

    async def kept(self, person: str) -> Mapping[str, int]:
        """Return how many rows are held of a person, by kind."""
        return await self._real.kept(person)

    async def export(self, person: str) -> Mapping[str, Json]:
        """Return every row that is held of a person, by kind."""
        return await self._real.export(person)

    async def erase(self, person: str) -> Mapping[str, int]:
        """Delete all that is held of a person for good; return counts by kind."""
        self._discretion.forget(person)
        return await self._real.erase(person)

    async def purge_older(
        self, messages: datetime | None, documents: Mapping[str, datetime]
    ) -> int:
        """Delete what is older than its retention; return how many rows."""
        return await self._real.purge_older(messages, documents)

    async def move_chat(self, old: str, new: str) -> None:
        """Give all that a chat's key holds to another key."""
        await self._real.move_chat(old, new)

    async def close(self) -> None:
        """Close the store."""
        await self._real.close()


class _Present:
    """Stands for a part of whichever store is the present one when it is used."""

    def __init__(self, part: Callable[[Store], Any], real: Store) -> None:
        self._part = part
        self._real = real

    def __getattr__(self, name: str) -> Any:
        return getattr(self._part(_present.get() or self._real), name)
