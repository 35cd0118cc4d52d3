"""Text to index terms: words folded, Chinese, Japanese and Korean as pairs of characters."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from threading import Lock
from typing import Final

import snowballstemmer  # type: ignore[import-untyped]

from plugins.rag.language import STEMMED

CJK: Final = (
    "\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
WORD: Final = re.compile(rf"[{CJK}]+|[^\W_{CJK}]+(?:['’][^\W_{CJK}]+)*(?:\+\+|#)?")
IDEOGRAPH: Final = re.compile(rf"[{CJK}]")
POSSESSIVE: Final = re.compile(r"['’]s$")
LONGEST: Final = 64


def words(text: str) -> Iterator[str]:
    """Yield the words of a text in order, in lower case; CJK runs as overlapping pairs."""
    for found in WORD.findall(unicodedata.normalize("NFKC", text).lower()):
        if IDEOGRAPH.match(found):
            yield from _pairs(found)
        else:
            yield POSSESSIVE.sub("", found).replace("'", "").replace("’", "")[:LONGEST]


def terms(text: str, language: str) -> Sequence[str]:
    """Return the index terms of a text in a language: its words, stemmed where that is known."""
    return [term(word, language) for word in words(text)]


@lru_cache(maxsize=1 << 17)
def term(word: str, language: str) -> str:
    """Return the index term of one word: its stem without accents."""
    if language in STEMMED and word.isalpha() and not IDEOGRAPH.match(word):
        word = _stem(word, language)
    return fold(word)


def fold(word: str) -> str:
    """Return a word without accents."""
    if word.isascii():
        return word
    parts = unicodedata.normalize("NFD", word)
    return unicodedata.normalize("NFC", "".join(c for c in parts if not unicodedata.combining(c)))


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for index in range(len(run) - 1):
        yield run[index : index + 2]


_stemmers = {code: snowballstemmer.stemmer(name) for code, name in STEMMED.items()}
_lock = Lock()


def _stem(word: str, language: str) -> str:
    with _lock:  # a Snowball stemmer keeps the word that it works on in itself
        return str(_stemmers[language].stemWord(word))
