"""Scores chunks for a query: BM25, vectors, and the two together."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from plugins.rag.query import Query
from plugins.rag.snapshot import Floats, Snapshot

COVERED: Final = 0.9
SIMILAR: Final = 0.9
"""What coverage and similarity weigh beside BM25's best."""


@dataclass(frozen=True, slots=True)
class Keywords:
    """BM25 scores of all chunks; ``coverage`` is the share of the query's weight that each meets.

    A term that the index lacks weighs as much as the rarest.
    """

    scores: Floats
    coverage: Floats


def keywords(snapshot: Snapshot, query: Query) -> Keywords:
    """Score all chunks by the query's terms (Robertson's BM25, fields weighted)."""
    scores = np.zeros(len(snapshot), np.float32)
    coverage = np.zeros(len(snapshot), np.float32)
    unknown = float(np.log1p(len(snapshot) + 0.5))
    total = 0.0
    for variants in query.terms:
        posting = snapshot.posting(variants)
        idf = posting.idf if len(posting.places) else unknown
        scores[posting.places] += idf * posting.weights
        coverage[posting.places] += idf
        total += idf
    return Keywords(scores, coverage / max(total, 1e-9))


def fuse(words: Keywords, similarities: Floats, fusion: str) -> Floats:
    """Return one score of two legs, BM25 and vectors.

    ``rrf`` is reciprocal rank fusion (Cormack et al. 2009, k = 60). ``adaptive`` adds BM25 as a
    share of the best chunk's, the coverage, and the similarity. The last two say by themselves how
    much a leg can be trusted: where the index lacks the question's words all coverage is low, and
    where it is in another language all similarity is.
    """
    if fusion == "rrf":
        return _reciprocal(words.scores) + _reciprocal(similarities)
    best = max(float(words.scores.max(initial=0.0)), 1e-9)
    fused: Floats = words.scores / best + COVERED * words.coverage + SIMILAR * similarities
    return fused


def _reciprocal(scores: Floats) -> Floats:
    ranks = np.empty(len(scores), np.float32)
    ranks[np.argsort(-scores, kind="stable")] = np.arange(len(scores))
    return np.where(scores > 0, 1 / (60 + ranks), 0).astype(np.float32)
