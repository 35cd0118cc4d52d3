"""Where everything about people and chats is kept, whatever keeps it."""

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final, Protocol

from bot.api.messages import Account, Message

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
"""A value as JSON knows it."""

origin: ContextVar[str | None] = ContextVar("origin", default=None)
"""The key of the account whose message is worked on; rows that are written meanwhile keep it."""

GLOBAL: Final = "global"
"""The scope of what belongs to no person and no chat."""


def person_scope(person: str) -> str:
    """Return the scope of a person's documents; an empty id is refused, never 'everybody'."""
    if not person:
        message = "a person's scope needs the person's id"
        raise ValueError(message)
    return f"person:{person}"


def chat_scope(chat: str) -> str:
    """Return the scope of a chat's documents; ``chat`` is `Chat.key`."""
    if not chat:
        message = "a chat's scope needs the chat's key"
        raise ValueError(message)
    return f"chat:{chat}"


@dataclass(frozen=True, slots=True)
class Person:
    """The canonical sender.

    ``id`` is the key of the person's first account. ``epoch`` goes up by one with each erasure and
    each linking. ``language`` is the person's own choice, None where they made none. ``paused``
    says that nothing more is to be kept of them.
    """

    id: str
    epoch: int = 0
    language: str | None = None
    paused: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """One stored value with what the store knows of it; all times are aware UTC.

    ``origin`` is the key of the account that it came from, None for that of the person's id.
    """

    scope: str
    namespace: str
    key: str
    value: Json
    revision: int
    created: datetime
    updated: datetime
    tag: str | None = None
    expires: datetime | None = None
    origin: str | None = None


class Role(StrEnum):
    """Who speaks in a conversation, as model providers name it."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class Entry:
    """One turn of a chat's log.

    ``person`` is who said it or, for the assistant, who was answered; None for nobody. ``tokens``
    is 0 while unknown. ``sequence`` is given by the store, from 1, ascending in its chat, and so is
    ``origin``, as that of a document.
    """

    role: Role
    content: Json
    person: str | None = None
    tokens: int = 0
    time: datetime | None = None
    sequence: int = 0
    archived: bool = False
    origin: str | None = None


class People(Protocol):
    """Who is who."""

    async def resolve(self, account: Account) -> Person:
        """Return the person of an account; its first message makes one."""
        ...

    async def get(self, person: str) -> Person | None:
        """Return a person by canonical id."""
        ...

    async def accounts(self, person: str) -> Sequence[Account]:
        """Return a person's accounts, oldest first."""
        ...

    async def find(self, account: Account) -> Person | None:
        """Return the person of an account without making one."""
        ...

    async def all(self) -> Sequence[Person]:
        """Return everybody, by id."""
        ...

    async def pause(self, person: str, *, paused: bool) -> None:
        """Note that nothing more is to be kept of a person, or that it may be again.

        A pause gives them a new epoch, so that work under way writes nothing.
        """
        ...

    async def link(self, keep: str, join: str) -> Mapping[str, int]:
        """Make two people one: ``keep`` gets all that is ``join``'s; return what moved, by kind.

        Where both have a document of one namespace and key, or a language, that of ``keep`` stays.
        Both get a new epoch. ValueError unless there are both.
        """
        ...

    async def unlink(self, account: Account) -> str | None:
        """Take an account out of a person, with the rows that came from it.

        Both get a new epoch. Return the id of whom the other accounts are, None where there is no
        other one.
        """
        ...

    async def set_language(self, person: str, language: str | None) -> None:
        """Keep the person's own choice of language, or forget it.

        `Erased` where there is no such person (any more): nothing is kept.
        """
        ...


