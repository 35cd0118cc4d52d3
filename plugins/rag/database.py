"""The index's file: documents, their chunks, words for search, and vectors by content."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from plugins.rag.documents import Chunk, Origin
from plugins.rag.embedders import Vectors

FORMAT: Final = 1
"""Of the chunks: another one has every document read again."""

LAYOUT: Final = 2
SCHEMA: Final = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE documents (
    id INTEGER PRIMARY KEY, origin TEXT NOT NULL, name TEXT NOT NULL, path TEXT,
    stamp TEXT NOT NULL, signature TEXT NOT NULL, visible TEXT, metadata TEXT NOT NULL,
    UNIQUE (origin, name)
);
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY, document INTEGER NOT NULL REFERENCES documents ON DELETE CASCADE,
    position INTEGER NOT NULL, heading TEXT NOT NULL, text TEXT NOT NULL,
    first_byte INTEGER NOT NULL, last_byte INTEGER NOT NULL, hash BLOB NOT NULL,
    length REAL NOT NULL, language TEXT NOT NULL
);
CREATE INDEX chunks_document ON chunks (document);
CREATE INDEX chunks_hash ON chunks (hash);
CREATE VIRTUAL TABLE words USING fts5 (title, body, metadata, tokenize = "ascii tokenchars '+#'");
"""

VECTORS: Final = """
CREATE TABLE vectors (
    space TEXT NOT NULL, hash BLOB NOT NULL, vector BLOB NOT NULL, PRIMARY KEY (hash, space)
) WITHOUT ROWID
"""

Key = tuple[Origin, str]


@dataclass(frozen=True, slots=True)
class Known:
    """What the index knows of a document: ``stamp`` tells cheaply, ``signature`` for sure."""

    id: int
    stamp: str
    signature: str


@dataclass(frozen=True, slots=True)
class Terms:
    """A chunk's index terms, blank between them, by weight class; its length and language."""

    title: str
    body: str
    metadata: str
    length: float
    language: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A document that is ready to be written."""

    key: Key
    path: str | None
    stamp: str
    signature: str
    visible_to: Sequence[str] | None
    metadata: Mapping[str, str]
    chunks: Sequence[tuple[Chunk, Terms]]


@dataclass(slots=True)
class Change:
    """What one build changes, all at once."""

    entries: list[Entry] = field(default_factory=list)
    stamps: list[tuple[int, str]] = field(default_factory=list)
    removed: list[int] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.entries or self.stamps or self.removed)


def connect(path: Path | None) -> sqlite3.Connection:
    """Open an index's file, or one in memory, and lay it out where it is new."""
    db = sqlite3.connect(path or ":memory:", isolation_level=None, check_same_thread=False)
    try:
        _lay_out(db, lasts=path is not None)
    except BaseException:
        db.close()
        raise
    return db


def _lay_out(db: sqlite3.Connection, *, lasts: bool) -> None:
    db.execute("PRAGMA foreign_keys = ON")
    db.execute("PRAGMA busy_timeout = 10000")
    if lasts:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
    with transaction(db):
        layout = db.execute("PRAGMA user_version").fetchone()[0]
        if layout == 0:
            for statement in SCHEMA.split(";\n"):
                db.execute(statement)
            db.execute("INSERT INTO meta VALUES ('generation', 0)")
        if layout < LAYOUT:
            db.execute("DROP TABLE IF EXISTS vectors")
            db.execute(VECTORS)
        db.execute(f"PRAGMA user_version = {LAYOUT}")


def check(db: sqlite3.Connection) -> None:
    """Raise sqlite3.DatabaseError where the file is damaged or its parts do not fit together."""
    (verdict,) = db.execute("PRAGMA quick_check(1)").fetchone()
    chunks, words = db.execute(
        "SELECT (SELECT count(*) FROM chunks), (SELECT count(*) FROM words_docsize)"
    ).fetchone()
    if verdict != "ok" or chunks != words:
        raise sqlite3.DatabaseError("the index's parts do not fit together")


