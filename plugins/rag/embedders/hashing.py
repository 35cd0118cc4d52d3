"""Vectors from words and pieces of words by hashing: deterministic, offline, without a model."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from plugins.rag.embedders import Vectors
from plugins.rag.language import STOP_WORDS
from plugins.rag.words import fold, words

DIMENSIONS: Final = 2048
HASHING: Final = "hashing-"
GRAMS: Final = (3, 4)
WORD_WEIGHT: Final = 1.0
GRAMS_WEIGHT: Final = 1.0
MIX: Final = 2654435761

Features = tuple[NDArray[np.int64], NDArray[np.float32]]


class HashingEmbedder:
    """Hashes each word and its character n-grams to signed dimensions.

    Words that share a stem or differ in a letter share most of their n-grams, so that their
    vectors are near. Function words count for nothing unless a text has no other.
    """

    key = f"{HASHING}{DIMENSIONS}-1"
    dimensions = DIMENSIONS

    def encode(self, texts: Sequence[str], *, query: bool) -> Vectors:  # noqa: ARG002
        """Return one vector a text; queries and documents alike."""
        vectors = np.zeros((len(texts), DIMENSIONS), np.float32)
        for row, text in zip(vectors, texts, strict=True):
            _fill(row, text)
        return vectors


def _fill(row: NDArray[np.float32], text: str) -> None:
    counts: dict[str, int] = {}
    for word in words(text):
        counts[word] = counts.get(word, 0) + 1
    content = {word: count for word, count in counts.items() if word not in STOP_WORDS}
    for word, count in (content or counts).items():
        places, weights = _features(word)
        row[places] += weights * np.float32(1 + np.log(count))
    length = float(np.sqrt(row @ row))
    if length > 0:
        row /= length


@lru_cache(maxsize=1 << 16)
def _features(word: str) -> Features:
    """Return the dimensions of a word, each once, with their signed weights."""
    folded = fold(word)
    grams = [f"{size}{gram}" for size in GRAMS for gram in _grams(f" {folded} ", size)]
    hashes = np.array([_hash(f"w{folded}"), *map(_hash, grams)], np.int64)
    weights = np.full(len(hashes), GRAMS_WEIGHT / np.sqrt(max(len(grams), 1)), np.float32)
    weights[0] = WORD_WEIGHT
    weights[(hashes >> 16) & 1 == 1] *= -1
    places, inverse = np.unique(hashes % DIMENSIONS, return_inverse=True)
    return places, np.bincount(inverse, weights).astype(np.float32)


def _grams(word: str, size: int) -> Iterator[str]:
    for index in range(len(word) - size + 1):
        yield word[index : index + size]


def _hash(feature: str) -> int:
    return (crc32(feature.encode()) * MIX & 0xFFFFFFFF) >> 4
