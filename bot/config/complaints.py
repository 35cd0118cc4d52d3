"""Words pydantic's errors as faults: place, message and type, never a value."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from pydantic_core import ErrorDetails, ValidationError

from bot.config.nodes import Fault, Mark, Scalar, joined
from bot.config.redaction import redacted
from bot.config.values import BOOLEAN, NULL, Path, Place, Values

MESSAGES: Final[Mapping[str, str]] = {
    "missing": "is needed, and not given",
    "string_type": "should be a text",
    "int_type": "should be a whole number",
    "int_parsing": "should be a whole number",
    "int_from_float": "should be a whole number",
    "float_type": "should be a number",
    "float_parsing": "should be a number",
    "bool_type": "should be true or false",
    "bool_parsing": "should be true or false",
    "model_type": "should be a block of keys and values",
    "model_attributes_type": "should be a block of keys and values",
    "dict_type": "should be a block of keys and values",
    "list_type": "should be a list",
    "tuple_type": "should be a list",
    "set_type": "should be a list",
    "extra_forbidden": "there is no key of this name here",
}
LITERAL: Final = ("literal_error", "enum")
MISSING: Final = "missing"
PREFIXES: Final = ("Value error, ", "Assertion failed, ", "Input ")

Places = Mapping[Path, Place]


def faults(error: ValidationError, values: Values, vocabulary: Iterable[str]) -> Iterator[Fault]:
    """Yield a fault for each place that the error names, unless one is known there already.

    ``vocabulary`` are words of the models; of all other words in a message none is shown that was
    written in the configuration.
    """
    known = {(fault.mark, fault.label) for fault in values.faults}
    shown = set(vocabulary)
    details = error.errors(include_url=False, include_context=False, include_input=False)
    found: dict[tuple[Mark, str], list[str]] = {}
    for detail in _meant(details, (), 0, values.places):
        mark, label, message = _fault(detail, values.places)
        if (mark, label) not in known:
            found.setdefault((mark, label), []).append(message)
    for (mark, label), messages in found.items():
        text = ", or ".join(dict.fromkeys(messages))
        yield Fault(mark, label, redacted(text, values.texts, shown))


def _meant(
    details: Sequence[ErrorDetails], path: Path, depth: int, places: Places
) -> list[ErrorDetails]:
    """Return the errors without those of a union's alternatives that were not meant.

    What a location names beyond the places in the file is a missing key or an alternative.
    """
    kept = [detail for detail in details if len(detail["loc"]) <= depth or _ends(detail, depth)]
    deeper = [detail for detail in details if detail not in kept]
    alternatives = []
    for part, errors in _grouped(deeper, depth):
        if (*path, part) in places:
            kept += _meant(errors, (*path, part), depth + 1, places)
        else:
            alternatives.append(_meant(errors, path, depth + 1, places))
    return kept + _likeliest(alternatives, path, places)


def _grouped(
    details: Iterable[ErrorDetails], depth: int
) -> Iterable[tuple[str | int, list[ErrorDetails]]]:
    groups: dict[str | int, list[ErrorDetails]] = {}
    for detail in details:
        groups.setdefault(detail["loc"][depth], []).append(detail)
    return groups.items()


def _ends(detail: ErrorDetails, depth: int) -> bool:
    return detail["type"] == MISSING and len(detail["loc"]) == depth + 1


def _likeliest(
    alternatives: Sequence[list[ErrorDetails]], path: Path, places: Places
) -> list[ErrorDetails]:
    """Return the errors of the alternatives that are of the value's kind; of blocks, of one."""
    scalar = isinstance(places[path].node, Scalar)
    fitting = [
        errors
        for errors in alternatives
        if not any(_other_kind(e, scalar) and _path(e["loc"], places) == path for e in errors)
    ]
    if fitting and not scalar:
        return min(fitting, key=len)
    return [detail for errors in fitting or alternatives for detail in errors]


def _other_kind(detail: ErrorDetails, scalar: bool) -> bool:  # noqa: FBT001 - a kind
    return detail["type"].endswith("_type") or (not scalar and detail["type"] in LITERAL)


def _path(location: Iterable[str | int], places: Places) -> Path:
    path: Path = ()
    for part in location:
        if (*path, part) in places:
            path = (*path, part)
    return path


def _fault(detail: ErrorDetails, places: Places) -> Fault:
    place = places[_path(detail["loc"], places)]
    message = MESSAGES.get(detail["type"], detail["msg"])
    if detail["type"] == MISSING:
        label = joined(place.label, detail["loc"][-1], known=True)
        return Fault(place.key, label, message)
    if detail["type"] == "string_type" and isinstance(place.node, Scalar):
        message += _why_no_text(place.node.text)
    for prefix in PREFIXES:
        message = message.removeprefix(prefix)
    return Fault(place.mark, place.label, message)


def _why_no_text(text: str) -> str:
    if text in BOOLEAN:
        return "; put quotes around it: without them it is a boolean"
    if NULL.fullmatch(text):
        return ', and is empty; write "" if that is meant'
    return ""
