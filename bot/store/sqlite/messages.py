"""The log of each chat, in SQLite."""

import sqlite3
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from bot.api import Entry, Role, origin
from bot.store.keys import counted, limited, named, optional, speaker
from bot.store.sqlite.moving import present_chat
from bot.store.sqlite.readers import Readers
from bot.store.sqlite.tombstones import check_epoch
from bot.store.sqlite.writer import Writer
from bot.store.values import Clock, decode, encode, instant, moment

KEY: Final = "a chat's key"
ROLES: Final = {role.value: role for role in Role}
Line = tuple[Entry, str, int | None]
"""An entry to write, its content as JSON text, and its time as an instant."""


class SqliteMessages:
    """Logs that stay; a `Messages`."""

    def __init__(self, readers: Readers, writer: Writer, clock: Clock) -> None:
        self._readers = readers
        self._writer = writer
        self._clock = clock

    async def append(
        self, chat: str, entries: Sequence[Entry], *, epoch: int | None = None
    ) -> Sequence[Entry]:
        """Write entries of one turn together or not at all; return them with sequence and time."""
        named(KEY, chat)
        if not entries:
            return []
        lines = [_line(entry) for entry in entries]
        guard = (speaker(entries, epoch), epoch)
        return await self._writer.write(partial(_append, chat, lines, guard, self._clock))

    async def latest(self, chat: str, limit: int, *, archived: bool = False) -> Sequence[Entry]:
        """Return the last ``limit`` entries, oldest first; ``archived`` adds the archived ones."""
        named(KEY, chat)
        weight = 0 if archived else 1
        return await self._readers.read(partial(_latest, chat, limited(limit), weight))

    async def archive(self, chat: str, before: int) -> int:
        """Mark the entries with a sequence below ``before`` as archived; return how many."""
        return await self._writer.write(partial(_archive, named(KEY, chat), before))

    async def clear(self, chat: str, *, person: str | None = None) -> int:
        """Delete a chat's log with its archive, or one person's part of it; return how many."""
        optional("a person's id", person)
        return await self._writer.write(partial(_clear, named(KEY, chat), person))


def find_messages(person: str, connection: sqlite3.Connection) -> list[tuple[str, Entry]]:
    """Return a person's entries with the keys of their chats, by chat and sequence."""
    rows = connection.execute(
        "SELECT sequence, role, person, unseal(content), tokens, time, archived, origin, chat"
        " FROM messages JOIN chats ON key = chat WHERE person = ? ORDER BY chat, sequence",
        (person,),
    )
    return [(chat, _entry(*row)) for *row, chat in rows]


def _line(entry: Entry) -> Line:
    counted(entry)
    return entry, encode(entry.content), None if entry.time is None else instant(entry.time)


def _append(
    chat: str,
    lines: Sequence[Line],
    guard: tuple[str | None, int | None],
    clock: Clock,
    connection: sqlite3.Connection,
) -> list[Entry]:
    check_epoch(*guard, connection)
    key = present_chat(chat, connection)
    first = _reserve(key, len(lines), connection)
    now = instant(clock())
    return [_write(key, first + n, line, now, connection) for n, line in enumerate(lines)]


def _reserve(chat: str, count: int, connection: sqlite3.Connection) -> int:
    """Return the first of ``count`` sequences that no entry of a chat ever had."""
    connection.execute(
        "INSERT INTO chats (key, last) VALUES (?, ?)"
        " ON CONFLICT (key) DO UPDATE SET last = last + excluded.last",
        (chat, count),
    )
    (last,) = connection.execute("SELECT last FROM chats WHERE key = ?", (chat,)).fetchone()
    return int(last) - count + 1


def _write(chat: str, sequence: int, line: Line, now: int, connection: sqlite3.Connection) -> Entry:
    entry, text, time = line
    time = now if time is None else time
    connection.execute(
        "INSERT INTO messages (chat, sequence, role, person, content, tokens, time, origin)"
        " VALUES (?, ?, ?, ?, seal(?), ?, ?, ?)",
        (chat, sequence, entry.role, entry.person, text, entry.tokens, time, origin.get()),
    )
    return _entry(sequence, entry.role, entry.person, text, entry.tokens, time, 0, origin.get())


def _latest(chat: str, limit: int, weight: int, connection: sqlite3.Connection) -> list[Entry]:
    """Return the last entries; a ``weight`` of 1 keeps the archived ones out, 0 lets them in."""
    rows = connection.execute(
        "SELECT sequence, role, person, unseal(content), tokens, time, archived, origin"
        " FROM chats JOIN messages ON chat = key"
        " WHERE key = ? AND sequence >= archived * ? ORDER BY sequence DESC LIMIT ?",
        (present_chat(chat, connection), weight, limit),
    ).fetchall()
    rows.reverse()
    contents = decode(f"[{','.join(row[3] for row in rows)}]")  # at once is several times faster
    return [
        _made((*row[:3], content, *row[4:])) for row, content in zip(rows, contents, strict=True)
    ]


def _entry(*row: Any) -> Entry:
    return _made((*row[:3], decode(row[3]), *row[4:]))


def _made(row: Sequence[Any]) -> Entry:
    sequence, role, person, content, tokens, time, archived, source = row
    gone = sequence < archived
    return Entry(ROLES[role], content, person, tokens, moment(time), sequence, gone, source)


def _archive(chat: str, before: int, connection: sqlite3.Connection) -> int:
    key = present_chat(chat, connection)
    row = connection.execute("SELECT last, archived FROM chats WHERE key = ?", (key,)).fetchone()
    last, archived = (0, 0) if row is None else row
    mark = min(before, last + 1)
    if mark <= archived:
        return 0
    connection.execute("UPDATE chats SET archived = ? WHERE key = ?", (mark, key))
    (count,) = connection.execute(
        "SELECT count(*) FROM messages WHERE chat = ? AND sequence >= ? AND sequence < ?",
        (key, archived, mark),
    ).fetchone()
    return int(count)


def _clear(chat: str, person: str | None, connection: sqlite3.Connection) -> int:
    key = present_chat(chat, connection)
    if person is None:
        return connection.execute("DELETE FROM messages WHERE chat = ?", (key,)).rowcount
    return connection.execute(
        "DELETE FROM messages WHERE chat = ? AND person = ?", (key, person)
    ).rowcount