def damaged(error: sqlite3.DatabaseError) -> bool:
    """Tell whether an error means that the file itself is spoiled."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
    return code & 0xFF in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def set_aside(path: Path) -> Path:
    """Move a damaged index out of the way; return where it is now."""
    away = path.with_name(f"{path.name}.damaged")
    path.replace(away)
    for neighbour in ("-wal", "-shm"):
        path.with_name(path.name + neighbour).unlink(missing_ok=True)
    return away


@contextmanager
def transaction(db: sqlite3.Connection, kind: str = "IMMEDIATE") -> Iterator[None]:
    """Do what is inside wholly or not at all."""
    db.execute(f"BEGIN {kind}")
    try:
        yield
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")


def known(db: sqlite3.Connection, *origins: Origin) -> Mapping[Key, Known]:
    """Return the documents of these origins."""
    marks = ", ".join("?" * len(origins))
    rows = db.execute(
        f"SELECT origin, name, id, stamp, signature FROM documents WHERE origin IN ({marks})",  # noqa: S608
        origins,
    )
    return {(Origin(row[0]), row[1]): Known(*row[2:]) for row in rows}


def write(db: sqlite3.Connection, change: Change) -> None:
    """Apply a change in one transaction."""
    with transaction(db):
        unused: set[bytes] = set()
        for document in change.removed:
            unused |= _remove(db, document)
        db.executemany(
            "UPDATE documents SET stamp = ? WHERE id = ?",
            [(stamp, document) for document, stamp in change.stamps],
        )
        for entry in change.entries:
            unused |= _insert(db, entry)
        db.executemany(
            "DELETE FROM vectors WHERE hash = ?1"
            " AND NOT EXISTS (SELECT 1 FROM chunks WHERE hash = ?1)",
            [(content,) for content in unused],
        )
        if change.entries or change.removed:
            db.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")


def missing(db: sqlite3.Connection, space: str, hashes: Iterable[bytes]) -> set[bytes]:
    """Return those of the contents that have no vector in a space."""
    there = "SELECT 1 FROM vectors WHERE hash = ? AND space = ?"
    return {found for found in hashes if db.execute(there, (found, space)).fetchone() is None}


def keep_vectors(
    db: sqlite3.Connection, space: str, hashes: Sequence[bytes], vectors: Vectors
) -> None:
    """Keep vectors by content; until a change uses them they change nothing."""
    rows = vectors.astype(np.float16)
    with transaction(db):
        db.executemany(
            "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)",
            [(space, key, row.tobytes()) for key, row in zip(hashes, rows, strict=True)],
        )


def active(db: sqlite3.Connection) -> str | None:
    """Return the space in which every chunk has a vector, None where there is none yet."""
    row = db.execute("SELECT value FROM meta WHERE key = 'space'").fetchone()
    return None if row is None else str(row[0])


def lacking(db: sqlite3.Connection, space: str, most: int) -> Sequence[Chunk]:
    """Return some chunks, of different contents, that have no vector in a space."""
    rows = db.execute(
        "SELECT heading, text, first_byte, last_byte FROM chunks c WHERE NOT EXISTS"
        " (SELECT 1 FROM vectors v WHERE v.hash = c.hash AND v.space = ?)"
        " GROUP BY hash LIMIT ?",
        (space, most),
    )
    return [Chunk(*row) for row in rows]


def activate(db: sqlite3.Connection, space: str) -> bool:
    """Let searches use a space, if every chunk has a vector in it; tell whether that is so.

    The vectors of the space before stay, so that going back to it takes no time.
    """
    with transaction(db):
        before = active(db)
        if before == space:
            return True
        if lacking(db, space, 1):
            return False
        db.execute("INSERT OR REPLACE INTO meta VALUES ('space', ?)", (space,))
        db.execute("DELETE FROM vectors WHERE space NOT IN (?, ?)", (space, before or space))
        db.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")
        return True


def _remove(db: sqlite3.Connection, document: int) -> set[bytes]:
    """Delete a document; return the contents that it had."""
    rows = db.execute("SELECT hash FROM chunks WHERE document = ?", (document,)).fetchall()
    db.execute(
        "DELETE FROM words WHERE rowid IN (SELECT id FROM chunks WHERE document = ?)", (document,)
    )
    db.execute("DELETE FROM documents WHERE id = ?", (document,))
    return {content for (content,) in rows}


def _insert(db: sqlite3.Connection, entry: Entry) -> set[bytes]:
    """Write a document, over the one of its name; return the contents that this one had."""
    unused: set[bytes] = set()
    found = db.execute(
        "SELECT id FROM documents WHERE origin = ? AND name = ?", entry.key
    ).fetchone()
    if found is not None:
        unused = _remove(db, found[0])
    visible = None if entry.visible_to is None else json.dumps(sorted(set(entry.visible_to)))
    document = db.execute(
        "INSERT INTO documents (origin, name, path, stamp, signature, visible, metadata)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            *entry.key,
            entry.path,
            entry.stamp,
            entry.signature,
            visible,
            json.dumps(dict(entry.metadata), ensure_ascii=False),
        ),
    ).lastrowid
    for position, (chunk, terms) in enumerate(entry.chunks):
        row = db.execute(
            "INSERT INTO chunks (document, position, heading, text, first_byte, last_byte,"
            " hash, length, language) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                document,
                position,
                chunk.heading,
                chunk.text,
                chunk.start,
                chunk.end,
                chunk.hash,
                terms.length,
                terms.language,
            ),
        ).lastrowid
        db.execute(
            "INSERT INTO words (rowid, title, body, metadata) VALUES (?, ?, ?, ?)",
            (row, terms.title, terms.body, terms.metadata),
        )
    return unused