class Documents(Protocol):
    """JSON values by scope, namespace and key.

    ``epoch`` on a write to a person's scope is the epoch in which the work began: when the person
    was erased since, nothing is written and `Erased` is raised.
    """

    async def get(self, scope: str, namespace: str, key: str) -> Document | None:
        """Return a document that has not expired (it has when now is at or past ``expires``)."""
        ...

    async def put(  # noqa: PLR0913 - one row has as many columns
        self,
        scope: str,
        namespace: str,
        key: str,
        value: Json,
        *,
        tag: str | None = None,
        expires: datetime | None = None,
        epoch: int | None = None,
    ) -> Document:
        """Write a document, over the one that is there."""
        ...

    async def update(  # noqa: PLR0913 - one row has as many columns
        self,
        scope: str,
        namespace: str,
        key: str,
        change: Callable[[Json], Json],
        *,
        tag: str | None = None,
        expires: datetime | None = None,
        epoch: int | None = None,
    ) -> Document | None:
        """Write what ``change`` makes of the present value (None where there is none), atomically.

        ``change`` is called once, in a thread of the store's own, must not wait, and deletes by
        returning None; what it raises is raised here and nothing is written. ``tag`` and
        ``expires`` stay as they are unless they are given.
        """
        ...

    async def delete(
        self, scope: str, namespace: str, key: str, *, epoch: int | None = None
    ) -> bool:
        """Delete a document; tell whether it was there."""
        ...

    async def scan(
        self, namespace: str, *, scope: str | None = None, tag: str | None = None
    ) -> Sequence[Document]:
        """Return the live documents of a namespace, oldest first, of one scope or of all."""
        ...


class Messages(Protocol):
    """The log of each chat."""

    async def append(
        self, chat: str, entries: Sequence[Entry], *, epoch: int | None = None
    ) -> Sequence[Entry]:
        """Write entries of one turn together or not at all; return them with sequence and time.

        ``epoch`` is that of the entries' person when the turn began; `Erased` as for documents.
        """
        ...

    async def latest(self, chat: str, limit: int, *, archived: bool = False) -> Sequence[Entry]:
        """Return the last ``limit`` entries, oldest first; ``archived`` adds the archived ones."""
        ...

    async def archive(self, chat: str, before: int) -> int:
        """Mark the entries with a sequence below ``before`` as archived; return how many."""
        ...

    async def clear(self, chat: str, *, person: str | None = None) -> int:
        """Delete a chat's log with its archive, or one person's part of it; return how many."""
        ...


@dataclass(frozen=True, slots=True)
class Pending:
    """A message that was accepted and not finished when the process ended.

    ``sent`` has the ids of what the platform shows of each answer that was begun, by its number
    from 0. ``answered`` is set where one of them was sent whole.
    """

    message: Message
    sent: Mapping[int, Sequence[str]] = field(default_factory=dict)
    answered: bool = False


class Inbox(Protocol):
    """The messages that were acknowledged to a platform, until they are finished.

    It knows a message by its platform and ``update``, which must not be None.
    """

    async def accept(self, message: Message) -> bool:
        """Keep a message; False where it came before, finished or not."""
        ...

    async def sent(self, message: Message, number: int, ids: Sequence[str], *, whole: bool) -> None:
        """Note what the platform shows of a message's answer; nothing once it is finished."""
        ...

    async def finish(self, message: Message) -> None:
        """Forget a message but for its number, by which one that comes again is known."""
        ...

    async def pending(self) -> Sequence[Pending]:
        """Return what is not finished, in the order of its coming."""
        ...


class Store(Protocol):
    """Everything that is kept, in one place, so that export and erasure are complete."""

    @property
    def people(self) -> People:
        """Who is who."""
        ...

    @property
    def documents(self) -> Documents:
        """Values by scope, namespace and key."""
        ...

    @property
    def messages(self) -> Messages:
        """The logs of the chats."""
        ...

    @property
    def inbox(self) -> Inbox:
        """What is being worked on."""
        ...

    async def kept(self, person: str) -> Mapping[str, int]:
        """Return how many rows are held of a person: accounts, documents, messages, inbox."""
        ...

    async def export(self, person: str) -> Mapping[str, Json]:
        """Return every row that is held of a person, by the kinds of `kept`."""
        ...

    async def erase(self, person: str) -> Mapping[str, int]:
        """Delete all that is held of a person for good, raise the epoch; return counts by kind."""
        ...

    async def purge_older(
        self, messages: datetime | None, documents: Mapping[str, datetime]
    ) -> int:
        """Delete messages written before a time, and documents by namespace; return how many."""
        ...

    async def move_chat(self, old: str, new: str) -> None:
        """Give all that a chat's key holds to another key, at once; doing it again does nothing."""
        ...

    async def close(self) -> None:
        """Finish what is under way and let go of files."""
        ...
