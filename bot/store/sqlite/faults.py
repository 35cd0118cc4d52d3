"""What SQLite and the disk complain of, said to the operator."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from bot.api import StoreError

ADVICE: Final[Mapping[int, str]] = {
    sqlite3.SQLITE_FULL: "the disk is full; free some space",
    sqlite3.SQLITE_READONLY: "it may not be written; check who owns the file and its folder",
    sqlite3.SQLITE_PERM: "it may not be opened; check who owns the file and its folder",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened; check that its folder exists and may be written",
    sqlite3.SQLITE_CORRUPT: "it is damaged; restore a backup",
    sqlite3.SQLITE_NOTADB: "it is no SQLite database or damaged; restore a backup or move it away",
    sqlite3.SQLITE_BUSY: "another program holds it; close that one",
    sqlite3.SQLITE_LOCKED: "another program holds it; close that one",
    sqlite3.SQLITE_IOERR: "the disk failed; check its health and its free space",
}
PRIMARY: Final = 0xFF
"""The part of an SQLite error code that names the kind."""


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Turn what SQLite or the disk raises about a database into `StoreError`."""
    try:
        yield
    except sqlite3.Error as error:
        raise store_error(error, path) from error
    except OSError as error:
        message = f"{path}: {error.strerror or type(error).__name__}"
        raise StoreError(message) from error


def store_error(error: sqlite3.Error, path: Path) -> StoreError:
    """Return an error of SQLite as ours: what happened to which file, and what to do."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    name = getattr(error, "sqlite_errorname", type(error).__name__)
    advice = ADVICE.get(code & PRIMARY, "SQLite refused to go on")
    return StoreError(f"{path}: {advice} ({name})")
