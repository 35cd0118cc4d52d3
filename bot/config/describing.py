"""Describes a model in JSON Schema as an operator writes its values."""

from datetime import timedelta
from typing import Any, Final

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from bot.config.shapes import COMBINED, REFERENCE

UNITS: Final = {"w": 604800, "d": 86400, "h": 3600, "m": 60, "s": 1}
COLLECTIONS: Final = ("array", "object")


def described(model: type[Any], prefix: str = "") -> dict[str, Any]:
    """Return a model's schema; ``prefix`` stands before the names of its definitions' references.

    Raises `PydanticInvalidForJsonSchema` for a type that no schema tells of.
    """
    template = f"{REFERENCE}{prefix}{{model}}"
    return TypeAdapter(model).json_schema(schema_generator=Generator, ref_template=template)


class Generator(GenerateJsonSchema):
    """Writes defaults as an operator writes them, and knows what validators may read."""

    def encode_default(self, dft: Any) -> Any:
        """Return a default as it would stand in the file."""
        return _duration(dft) if isinstance(dft, timedelta) else super().encode_default(dft)

    def function_before_schema(self, schema: Any) -> Any:
        """Return what a validator takes; one before a list or a block may well read a text."""
        inner = super().function_before_schema(schema)
        if "json_schema_input_schema" in schema or not self._is_collection(inner):
            return inner
        return self.get_flattened_anyof([inner, {"type": "string"}])

    def _is_collection(self, schema: Any) -> bool:
        found = self.resolve_ref_schema(schema)
        parts = [part for word in COMBINED for part in found.get(word, ())]
        return found.get("type") in COLLECTIONS or any(map(self._is_collection, parts))


def _duration(value: timedelta) -> str:
    milliseconds = value // timedelta(milliseconds=1)
    for unit, seconds in UNITS.items():
        if milliseconds and milliseconds % (seconds * 1000) == 0:
            return f"{milliseconds // (seconds * 1000)}{unit}"
    return f"{milliseconds}ms"
