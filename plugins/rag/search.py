"""Finds the passages of a query in an index; everything here is synchronous."""

import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bot.api import Passage
from plugins.rag.config import Fusion, Match, Mode
from plugins.rag.database import active, transaction
from plugins.rag.documents import Origin
from plugins.rag.embedders import Vectors
from plugins.rag.embedders.hashing import HASHING
from plugins.rag.query import Query, parse
from plugins.rag.ranking import Keywords, fuse, keywords
from plugins.rag.snapshot import Floats, Snapshot, Space

NEAR: Final = 256
TELLING: Final = 0.4
"""The coverage from which on the best by words are sure to hold the best of all."""

SPARE: Final = 50
"""More candidates than asked for, since a file may be gone."""
HIT: Final = (
    "SELECT d.origin, d.name, d.path, c.heading, c.text, c.position, c.first_byte, c.last_byte,"
    " c.hash FROM chunks c JOIN documents d ON d.id = c.document WHERE c.id = ?"
)


@dataclass(frozen=True, slots=True)
class Hit(Passage):
    """A passage with all that is known of its place.

    ``source`` is the document's name, ``section`` its heading, ``index`` the passage's number in
    the document. ``start`` and ``end`` are byte offsets in the UTF-8 original. ``hash`` names the
    content wherever it stands.
    """

    source: str = ""
    section: str = ""
    id: int = 0
    doc_id: str = ""
    index: int = 0
    start: int = 0
    end: int = 0
    hash: str = ""

    @property
    def citation(self) -> str:
        """How a reader knows the place: the document's name and the heading."""
        return self.label


@dataclass(frozen=True, slots=True)
class Request:
    """One question with all that decides what it finds."""

    text: str
    top_k: int
    mode: Mode
    match: Match
    fusion: Fusion
    min_score: float
    audience: Collection[str]


class Searcher:
    """Searches over one connection, in one thread."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._snapshot: Snapshot | None = None

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def search(
        self, request: Request, vector: Vectors | None, space: Space | None
    ) -> Sequence[Hit]:
        """Return the best passages that the audience may see, best first.

        ``vector`` is the question's in ``space``, None where no vectors are to be used. Until all
        chunks have a vector in that space, the words alone decide.
        """
        with transaction(self._db, "DEFERRED"):
            snapshot = self._present(space)
            vector = None if snapshot.space is None else vector
            query = parse(request.text, snapshot.languages)
            if len(snapshot) == 0 or not query.terms:
                return ()
            allowed = _allowed(snapshot, query, request)
            scores, confidence = _scores(snapshot, query, request, vector)
            scores[confidence < request.min_score] = -np.inf
            return self._hits(snapshot, request, allowed, scores, confidence)

    def _present(self, space: Space | None) -> Snapshot:
        generation = self._db.execute("SELECT value FROM meta WHERE key = 'generation'").fetchone()[
            0
        ]
        if self._snapshot is None or self._snapshot.generation != generation:
            complete = space is not None and active(self._db) == space.key
            self._snapshot = Snapshot(self._db, generation, space if complete else None)
        return self._snapshot

    def _hits(
        self,
        snapshot: Snapshot,
        request: Request,
        allowed: NDArray[np.bool_] | None,
        scores: Floats,
        confidence: Floats,
    ) -> Sequence[Hit]:
        hits: list[Hit] = []
        for place in _best(scores, allowed, request.top_k + SPARE):
            if len(hits) == request.top_k:
                break
            row = self._db.execute(HIT, (int(snapshot.ids[place]),)).fetchone()
            if row[0] != Origin.FILE or Path(row[2]).exists():
                number = int(snapshot.ids[place])
                hits.append(_hit(row, number, float(scores[place]), float(confidence[place])))
        return hits


def _allowed(snapshot: Snapshot, query: Query, request: Request) -> NDArray[np.bool_] | None:
    allowed = snapshot.visible(request.audience)
    if request.match == "any":
        return allowed
    strict = query.all() if request.match == "all" else query.phrase()
    matching = snapshot.matching(strict)
    return matching if allowed is None else matching & allowed


def _scores(
    snapshot: Snapshot, query: Query, request: Request, vector: Vectors | None
) -> tuple[Floats, Floats]:
    words = keywords(snapshot, query)
    if vector is None or request.mode == "bm25":
        return np.where(words.scores > 0, words.scores, -np.inf), words.coverage
    similarities = _similarities(snapshot, words, request, vector)
    confidence = np.maximum(words.coverage, similarities)
    if request.mode == "vector":
        return np.where(similarities > 0, similarities, -np.inf), confidence
    fused = fuse(words, similarities, request.fusion)
    relevant = (words.scores > 0) | (similarities > 0)
    return np.where(relevant, fused, -np.inf), confidence


def _similarities(snapshot: Snapshot, words: Keywords, request: Request, vector: Vectors) -> Floats:
    """Return how similar chunks are to a question.

    Where the words already tell the likely ones apart only those are looked at, which is many times
    faster, and as good where vectors come from words too.
    """
    hashed = snapshot.space is not None and snapshot.space.key.startswith(HASHING)
    likely = hashed and request.mode == "hybrid" and request.fusion == "adaptive"
    if not likely or len(snapshot) <= NEAR or words.coverage.max() < TELLING:
        similarities: Floats = snapshot.vectors @ vector
        return similarities
    near = np.argpartition(-words.scores, NEAR)[:NEAR]
    found = np.zeros(len(snapshot), np.float32)
    found[near] = snapshot.vectors[near] @ vector
    return found


def _best(scores: Floats, allowed: NDArray[np.bool_] | None, count: int) -> NDArray[np.int64]:
    if allowed is not None:
        scores = np.where(allowed, scores, -np.inf)
    count = min(count, len(scores))
    top = np.argpartition(-scores, count - 1)[:count]
    top = top[np.lexsort((top, -scores[top]))]
    return top[np.isfinite(scores[top])]


def _hit(
    row: tuple[str, str, str, str, str, int, int, int, bytes],
    number: int,
    score: float,
    confidence: float,
) -> Hit:
    origin, name, _, heading, text, position, start, end, content = row
    return Hit(
        text,
        f"{name} › {heading}" if heading else name,
        score,
        min(max(confidence, 0.0), 1.0),
        source=name,
        section=heading,
        id=number,
        doc_id=f"{origin}:{name}",
        index=position,
        start=start,
        end=end,
        hash=content.hex(),
    )
