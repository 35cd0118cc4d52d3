"""What a place in the configuration may hold, as told by a model's JSON Schema."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

Schema = Mapping[str, Any]

NOTHING: Final[Schema] = {"type": "object", "properties": {}, "additionalProperties": False}
"""The schema of an empty block."""

COMBINED: Final = ("anyOf", "oneOf", "allOf")
REFERENCE: Final = "#/$defs/"


class Shape:
    """The alternatives that a JSON Schema (pydantic's, with ``$defs``) allows at one place."""

    def __init__(self, *schemas: Schema, definitions: Mapping[str, Schema]) -> None:
        self._definitions = definitions
        self._alternatives = [found for schema in schemas for found in self._flat(schema, ())]

    @property
    def free(self) -> bool:
        """Whether anything may stand here."""
        return not self._alternatives or any(
            not {"type", "enum", "const"} & found.keys() for found in self._alternatives
        )

    @cached_property
    def types(self) -> frozenset[str]:
        """JSON's names of the types that may stand here."""
        return frozenset(kind for found in self._alternatives for kind in _types(found))

    @property
    def known(self) -> Sequence[str]:
        """The keys that are named here."""
        return list(dict.fromkeys(key for found in self._blocks() for key in _properties(found)))

    @property
    def closed(self) -> bool:
        """Whether no other keys than the known ones may stand here.

        A model that ignores unknown keys is closed too: they are mistakes for all that.
        """
        blocks = list(self._blocks())
        return bool(blocks) and all(
            not found.get("additionalProperties", "properties" not in found)
            and "patternProperties" not in found
            for found in blocks
        )

    @property
    def secret(self) -> bool:
        """Whether a text here is kept from being shown (pydantic's SecretStr)."""
        texts = [found for found in self._alternatives if "string" in _types(found)]
        return bool(texts) and all(found.get("format") == "password" for found in texts)

    def takes_text(self, text: str) -> bool:
        """Tell whether this very text may stand here as a text."""
        return any(_takes_text(found, text) for found in self._alternatives)

    def entry(self, key: str) -> "Shape":
        """Return what may stand under a key."""
        return self._shape(found for block in self._blocks() for found in _under(block, key))

    def item(self, index: int) -> "Shape":
        """Return what may stand in a list at an index."""
        return self._shape(found for schema in self._alternatives for found in _at(schema, index))

    def _shape(self, schemas: Iterator[Schema]) -> "Shape":
        return Shape(*schemas, definitions=self._definitions)

    def _blocks(self) -> Iterator[Schema]:
        return (found for found in self._alternatives if "object" in _types(found))

    def _flat(self, schema: Schema, seen: tuple[str, ...]) -> Iterator[Schema]:
        name = str(schema.get("$ref", "")).removeprefix(REFERENCE)
        if name and name not in seen:
            yield from self._flat(self._definitions[name], (*seen, name))
        parts = [part for word in COMBINED for part in schema.get(word, ())]
        for part in parts:
            yield from self._flat(part, seen)
        if not parts and not name:
            yield schema


def _types(schema: Schema) -> Sequence[str]:
    kind = schema.get("type")
    if kind is None and ("enum" in schema or "const" in schema):
        values = [*schema.get("enum", ()), *([schema["const"]] if "const" in schema else ())]
        return ["string"] if any(isinstance(value, str) for value in values) else []
    return [kind] if isinstance(kind, str) else kind or []


def _properties(schema: Schema) -> Schema:
    found: Schema = schema.get("properties", {})
    return found


def _takes_text(schema: Schema, text: str) -> bool:
    if "string" not in _types(schema):
        return False
    if "enum" in schema:
        return text in schema["enum"]
    if "const" in schema:
        return bool(text == schema["const"])
    return _fits(schema.get("pattern"), text)


def _fits(pattern: str | None, text: str) -> bool:
    try:
        return pattern is None or re.search(pattern, text) is not None
    except re.error:  # a pattern of another dialect
        return True


def _under(block: Schema, key: str) -> Iterator[Schema]:
    others = [block.get("additionalProperties"), *block.get("patternProperties", {}).values()]
    if key in _properties(block):
        yield _properties(block)[key]
    else:
        yield from (found for found in others if isinstance(found, Mapping))


def _at(schema: Schema, index: int) -> Iterator[Schema]:
    first = schema.get("prefixItems", ())
    if index < len(first):
        yield first[index]
    elif isinstance(schema.get("items"), Mapping):
        yield schema["items"]
