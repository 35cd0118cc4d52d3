"""JSON values by scope, namespace and key, in SQLite."""

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final

from bot.api import Document, Json, origin
from bot.store.keys import guarded, named, optional, scoped
from bot.store.sqlite.moving import present_scope
from bot.store.sqlite.readers import Readers
from bot.store.sqlite.tombstones import check_epoch
from bot.store.sqlite.writer import Writer
from bot.store.values import Clock, decode, encode, ending, expiry, instant, moment

COLUMNS: Final = (
    "scope, namespace, key, unseal(value), revision, created, updated, tag, expires, origin"
)
LIVE: Final = "(expires IS NULL OR expires > ?)"

Address = tuple[str, str, str]
"""Scope, namespace and key."""

Label = tuple[str | None, int | None]
"""Tag and instant of expiry."""

Version = tuple[str, Label, int]
"""A value as JSON text, its label, and the instant of its writing."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a write goes, and the person and epoch that it depends on."""

    address: Address
    person: str | None
    epoch: int | None


class SqliteDocuments:
    """Values that stay; a `Documents`.

    What ``update`` is given as ``change`` runs in the writer's thread.
    """

    def __init__(self, readers: Readers, writer: Writer, clock: Clock) -> None:
        self._readers = readers
        self._writer = writer
        self._clock = clock

    async def get(self, scope: str, namespace: str, key: str) -> Document | None:
        """Return a document that has not expired."""
        address = _address(scope, namespace, key)
        return await self._readers.read(partial(_get, address, instant(self._clock())))

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
        place = Place(_address(scope, namespace, key), guarded(scope, epoch), epoch)
        label = (optional("a tag", tag), expiry(expires))
        return await self._writer.write(partial(_put, place, encode(value), label, self._clock))

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
        """Write what ``change`` makes of the value, which keeps tag and expiry unless given."""
        place = Place(_address(scope, namespace, key), guarded(scope, epoch), epoch)
        label = (optional("a tag", tag), expiry(expires))
        return await self._writer.write(partial(_update, place, change, label, self._clock))

    async def delete(
        self, scope: str, namespace: str, key: str, *, epoch: int | None = None
    ) -> bool:
        """Delete a document; tell whether it was there."""
        place = Place(_address(scope, namespace, key), guarded(scope, epoch), epoch)
        return await self._writer.write(partial(_delete, place, self._clock))

    async def scan(
        self, namespace: str, *, scope: str | None = None, tag: str | None = None
    ) -> Sequence[Document]:
        """Return the live documents of a namespace, oldest first, of one scope or of all."""
        named("a namespace", namespace)
        optional("a tag", tag)
        if scope is not None:
            scoped(scope)
        now = instant(self._clock())
        return await self._readers.read(partial(_scan, namespace, scope, tag, now))


def any_expired(now: int, connection: sqlite3.Connection) -> bool:
    """Tell whether there is anything to purge."""
    row = connection.execute("SELECT 1 FROM documents WHERE expires <= ? LIMIT 1", (now,))
    return row.fetchone() is not None


def purge(clock: Clock, connection: sqlite3.Connection) -> int:
    """Delete every document that has expired; return how many."""
    now = instant(clock())
    return connection.execute("DELETE FROM documents WHERE expires <= ?", (now,)).rowcount


def find_documents(person_scope: str, now: int, connection: sqlite3.Connection) -> list[Document]:
    """Return the live documents of a scope, oldest first."""
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM documents WHERE scope = ? AND {LIVE} ORDER BY number",  # noqa: S608
        (person_scope, now),
    )
    return [_document(*row) for row in rows]


def _address(scope: str, namespace: str, key: str) -> Address:
    return scoped(scope), named("a namespace", namespace), named("a key", key)


def _present(address: Address, connection: sqlite3.Connection) -> Address:
    return present_scope(address[0], connection), *address[1:]


def _document(*row: Any) -> Document:
    scope, namespace, key, value, revision, created, updated, tag, expires, source = row
    return Document(
        scope,
        namespace,
        key,
        decode(value),
        revision,
        moment(created),
        moment(updated),
        tag,
        ending(expires),
        source,
    )


def _get(address: Address, now: int, connection: sqlite3.Connection) -> Document | None:
    return _read(_present(address, connection), now, connection)


def _read(address: Address, now: int, connection: sqlite3.Connection) -> Document | None:
    row = connection.execute(
        f"SELECT {COLUMNS} FROM documents"  # noqa: S608
        f" WHERE scope = ? AND namespace = ? AND key = ? AND {LIVE}",
        (*address, now),
    ).fetchone()
    return None if row is None else _document(*row)


def _put(
    place: Place, text: str, label: Label, clock: Clock, connection: sqlite3.Connection
) -> Document:
    check_epoch(place.person, place.epoch, connection)
    address, now = _present(place.address, connection), instant(clock())
    return _write(address, (text, label, now), _read(address, now, connection), connection)


def _update(
    place: Place,
    change: Callable[[Json], Json],
    label: Label,
    clock: Clock,
    connection: sqlite3.Connection,
) -> Document | None:
    check_epoch(place.person, place.epoch, connection)
    address, now = _present(place.address, connection), instant(clock())
    present = _read(address, now, connection)
    value = change(None if present is None else present.value)
    if value is None:
        _remove(address, connection)
        return None
    if present is not None:
        tag, expires = label
        label = (
            present.tag if tag is None else tag,
            expiry(present.expires) if expires is None else expires,
        )
    return _write(address, (encode(value), label, now), present, connection)


def _write(
    address: Address, version: Version, present: Document | None, connection: sqlite3.Connection
) -> Document:
    """Write a document over the present one; an expired one gives way to a new one."""
    text, (tag, expires), now = version
    revision = 1 if present is None else present.revision + 1
    source = origin.get() if present is None else present.origin
    if present is None:
        connection.execute(
            "INSERT OR REPLACE INTO documents"
            " (value, tag, expires, updated, revision, created, origin, scope, namespace, key)"
            " VALUES (seal(?), ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (text, tag, expires, now, revision, now, source, *address),
        )
    else:
        connection.execute(
            "UPDATE documents SET value = seal(?), tag = ?, expires = ?, updated = ?, revision = ?"
            " WHERE scope = ? AND namespace = ? AND key = ?",
            (text, tag, expires, now, revision, *address),
        )
    created = moment(now) if present is None else present.created
    value = decode(text)
    return Document(*address, value, revision, created, moment(now), tag, ending(expires), source)


def _delete(place: Place, clock: Clock, connection: sqlite3.Connection) -> bool:
    check_epoch(place.person, place.epoch, connection)
    address = _present(place.address, connection)
    present = _read(address, instant(clock()), connection)
    _remove(address, connection)
    return present is not None


def _remove(address: Address, connection: sqlite3.Connection) -> None:
    connection.execute(
        "DELETE FROM documents WHERE scope = ? AND namespace = ? AND key = ?", address
    )


def _scan(
    namespace: str, scope: str | None, tag: str | None, now: int, connection: sqlite3.Connection
) -> list[Document]:
    conditions = ["namespace = ?", LIVE]
    values: list[Any] = [namespace, now]
    if scope is not None:
        conditions.append("scope = ?")
        values.append(present_scope(scope, connection))
    if tag is not None:
        conditions.append("tag = ?")
        values.append(tag)
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM documents WHERE {' AND '.join(conditions)} ORDER BY number",  # noqa: S608
        values,
    )
    return [_document(*row) for row in rows]
