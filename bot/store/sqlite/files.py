"""The database's files: whose eyes they are for, and whether they are ours."""

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from bot.store.sqlite.migrating import Migration, inspect

NAME: Final = "tertulia.db"
FOLDER_MODE: Final = 0o700
FILE_MODE: Final = 0o600


def prepare(data: Path, known: Sequence[Migration]) -> tuple[Path, int]:
    """Return the database's path in a folder, made where missing, and how many steps it has made.

    A database that is not ours, newer than this program or damaged raises `StoreError` or an error
    of SQLite, and is left as it is.
    """
    path = data / NAME
    made = examine(path, known) if path.exists() else 0
    data.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    data.chmod(FOLDER_MODE)
    create(path)
    return path, made


def examine(path: Path, known: Sequence[Migration]) -> int:
    """Return how many steps the database of a path has made, without writing to it."""
    address = f"{path.absolute().as_uri()}?mode=ro"
    with closing(sqlite3.connect(address, uri=True, isolation_level=None)) as connection:
        return inspect(path, known, connection)


def create(path: Path) -> None:
    """Make an empty file where there is none, for the owner's eyes only as its neighbours."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, FILE_MODE))
    path.chmod(FILE_MODE)


def neighbours(path: Path) -> Sequence[Path]:
    """Return the files that SQLite keeps beside a database while it is open."""
    return [path.with_name(path.name + suffix) for suffix in ("-wal", "-shm")]


def sync_folder(path: Path) -> None:
    """Make a change of a file's name outlast a loss of power."""
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
