"""JSON, JSONL and CSV: each element, line or row is a passage of its own."""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from plugins.rag.documents import Document
from plugins.rag.loaders.sections import document

NAMES: Final = ("title", "name", "question", "heading", "id")
"""Fields that name an element, the first that there is."""

DEEPEST: Final = 50


def load_json(text: str) -> Document:
    """Return the elements of an array, or the one value, each with its fields as lines."""
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    elements = value if isinstance(value, list) else [value]
    return document(_part(number, element) for number, element in enumerate(elements, 1))


def load_lines(text: str) -> Document:
    """Return the value of each line; a line that is none is left out and noted."""
    parts, notes = [], []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            parts.append(_part(number, json.loads(line)))
        except (ValueError, RecursionError):
            notes.append(f"line {number} is no JSON")
    if notes and not parts:
        raise ValueError("no line of it is JSON")
    return document(parts, notes=notes)


def load_csv(text: str) -> Document:
    """Return the rows of a table whose first row names its columns."""
    try:
        dialect: Any = csv.Sniffer().sniff(text[:8192], ",;\t|")
    except csv.Error:
        dialect = csv.excel
    try:
        rows = list(csv.DictReader(io.StringIO(text), dialect=dialect))
    except csv.Error as error:
        raise ValueError(f"it is no table: {error}") from error
    named = ({str(k): v for k, v in row.items() if k is not None} for row in rows)
    return document(_part(number, row) for number, row in enumerate(named, 1))


def _part(number: int, value: Any) -> tuple[str, str]:
    name = next((str(value[n]) for n in NAMES if value.get(n)), "") if _is_object(value) else ""
    return name or f"#{number}", "\n".join(_lines("", value, 0))


def _lines(path: str, value: Any, depth: int) -> Iterator[str]:
    """Yield one line for each text, number or truth value, with the path to it."""
    if depth > DEEPEST:
        raise ValueError("it is nested too deeply")
    if _is_object(value):
        for name, inner in value.items():
            yield from _lines(f"{path}.{name}" if path else str(name), inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _lines(path, inner, depth + 1)
    elif value is not None and value != "":
        yield f"{path}: {value}" if path else str(value)


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping)
