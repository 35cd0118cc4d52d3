"""Scores chunks for a query: BM25, vectors, and the two together."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from plugins.rag.query import Query
from plugins.rag.snapshot import Floats, Snapshot

CERTAIN: Final = 4


@dataclass(frozen=True, slots=True)
class Keywords:
    """BM25 scores of all chunks; ``coverage`` is the share of each query's weight that is met.

    ``known`` is the share of the query's terms that the index knows.
    """

    scores: Floats
    coverage: Floats
    known: float


def keywords(snapshot: Snapshot, query: Query) -> Keywords:
    """Score all chunks by the query's terms (Robertson's BM25, fields weighted)."""
    scores = np.zeros(len(snapshot), np.float32)
    coverage = np.zeros(len(snapshot), np.float32)
    unknown = float(np.log1p(len(snapshot) + 0.5))
    total, known = 0.0, 0
    for variants in query.terms:
        posting = snapshot.posting(variants)
        idf = posting.idf if len(posting.places) else unknown
        scores[posting.places] += idf * posting.weights
        coverage[posting.places] += idf
        total += idf
        known += len(posting.places) > 0
    return Keywords(scores, coverage / max(total, 1e-9), known / max(len(query.terms), 1))


def fuse(scores: Floats, similarities: Floats, known: float, fusion: str) -> Floats:
    """Return one score of two legs, BM25 and vectors.

    ``rrf`` is reciprocal rank fusion (Cormack et al. 2009, k = 60). ``adaptive`` standardizes both
    and trusts BM25 by the fourth power of the share of terms that the index knows.
    """
    if fusion == "rrf":
        return _reciprocal(scores) + _reciprocal(similarities)
    trust = known**CERTAIN
    return trust * _standard(scores) + (1 - trust / 2) * _standard(similarities)


def _standard(scores: Floats) -> Floats:
    spread = float(scores.std())
    if spread == 0:
        return np.zeros_like(scores)
    standard: Floats = (scores - scores.mean()) / np.float32(spread)
    return standard


def _reciprocal(scores: Floats) -> Floats:
    ranks = np.empty(len(scores), np.float32)
    ranks[np.argsort(-scores, kind="stable")] = np.arange(len(scores))
    return np.where(scores > 0, 1 / (60 + ranks), 0).astype(np.float32)
