"""Which language a text is in, as far as search needs to know."""

import re
from collections.abc import Mapping
from typing import Final

STEMMED: Final[Mapping[str, str]] = {"en": "english", "es": "spanish", "pt": "portuguese"}
"""Languages whose words are stemmed, with their stemmers."""

WRITTEN: Final[Mapping[str, str]] = {
    "en": (
        "a about after all also am an and any are aren't as at be because been before being"
        " between both but by can can't could did didn't do does doesn't doing don't during each"
        " few for from get gets had has have having he her here hers him his how i i'm if in into"
        " is isn't it it's its just me more most my no nor not of off on once only or other our"
        " out over own please same she should so some such than that the their them then there"
        " these they this those through to too under until up very was wasn't we were what what's"
        " when where which while who whom whose why will with won't would you your"
    ),
    "es": (
        "a al algo algún alguna algunas alguno algunos ante antes aquel aquella aquí así aun aún"
        " aunque cada como cómo con contra cuál cuáles cual cuales cuando cuándo cuanta cuánta"
        " cuantas cuántas cuanto cuánto cuantos cuántos de del desde donde dónde durante e el él"
        " ella ellas ellos en entre era eran eres es esa esas ese eso esos esta está estaba están"
        " estas este esto estos estoy fue fueron ha había haber hace hacer hago han has hasta hay"
        " he la las le les lo los más me mi mientras mis mucho muy nada ni no nos nosotros nuestra"
        " nuestro o os otra otro otros para pero poco por porque puede pueden puedo que qué quién"
        " quien quiénes quienes se sea ser si sí sido sin sobre solo sólo son soy su sus también"
        " tan tanto te tengo ti tiene tienen todo todos tu tú tus un una unas uno unos usted"
        " ustedes ya yo y"
    ),
    "pt": (
        "a ao aos as às até com como da das de dela dele deles depois do dos e é ela elas ele eles"
        " em entre era eram essa essas esse esses esta está estão estas estava este estes eu foi"
        " foram há isso isto já lhe lhes mais mas me mesmo meu meus minha minhas muito na não nas"
        " nem no nos nossa nosso num numa o onde os ou para pela pelas pelo pelos por porque posso"
        " pode podem qual quais quando quanta quantas quanto quantos que quem são se sem ser será"
        " seu seus só sobre sua suas também te tem têm tenho ter teu tu tua um uma umas uns você"
        " vocês"
    ),
}
FUNCTION_WORDS: Final[Mapping[str, frozenset[str]]] = {
    language: frozenset(words.split()) for language, words in WRITTEN.items()
}
STOP_WORDS: Final = frozenset(
    word.replace("'", "") for words in FUNCTION_WORDS.values() for word in words
)
"""Words that say nothing about what a text is about."""

LETTERS: Final[Mapping[str, str]] = {"es": "ñ¿¡", "pt": "ãõçâêô"}
WORD: Final = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
ENOUGH: Final = 5000


def detect(text: str) -> str:
    """Return ``en``, ``es`` or ``pt`` by function words and letters, "" for anything else."""
    sample = text[:ENOUGH].lower()
    found = WORD.findall(sample.replace("’", "'"))
    scores = {
        language: sum(word in known for word in found)
        + 3 * sum(sample.count(letter) for letter in LETTERS.get(language, ""))
        for language, known in FUNCTION_WORDS.items()
    }
    best = max(scores, key=lambda language: scores[language])
    return best if scores[best] * 12 >= len(found) and scores[best] > 0 else ""
