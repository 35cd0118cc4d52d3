"""JSON values by scope, namespace and key, in memory."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from bot.api import Document, Json, origin
from bot.store.keys import guarded, named, optional, scoped
from bot.store.memory.rows import Drawer, Row, Rows
from bot.store.values import encode, expiry

PURGE: Final = timedelta(minutes=1)
"""How often a write looks for documents that have expired."""


class MemoryDocuments:
    """Values that live as long as the process; a `Documents`."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._purged = rows.clock()

    async def get(self, scope: str, namespace: str, key: str) -> Document | None:
        """Return a document that has not expired."""
        row = self._rows.live(self._drawer(scope, namespace)).get(named("a key", key))
        return None if row is None else row.copy()

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
        drawer = self._writable(scope, namespace, epoch)
        return self._write(drawer, named("a key", key), encode(value), tag, expires)

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
        drawer = self._writable(scope, namespace, epoch)
        row = self._rows.live(drawer).get(named("a key", key))
        present = None if row is None else row.copy()
        changed = change(None if present is None else present.value)
        if changed is None:
            self._rows.documents[drawer].pop(key, None)
            return None
        if present is not None:
            tag = present.tag if tag is None else tag
            expires = present.expires if expires is None else expires
        return self._write(drawer, key, encode(changed), tag, expires)

    async def delete(
        self, scope: str, namespace: str, key: str, *, epoch: int | None = None
    ) -> bool:
        """Delete a document; tell whether it was there."""
        drawer = self._writable(scope, namespace, epoch)
        return self._rows.live(drawer).pop(named("a key", key), None) is not None

    async def scan(
        self, namespace: str, *, scope: str | None = None, tag: str | None = None
    ) -> Sequence[Document]:
        """Return the live documents of a namespace, oldest first, of one scope or of all."""
        optional("a tag", tag)
        found = [
            row
            for drawer in self._drawers(named("a namespace", namespace), scope)
            for row in self._rows.live(drawer).values()
            if tag is None or row.document.tag == tag
        ]
        return [row.copy() for row in sorted(found, key=lambda row: row.number)]

    def _drawers(self, namespace: str, scope: str | None) -> list[Drawer]:
        if scope is not None:
            return [self._drawer(scope, namespace)]
        return [drawer for drawer in self._rows.documents if drawer[1] == namespace]

    def _drawer(self, scope: str, namespace: str) -> Drawer:
        return self._rows.scope(scoped(scope)), named("a namespace", namespace)

    def _writable(self, scope: str, namespace: str, epoch: int | None) -> Drawer:
        drawer = self._drawer(scope, namespace)
        self._rows.check(guarded(scope, epoch), epoch)
        if abs(self._rows.clock() - self._purged) >= PURGE:
            self._purged = self._rows.clock()
            self._rows.purge()
        return drawer

    def _write(
        self, drawer: Drawer, key: str, text: str, tag: str | None, expires: datetime | None
    ) -> Document:
        expiry(expires)
        old = self._rows.live(drawer).get(key)
        now = self._rows.clock().astimezone(UTC)
        document = Document(
            *drawer,
            key,
            None,
            revision=1 if old is None else old.document.revision + 1,
            created=now if old is None else old.document.created,
            updated=now,
            tag=optional("a tag", tag),
            expires=None if expires is None else expires.astimezone(UTC),
            origin=origin.get() if old is None else old.document.origin,
        )
        row = Row(next(self._rows.numbers) if old is None else old.number, document, text)
        self._rows.documents[drawer][key] = row
        return row.copy()
