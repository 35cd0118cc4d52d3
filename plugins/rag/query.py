"""A question to terms: what to look up, and what of it matters."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from plugins.rag.language import STOP_WORDS, detect
from plugins.rag.words import term, words

MOST_BYTES: Final = 1024
MOST_TERMS: Final = 64

Variants = tuple[str, ...]
"""The ways in which the index may hold one word of a question."""


@dataclass(frozen=True, slots=True)
class Query:
    """A question's words that matter, each once; ``phrases`` has all in order by language."""

    text: str
    terms: tuple[Variants, ...]
    phrases: tuple[str, ...]

    def all(self) -> str:
        """Return the FTS5 query for chunks that hold every term."""
        return " AND ".join(
            f"({' OR '.join(_quoted(word) for word in variants)})" for variants in self.terms
        )

    def phrase(self) -> str:
        """Return the FTS5 query for chunks that hold the words one after the other."""
        return " OR ".join(_quoted(phrase) for phrase in self.phrases)


def parse(text: str, languages: Collection[str]) -> Query:
    """Return what to look up for a question, given the languages that the index is in."""
    text = text.encode("utf-8", "ignore")[:MOST_BYTES].decode("utf-8", "ignore")
    found = list(words(text))[:MOST_TERMS]
    first = detect(text)
    order = sorted(languages, key=lambda language: (language != first, language))
    variants = {word: _variants(word, order) for word in found}
    content = [word for word in variants if word not in STOP_WORDS]
    return Query(
        text,
        tuple(dict.fromkeys(variants[word] for word in content or variants)),
        tuple(
            dict.fromkeys(
                " ".join(term(word, language) for word in found) for language in order or [""]
            )
        ),
    )


def _variants(word: str, languages: Collection[str]) -> Variants:
    return tuple(dict.fromkeys(term(word, language) for language in languages)) or (word,)


def _quoted(words: str) -> str:
    return '"' + re.sub(r'["\x00]', "", words) + '"'
