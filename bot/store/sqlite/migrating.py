"""Bringing a database to the form that this program knows, step by step and never back."""

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Final

from bot.api import StoreError

TABLE: Final = (
    "CREATE TABLE IF NOT EXISTS migrations"
    " (number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL)"
)


@dataclass(frozen=True, slots=True)
class Migration:
    """One step: ``number`` counts from 1, ``sql`` is what to run, ``checksum`` is of that."""

    number: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """The SHA-256 of the text, whatever its line ends."""
        return sha256(self.sql.encode()).hexdigest()


def migrations() -> Sequence[Migration]:
    """Return the steps that this program knows, in order."""
    found = sorted(
        (file.name, file.read_text("utf-8").replace("\r\n", "\n"))
        for file in files("bot.store").joinpath("migrations").iterdir()
        if file.name.endswith(".sql")
    )
    return [Migration(int(name.partition("_")[0]), name, sql) for name, sql in found]


def inspect(path: Path, known: Sequence[Migration], connection: sqlite3.Connection) -> int:
    """Return how many steps a database has made; `StoreError` where it is not ours to go on with.

    Nothing is written.
    """
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    if "migrations" not in tables:
        if tables:
            message = f"{path}: it is another program's database; move it away"
            raise StoreError(message)
        return 0
    made = connection.execute("SELECT number, name, checksum FROM migrations ORDER BY number")
    return _compare(path, known, made.fetchall())


def migrate(known: Sequence[Migration], made: int, connection: sqlite3.Connection) -> None:
    """Make the steps that are missing, each in a transaction of its own."""
    connection.execute(TABLE)
    for migration in known[made:]:
        connection.execute("BEGIN IMMEDIATE")
        try:
            for statement in statements(migration.sql):
                connection.execute(statement)
            connection.execute(
                "INSERT INTO migrations (number, name, checksum) VALUES (?, ?, ?)",
                (migration.number, migration.name, migration.checksum),
            )
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")


def statements(sql: str) -> Iterator[str]:
    """Yield the statements of a script, one by one."""
    statement = ""
    for line in sql.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    if statement.strip():
        yield statement


def _compare(path: Path, known: Sequence[Migration], made: Sequence[tuple[int, str, str]]) -> int:
    if len(made) > len(known):
        message = (
            f"{path}: a newer version of this program wrote it (step {made[-1][1]});"
            " install that version again"
        )
        raise StoreError(message)
    for step, (_, name, checksum) in zip(known, made, strict=False):
        if checksum != step.checksum:
            message = (
                f"{path}: it was made with another form of step {name} than this program's;"
                " install the version that wrote it, or restore a backup"
            )
            raise StoreError(message)
    return len(made)
