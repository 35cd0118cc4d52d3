"""Turns a tree into the values that a model is given, each scalar as its place asks for it.

A text stays what was written where a text may stand: ``no``, ``1.10``, ``0123`` and ``6E-578`` are
words there. Elsewhere a plain scalar is what YAML 1.2's core schema (section 10.3.2) makes of it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bot.config.nodes import Block, Fault, Items, Mark, Node, Scalar, joined, unknown
from bot.config.shapes import Shape
from bot.config.variables import expand

NULL: Final = re.compile(r"null|Null|NULL|~|")
BOOLEAN: Final = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
INTEGER: Final = re.compile(r"[-+]?[0-9]{1,1000}")
PREFIXED: Final = re.compile(r"0o[0-7]{1,1000}|0x[0-9a-fA-F]{1,1000}")
FLOAT: Final = re.compile(
    r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
)

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value stands, how to name it, and what may stand there.

    ``mark`` is the value's, ``key`` that of the key before it (of the value itself in a list).
    """

    mark: Mark
    key: Mark
    label: str
    node: Node
    shape: Shape


class Values:
    """The values of one block, their places by path, the faults met, and the texts put in."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.places: dict[Path, Place] = {}
        self.faults: list[Fault] = []
        self.texts: set[str] = set()
        self._environment = environment

    def of(self, place: Place, path: Path = ()) -> Any:
        """Return the value at a place and below."""
        self.places[path] = place
        if isinstance(place.node, Block):
            return self._block(place, place.node, path)
        if isinstance(place.node, Items):
            return [
                self.of(self._below(place, index, node, node.mark), (*path, index))
                for index, node in enumerate(place.node.nodes)
            ]
        return self._scalar(place, place.node)

    def _block(self, place: Place, block: Block, path: Path) -> dict[str, Any]:
        known, closed = place.shape.known, place.shape.closed
        values = {}
        for key, entry in block.entries.items():
            if closed and key not in known:
                self.faults.append(unknown(key, known, place.label, entry.mark))
            else:
                below = self._below(place, key, entry.node, entry.mark)
                values[key] = self.of(below, (*path, key))
        return values

    def _below(self, place: Place, part: str | int, node: Node, key: Mark) -> Place:
        if isinstance(part, int):
            label = joined(place.label, part, known=True)
            return Place(node.mark, key, label, node, place.shape.item(part))
        label = joined(place.label, part, known=part in place.shape.known)
        return Place(node.mark, key, label, node, place.shape.entry(part))

    def _scalar(self, place: Place, scalar: Scalar) -> Any:
        expanded = expand(scalar.text, self._environment)
        self.texts |= {scalar.text, expanded.text}
        self._complain(place, expanded.faults)
        if expanded.used or not scalar.plain:
            self._complain(place, _secret_fault(place.shape, expanded.text, expanded.used))
            return expanded.text
        value = _resolved(expanded.text, place.shape)
        self._complain(place, _word_fault(place.shape, value))
        self._complain(place, _secret_fault(place.shape, value, used=False))
        return value

    def _complain(self, place: Place, messages: Sequence[str]) -> None:
        self.faults += [Fault(place.mark, place.label, message) for message in messages]


def _secret_fault(shape: Shape, value: object, used: bool) -> Sequence[str]:  # noqa: FBT001
    if value in (None, "") or used or not shape.secret:
        return ()
    return ("a secret does not belong in a file; write ${NAME} and set that environment variable",)


def _word_fault(shape: Shape, value: object) -> Sequence[str]:
    """Refuse the words that YAML 1.1 took for booleans where only a boolean may stand."""
    if not isinstance(value, str) or "boolean" not in shape.types or shape.takes_text(value):
        return ()
    return ("should be true or false",)


def _resolved(text: str, shape: Shape) -> Any:
    if NULL.fullmatch(text):
        return {} if "object" in shape.types and not shape.types & {"null", "string"} else None
    if text in BOOLEAN:
        return BOOLEAN[text]
    if shape.takes_text(text):
        return text
    return _number(text, shape)


def _number(text: str, shape: Shape) -> int | float | str:
    if shape.free or shape.types & {"integer", "number"}:
        if INTEGER.fullmatch(text):
            return int(text)
        if PREFIXED.fullmatch(text):
            return int(text, 0)
    if (shape.free or "number" in shape.types) and FLOAT.fullmatch(text):
        return float(text.replace(".", "", 1) if text[-1] in "fFnN" else text)
    return text
