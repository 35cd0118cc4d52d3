"""How well sentences answer a question, by the words that they share with it."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final

CJK: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
WORD: Final = re.compile(rf"[{CJK}]+|[^\W_{CJK}]+")
STEM: Final = 5
"""How many letters of a word count; endings carry grammar."""

SHORTEST_PLURAL: Final = 3

WRITTEN: Final = """
a an and are as at be can did do does for from has have how i in is it its me my of on or our that
the their there they this to was we were what when where which who whose why will with would you
your
al como con cual cuales cuando cuanta cuantas cuanto cuantos de del donde el en era es esa ese esta
estan este fue ha hay la las le lo los mi o para por puede puedo que quien se son su sus te tu un
una y
ao com da das do dos e ele ela em foi mais na nao nas no nos onde os ou pela pelo qual quais quando
quanto quantos quem sao sua um uma voce
"""
EMPTY: Final = frozenset(WRITTEN.split())
"""Words without a meaning of their own, folded: English, Spanish, Portuguese."""

EMPTY_SIGNS: Final = re.compile(
    "什么|为什么|要?多[少久长大高远]|哪[些个里]?|怎么|怎样|如何|何时|请问|可以|[几何谁吗呢的了是在有和与及或被把我你您们这那能]"
)
NUMERIC: Final = re.compile(
    r"\bhow (?:many|much|long|old|far|often|big|tall)\b|\bwhen\b|\bwhat (?:year|date|time|percent)"
    r"|\bcu[aá]nt[oa]s?\b|\bcu[aá]ndo\b|\bquant[oa]s?\b|\bquando\b|多少|几|何时|什么时候|多[久长大高远]",
    re.IGNORECASE,
)
NUMBER: Final = re.compile(r"\d+|[一二三四五六七八九十百千万两]+")
WITH_NUMBER: Final = 0.1


def terms(text: str) -> Sequence[str]:
    """Return what a text is about: the beginnings of its words, and pairs of CJK signs."""
    found: list[str] = []
    for word in WORD.findall(EMPTY_SIGNS.sub(" ", _folded(text))):
        if re.match(f"[{CJK}]", word):
            found += map("".join, pairwise(word)) if len(word) > 1 else [word]
        elif word not in EMPTY:
            found.append(_stem(word))
    return found


class Matcher:
    """Scores texts by how much of a question's meaning they cover, in [0, 1].

    A term weighs what it tells: by the logarithm of how few of the ``texts`` have it (the inverse
    document frequency of BM25), and less when it is short, as empty words are in any language.
    """

    def __init__(self, question: str, texts: Iterable[str]) -> None:
        found = [(text, frozenset(terms(text))) for text in texts]
        having = Counter(term for _, about in found for term in about)
        self._known = dict(found)
        self._weights: Mapping[str, float] = {
            term: _weight(term, having[term], len(found)) for term in set(terms(question))
        }
        self._total = sum(self._weights.values())
        self._question = question
        self._numeric = NUMERIC.search(question) is not None

    def coverage(self, text: str) -> float:
        """Return which part of the question's weight a text has."""
        if not self._total:
            return 0.0
        about = self._known.get(text)
        shared = self._weights.keys() & (set(terms(text)) if about is None else about)
        return sum(self._weights[term] for term in shared) / self._total

    def bonus(self, text: str) -> float:
        """Return what a sentence gets for holding a number that a question asks for."""
        fresh = set(NUMBER.findall(text)) - set(NUMBER.findall(self._question))
        return WITH_NUMBER if self._numeric and fresh else 0.0


def _stem(word: str) -> str:
    if word.isdigit():
        return word
    singular = word[:-1] if len(word) > SHORTEST_PLURAL and word.endswith("s") else word
    return singular[:STEM]


def _weight(term: str, having: int, texts: int) -> float:
    rarity = math.log(1 + (texts - having + 0.5) / (having + 0.5))
    short = len(term) / STEM if term.isalpha() and term.isascii() else 1.0
    return rarity * min(1.0, short)


def _folded(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(char for char in parts if not unicodedata.combining(char))
    return unicodedata.normalize("NFC", bare)
