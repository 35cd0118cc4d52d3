"""Putting a copy's rows in the place of a database's while another program has it open."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from bot.api import StoreError
from bot.store.sqlite.link import connect
from bot.store.sqlite.personal import erase_again
from bot.store.sqlite.scrubbing import order_scrub
from bot.store.sqlite.tombstones import tombstones

STAYING: Final = {"migrations", "proofs", "duties", "inbox", "outbox"}
"""What is the open database's own: its form and key, and what is being answered."""


def replace_rows(path: Path, copied: Path) -> int:
    """Put a copy's rows in an open database, in one transaction; return how many were erased again.

    The other program's reads see the old rows or the new ones, and its writes wait. Whoever was
    erased since the copy was made is erased in it; everybody's epoch rises, so that work begun on
    the old rows writes nothing. `StoreError` where the two differ in form or key.
    """
    with closing(connect(path, writes=True)) as connection:
        connection.execute("ATTACH ? AS copy", (f"{copied.absolute().as_uri()}?mode=ro",))
        _compare(path, connection)
        connection.execute("BEGIN IMMEDIATE")
        try:
            erased = _replace(connection)
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
    return len(erased)


def _compare(path: Path, connection: sqlite3.Connection) -> None:
    for table, differs in (
        ("migrations", "it is of another version of this program than the copy is brought to"),
        ("proofs", "its key is not the copy's"),
    ):
        ours, theirs = (
            connection.execute(f"SELECT * FROM {schema}.{table} ORDER BY 1").fetchall()  # noqa: S608
            for schema in ("main", "copy")
        )
        if ours != theirs:
            message = f"{path}: {differs}, and another program holds it; stop that one first"
            raise StoreError(message)


def _replace(connection: sqlite3.Connection) -> Sequence[str]:
    stones = tombstones(connection)
    epochs = connection.execute("SELECT epoch, id FROM people").fetchall()
    tables = connection.execute("SELECT name FROM copy.sqlite_master WHERE type = 'table'")
    names = [name for (name,) in tables if name not in STAYING]
    for name in reversed(names):  # who is referred to was made first, and goes last
        connection.execute(f"DELETE FROM main.{name}")  # noqa: S608 - a migration's name
    for name in names:
        connection.execute(f"INSERT INTO main.{name} SELECT * FROM copy.{name}")  # noqa: S608
    erased = erase_again(stones, connection)
    connection.execute("UPDATE people SET epoch = epoch + 1")
    connection.executemany("UPDATE people SET epoch = max(epoch, ? + 1) WHERE id = ?", epochs)
    order_scrub(connection)
    return erased
