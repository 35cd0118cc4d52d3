"""What is being worked on, in SQLite."""

import sqlite3
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from bot.api import Message, Pending
from bot.store.envelopes import event, read_message, write_message
from bot.store.keys import shown
from bot.store.sqlite.readers import Readers
from bot.store.sqlite.writer import Writer
from bot.store.values import Clock, decode, encode, instant

REMEMBERED: Final = timedelta(days=3)
"""How long a finished message is known; Telegram delivers again for 24 hours."""

OF_PERSON: Final = (
    "message IS NOT NULL"
    " AND account IN (SELECT platform || ':' || id FROM accounts WHERE person = ?)"
)

Event = tuple[str, str]


class SqliteInbox:
    """Keeps what was accepted until it is finished, whatever happens to the process; an `Inbox`."""

    def __init__(self, readers: Readers, writer: Writer, clock: Clock) -> None:
        self._readers = readers
        self._writer = writer
        self._clock = clock

    async def accept(self, message: Message) -> bool:
        """Keep a message; False where it came before, finished or not."""
        row = (*event(message), shown(message.sender.key), write_message(message))
        return await self._writer.write(partial(_accept, row, self._clock))

    async def sent(self, message: Message, number: int, ids: Sequence[str], *, whole: bool) -> None:
        """Note what the platform shows of a message's answer; nothing once it is finished."""
        row = (number, encode(list(ids)), whole)
        await self._writer.write(partial(_note, event(message), row))

    async def finish(self, message: Message) -> None:
        """Forget a message but for its number, by which one that comes again is known."""
        await self._writer.write(partial(_finish, event(message)))

    async def pending(self) -> Sequence[Pending]:
        """Return what is not finished, in the order of its coming."""
        return await self._readers.read(_pending)


def find_inbox(person: str, connection: sqlite3.Connection) -> list[Message]:
    """Return a person's messages, in the order of their coming."""
    rows = connection.execute(
        f"SELECT unseal(message) FROM inbox WHERE {OF_PERSON} ORDER BY number",  # noqa: S608
        (person,),
    )
    return [read_message(text) for (text,) in rows]


def count_inbox(person: str, connection: sqlite3.Connection) -> int:
    """Return how many messages of a person there are."""
    query = f"SELECT count(*) FROM inbox WHERE {OF_PERSON}"  # noqa: S608
    (count,) = connection.execute(query, (person,)).fetchone()
    return int(count)


def erase_inbox(person: str, connection: sqlite3.Connection) -> None:
    """Forget a person's messages as if they were finished."""
    connection.execute(
        f"DELETE FROM outbox WHERE inbox IN (SELECT number FROM inbox WHERE {OF_PERSON})",  # noqa: S608
        (person,),
    )
    connection.execute(
        f"UPDATE inbox SET account = NULL, message = NULL WHERE {OF_PERSON}",  # noqa: S608
        (person,),
    )


def settle_inbox(connection: sqlite3.Connection) -> None:
    """Forget every message as if it were finished."""
    connection.execute("DELETE FROM outbox")
    connection.execute("UPDATE inbox SET account = NULL, message = NULL")


def purge_inbox(clock: Clock, connection: sqlite3.Connection) -> int:
    """Forget the numbers of what was finished long ago; return how many."""
    return connection.execute(
        "DELETE FROM inbox WHERE message IS NULL AND received < ?",
        (instant(clock() - REMEMBERED),),
    ).rowcount


def _accept(row: tuple[str, str, str, str], clock: Clock, connection: sqlite3.Connection) -> bool:
    made = connection.execute(
        "INSERT INTO inbox (platform, event, account, message, received)"
        " VALUES (?, ?, ?, seal(?), ?)"
        " ON CONFLICT DO NOTHING",
        (*row, instant(clock())),
    )
    return made.rowcount == 1


def _note(key: Event, row: tuple[int, str, bool], connection: sqlite3.Connection) -> None:
    connection.execute(
        "INSERT INTO outbox (inbox, number, ids, whole) SELECT number, ?, ?, ? FROM inbox"
        " WHERE platform = ? AND event = ? AND message IS NOT NULL"
        " ON CONFLICT DO UPDATE SET ids = excluded.ids, whole = excluded.whole",
        (*row, *key),
    )


def _finish(key: Event, connection: sqlite3.Connection) -> None:
    connection.execute(
        "DELETE FROM outbox WHERE inbox ="
        " (SELECT number FROM inbox WHERE platform = ? AND event = ?)",
        key,
    )
    connection.execute(
        "UPDATE inbox SET account = NULL, message = NULL WHERE platform = ? AND event = ?", key
    )


def _pending(connection: sqlite3.Connection) -> list[Pending]:
    rows = connection.execute(
        "SELECT inbox.number, unseal(message), outbox.number, ids, whole FROM inbox"
        " LEFT JOIN outbox ON inbox = inbox.number WHERE message IS NOT NULL"
        " ORDER BY inbox.number, outbox.number"
    )
    return [_of(list(group)) for _, group in groupby(rows, key=itemgetter(0))]


def _of(rows: Sequence[Any]) -> Pending:
    sent = {number: tuple(decode(ids)) for *_, number, ids, _ in rows if number is not None}
    return Pending(read_message(rows[0][1]), sent, any(row[-1] for row in rows))
