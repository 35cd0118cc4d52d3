"""What outlives an erased person: an epoch under a hash that does not tell who it was."""

import sqlite3
from collections.abc import Sequence
from hashlib import blake2b

from bot.store.keys import refuse_older

Stone = tuple[bytes, bytes, int]
"""Salt, hash and epoch of a tombstone."""


def tombstones(connection: sqlite3.Connection) -> Sequence[Stone]:
    """Return every tombstone of a database."""
    return connection.execute(
        "SELECT salts.salt, hash, epoch FROM tombstones"
        " JOIN salts ON salts.number = tombstones.salt"
    ).fetchall()


def add_tombstones(stones: Sequence[Stone], connection: sqlite3.Connection) -> None:
    """Set tombstones of another database beside a database's own; of two the newer one stays."""
    for salt, hashed, epoch in stones:
        connection.execute("INSERT INTO salts (salt) VALUES (?) ON CONFLICT DO NOTHING", (salt,))
        connection.execute(
            "INSERT INTO tombstones (salt, hash, epoch)"
            " SELECT number, ?, ? FROM salts WHERE salt = ?"
            " ON CONFLICT (salt, hash) DO UPDATE SET epoch = max(epoch, excluded.epoch)",
            (hashed, epoch, salt),
        )


def digest(salt: bytes, person: str) -> bytes:
    """Return the hash under which a person's tombstone stands."""
    return blake2b(person.encode(), key=salt, digest_size=32).digest()


def present_epoch(person: str, connection: sqlite3.Connection) -> int:
    """Return the epoch that a person is in, whether they are known, erased or new."""
    row = connection.execute("SELECT epoch FROM people WHERE id = ?", (person,)).fetchone()
    return buried_epoch(person, connection) if row is None else row[0]


def buried_epoch(person: str, connection: sqlite3.Connection) -> int:
    """Return the epoch on a person's tombstone, 0 where there is none."""
    stones = (
        connection.execute(
            "SELECT epoch FROM tombstones WHERE salt = ? AND hash = ?",
            (number, digest(salt, person)),
        ).fetchone()
        for number, salt in connection.execute("SELECT number, salt FROM salts").fetchall()
    )
    return max((stone[0] for stone in stones if stone is not None), default=0)


def check_epoch(person: str | None, epoch: int | None, connection: sqlite3.Connection) -> None:
    """Raise `Erased` where a person was erased after ``epoch``."""
    if person is not None:
        refuse_older(epoch, present_epoch(person, connection))


def bury(person: str, epoch: int, connection: sqlite3.Connection) -> None:
    """Set a tombstone on which an epoch stands."""
    number, salt = connection.execute("SELECT number, salt FROM salts ORDER BY number").fetchone()
    connection.execute(
        "INSERT INTO tombstones (salt, hash, epoch) VALUES (?, ?, ?)"
        " ON CONFLICT (salt, hash) DO UPDATE SET epoch = excluded.epoch",
        (number, digest(salt, person), epoch),
    )
