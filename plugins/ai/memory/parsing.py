"""Reading the answer of an extraction: exactly the agreed JSON, or nothing."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bot.api import Json
from plugins.ai.memory.fact import cleaned
from plugins.ai.memory.options import TYPES
from plugins.ai.thinking import Thoughts

FACTS: Final = "facts"
FIELDS: Final = frozenset({"type", "text", "confidence"})


class Malformed(ValueError):
    """An answer is not what was agreed; the text is the reason, in a few words."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a model takes for a fact; type and confidence only where facts are typed."""

    text: str
    type: str | None = None
    confidence: float | None = None


def schema(*, typed: bool) -> Mapping[str, Json]:
    """Return the JSON Schema of an answer."""
    text: Json = {"type": "string"}
    fact: Json = text
    if typed:
        fact = {
            "type": "object",
            "properties": {
                "type": {"type": "string", "enum": list(TYPES)},
                "text": text,
                "confidence": {"type": "number", "minimum": 0, "maximum": 1},
            },
            "required": ["type", "text", "confidence"],
            "additionalProperties": False,
        }
    return {
        "type": "object",
        "properties": {FACTS: {"type": "array", "items": fact}},
        "required": [FACTS],
        "additionalProperties": False,
    }


def parse(answer: str, *, typed: bool) -> Sequence[Candidate]:
    """Return the candidates of an answer; `Malformed` unless it is one object of the agreed shape.

    Reasoning is taken out first; one that never ends hides what follows it.
    """
    thoughts = Thoughts()
    text = (thoughts.feed(answer) + thoughts.finish()).strip()
    if not text:
        raise Malformed("empty")
    if not (text.startswith("{") and text.endswith("}")):
        raise Malformed("not only an object")
    found = _decoded(text)
    if not isinstance(found, dict) or found.keys() != {FACTS}:
        raise Malformed("other keys")
    if not isinstance(found[FACTS], list):
        raise Malformed("facts are no list")
    return [_typed(item) if typed else Candidate(_text(item)) for item in found[FACTS]]


def _decoded(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except Malformed:
        raise
    except (ValueError, RecursionError) as error:
        raise Malformed("no JSON") from error


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Malformed("a key twice")
    return found


def _no_constant(name: str) -> Any:
    raise Malformed(f"{name} is no JSON")


def _text(item: object) -> str:
    if not isinstance(item, str):
        raise Malformed("a fact is no text")
    return cleaned(item)


def _typed(item: object) -> Candidate:
    if not isinstance(item, dict) or item.keys() != FIELDS:
        raise Malformed("a fact lacks its fields")
    kind, confidence = item["type"], item["confidence"]
    if kind not in TYPES:
        raise Malformed("an unknown type")
    if isinstance(confidence, bool) or not isinstance(confidence, int | float):
        raise Malformed("a confidence is no number")
    if not 0 <= confidence <= 1:
        raise Malformed("a confidence is not from 0 to 1")
    return Candidate(_text(item["text"]), kind, float(confidence))
