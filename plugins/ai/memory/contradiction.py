"""Telling when a fact can no longer be true once another one is.

For English, Spanish, Portuguese and Chinese it knows what a person has one of at a time (a home, an
age, a favourite colour), and negation. What cannot be told from the words is left standing.
"""

import re
from typing import Final

from plugins.ai.matching import terms
from plugins.ai.memory.fact import folded

SINGLE: Final = {
    "home": r"\b(?:lives?|resides?|living|is based|moved|relocated) (?:\w+ )?(?:in|to|at|near)\b"
    r"|\b(?:vive|vivo|reside|se mudo|me mude)(?: ahora| actualmente)? (?:en|a)\b"
    r"|\b(?:mora|moro|vive|reside|mudou se)(?: agora)? (?:em|no|na|para)\b|住在|搬到|居住在|定居",
    "employer": r"\b(?:works?|working|employed)(?: now| currently)? (?:at|for)\b"
    r"|\b(?:trabaja|trabajo)(?: ahora)? (?:en|para)\b|\b(?:trabalha|trabalho) (?:em|no|na|para)\b"
    r"|(?:就职于|任职于|供职于)",
    "job": r"\bworks? as\b|\btrabaja (?:como|de)\b|\btrabalha como\b|职业是|工作是",
    "name": r"\b(?:is called|is named|goes by|name is|names? s)\b|\b(?:se llama|me llamo)\b"
    r"|\bchama se\b|\bse chama\b|名叫|叫做|名字是",
    "age": r"\b(?:is|am|turned)(?= \d{1,3} years?\b)|\b(?:tiene|tengo|cumplio)(?= \d{1,3} anos)"
    r"|\b(?:tem|tenho|fez)(?= \d{1,3} anos)|今年(?=\d+岁)|(?<![\d])(?=\d{1,3}岁)",
}
"""What comes before the value of something a person has one of at a time, by its name, folded."""

ATTRIBUTE: Final = re.compile(
    r"^(?:(?:the|his|her|their|my|el|la|su|mi|o|a|seu|sua|meu|minha) )?"
    r"(?P<what>(?:\w+ ){0,4}?(?:favou?rite(?: \w+){1,3}?|\w+(?: \w+)? (?:favorit[oa]|preferid[oa])"
    r"(?: de \w+)?|birthday|cumpleanos|aniversario|job|profession|profesion|profissao|occupation"
    r"|hometown|timezone|time zone|native language|idioma materno|lengua materna|lingua materna"
    r"|age|edad|idade|nickname|apodo|apelido|boss|manager|jefe|jefa|chefe|shoe size|surname"
    r"|apellido|sobrenome|nationality|nacionalidad|nacionalidade)) (?:is|are|es|son|e|sao) ",
)
CHINESE_ATTRIBUTE: Final = re.compile(
    r"^(?P<what>\S{0,8}?(?:最喜欢的\S{1,6}?|生日|职业|年龄|家乡|母语|国籍|老板|昵称))是"
)
STATES: Final = (
    {"married", "single", "divorced", "engaged", "widowed", "unmarried"},
    {"casado", "soltero", "divorciado", "viudo", "prometido"},
    {"casado", "solteiro", "divorciado", "viuvo", "noivo"},
    {"已婚", "单身", "离婚", "未婚"},
    {"vegan", "vegetarian", "omnivore", "pescatarian"},
    {"vegano", "vegetariano", "omnivoro"},
    {"retired", "unemployed", "employed"},
    {"jubilado", "desempleado"},
)
"""Words of which one is true of somebody at a time."""

NEGATION: Final = re.compile(
    r"\b(?:does not|do not|did not|is not|are not|has no|doesnt|dont|didnt|isnt|arent|wont|cant"
    r"|can not|cannot|no longer|not any ?more|any ?more|never|not|stopped|quit|gave up|ya no"
    r"|nunca|jamas|dejo de|deje de|nao|nem|ja nao|nao mais|parou de|deixou de)\b"
    r"|^no\b|\bno (?=(?:le|les|lo|la|me|se|es|esta|tiene|puede|quiere)\b)|不再|不|没有|没|戒了"
)
ROOT: Final = 4
"""How many letters of a word count beside a negation, which changes the verb's ending."""

SHORT_LIVED: Final = re.compile(
    r"\b(?:now|currently|still|ahora|todavia|aun|agora|ainda)\b|现在|仍"
)


def contradicts(new: str, old: str) -> bool:
    """Tell whether ``old`` cannot be true any more when ``new`` is; never for the same words."""
    first, second = (SHORT_LIVED.sub(" ", folded(text)) for text in (new, old))
    return (
        _other_value(_attribute(first), _attribute(second))
        or _other_state(first, second)
        or _negated(first, second)
    )


Attribute = tuple[str, frozenset[str], frozenset[str]]
"""What kind of thing, whose, and its value, the last two as terms."""


def _attribute(text: str) -> Attribute | None:
    for found in filter(None, (ATTRIBUTE.search(text), CHINESE_ATTRIBUTE.search(text))):
        return "attribute", _about(found["what"]), _about(text[found.end() :])
    for name, pattern in SINGLE.items():
        single = re.search(pattern, text)
        if single is not None and not NEGATION.search(text[: single.start()]):
            return name, _about(text[: single.start()]), _about(text[single.end() :])
    return None


def _other_value(new: Attribute | None, old: Attribute | None) -> bool:
    if new is None or old is None or new[:2] != old[:2]:
        return False
    # More detail about the same value ("in Madrid", "in Madrid, near the river") is no other one.
    return not (new[2] <= old[2] or old[2] <= new[2])


def _other_state(new: str, old: str) -> bool:
    for states in STATES:
        before, after = _state(old, states), _state(new, states)
        if before and after and before != after:
            return _without(new, states) == _without(old, states)
    return False


def _state(text: str, states: set[str]) -> str | None:
    return next((state for state in states if _word(state).search(text)), None)


def _without(text: str, states: set[str]) -> frozenset[str]:
    for state in states:
        text = _word(state).sub(" ", text)
    return _about(text)


def _word(state: str) -> re.Pattern[str]:
    """Return a pattern for a word, in Spanish and Portuguese for its other gender too."""
    if not state.isascii():
        return re.compile(state)
    return re.compile(rf"\b{state[:-1]}[oa]\b" if state.endswith("o") else rf"\b{state}\b")


def _negated(new: str, old: str) -> bool:
    denied = [NEGATION.search(text) is not None for text in (new, old)]
    if denied[0] == denied[1]:
        return False
    about = [{term[:ROOT] for term in _about(NEGATION.sub(" ", text))} for text in (new, old)]
    return bool(about[0]) and about[0] == about[1]


def _about(text: str) -> frozenset[str]:
    return frozenset(terms(text))
