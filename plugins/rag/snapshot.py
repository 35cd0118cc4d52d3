"""What a search needs of the index at hand: the chunks as arrays, terms' postings, vectors."""

import json
import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plugins.rag.embedders import Vectors

WEIGHTS: Final = np.array([1.0, 5.0, 2.0], np.float32)
"""Of a term in the body, the title and the metadata."""
K1: Final = 1.2
B: Final = 0.75
VOCABULARY: Final = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab (main, words, instance)"
)
POSTINGS: Final = (
    "SELECT group_concat(doc * 4 + (col = 'title') + 2 * (col = 'metadata'))"
    " FROM vocabulary WHERE term = ?"
)
CACHED: Final = 4_000_000

Ints = NDArray[np.int64]
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Posting:
    """The chunks (by their place in the snapshot, ascending) that hold a term, and how much."""

    places: Ints
    weights: Floats
    idf: float


EMPTY: Final = Posting(np.zeros(0, np.int64), np.zeros(0, np.float32), 0.0)


class Space(NamedTuple):
    """A vector space: its name and the length of its vectors."""

    key: str
    dimensions: int


class Snapshot:
    """The index in one state; ``generation`` tells whether it is still the present one.

    ``space`` is that of the vectors; where it is None there are none to be used.
    """

    def __init__(self, db: sqlite3.Connection, generation: int, space: Space | None) -> None:
        db.execute(VOCABULARY)
        self.generation = generation
        self.space = space
        rows = db.execute(
            "SELECT c.id, c.length, d.visible, c.language FROM chunks c"
            " JOIN documents d ON d.id = c.document ORDER BY c.id"
        ).fetchall()
        self.ids = np.array([row[0] for row in rows], np.int64)
        self.languages = frozenset(row[3] for row in rows)
        self._audiences = _Audiences([row[2] for row in rows])
        lengths = np.array([row[1] for row in rows], np.float32)
        average = float(lengths.mean()) if len(rows) else 1.0
        self._normal = K1 * (1 - B + B * lengths / max(average, 1.0))
        self._db = db
        self._postings: dict[tuple[str, ...], Posting] = {}
        self._cached = 0
        self.vectors = _vectors(db, len(rows), space)

    def __len__(self) -> int:
        return len(self.ids)

    def visible(self, audience: Collection[str]) -> NDArray[np.bool_] | None:
        """Return which chunks an audience may see, None for all of them."""
        return self._audiences.mask(audience)

    def posting(self, variants: tuple[str, ...]) -> Posting:
        """Return where a term stands that is written in any of these ways."""
        if variants not in self._postings:
            if self._cached > CACHED:
                self._postings.clear()
                self._cached = 0
            found = self._postings[variants] = self._posting(variants)
            self._cached += len(found.places)
        return self._postings[variants]

    def matching(self, query: str) -> NDArray[np.bool_]:
        """Return which chunks an FTS5 query matches."""
        rows = self._db.execute("SELECT rowid FROM words WHERE words MATCH ?", (query,)).fetchall()
        mask = np.zeros(len(self), np.bool_)
        mask[np.searchsorted(self.ids, [row[0] for row in rows])] = True
        return mask

    def _posting(self, variants: tuple[str, ...]) -> Posting:
        parts = [self._occurrences(variant) for variant in variants]
        codes = np.concatenate([part for part in parts if len(part)] or [EMPTY.places])
        if len(codes) == 0:
            return EMPTY
        codes.sort()
        starts = np.flatnonzero(np.diff(codes >> 2, prepend=-1))
        counts = np.add.reduceat(WEIGHTS[codes & 3], starts)
        places = np.searchsorted(self.ids, codes[starts] >> 2)
        weights = counts * (K1 + 1) / (counts + self._normal[places])
        idf = np.log1p((len(self) - len(places) + 0.5) / (len(places) + 0.5))
        return Posting(places, weights.astype(np.float32), float(idf))

    def _occurrences(self, term: str) -> Ints:
        found = self._db.execute(POSTINGS, (term,)).fetchone()[0]
        if found is None:
            return EMPTY.places
        return np.fromstring(str(found), np.int64, sep=",")


class _Audiences:
    """Who may see which chunk."""

    def __init__(self, visible: Sequence[str | None]) -> None:
        kinds = {kind: code for code, kind in enumerate(dict.fromkeys(visible))}
        self._kinds = [None if kind is None else frozenset(json.loads(kind)) for kind in kinds]
        self._codes = np.array([kinds[kind] for kind in visible], np.int64)

    def mask(self, audience: Collection[str]) -> NDArray[np.bool_] | None:
        scopes = frozenset(audience)
        allowed = [kind is None or bool(kind & scopes) for kind in self._kinds]
        return None if all(allowed) else np.array(allowed, np.bool_)[self._codes]


def _vectors(db: sqlite3.Connection, count: int, space: Space | None) -> Vectors:
    """Return the chunks' vectors in their order."""
    if space is None:
        return np.zeros((count, 0), np.float32)
    matrix = np.zeros((count, space.dimensions), np.float32)
    rows = db.execute(
        "SELECT v.vector FROM chunks c LEFT JOIN vectors v ON v.hash = c.hash AND v.space = ?"
        " ORDER BY c.id",
        (space.key,),
    )
    for place, (vector,) in enumerate(rows):
        if vector is not None:
            matrix[place] = np.frombuffer(vector, np.float16)
    return matrix
