"""Durations and sizes as an operator writes them, for plugins' configuration models.

The marker classes speak pydantic's protocol without importing it, so that this package needs the
standard library only.
"""

import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Annotated, Any, Final

DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d|w)")
SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(B|KiB|MiB|GiB|kB|MB|GB)", re.IGNORECASE)
SECONDS: Final = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
BYTES: Final = {
    "b": 1,
    "kib": 1 << 10,
    "mib": 1 << 20,
    "gib": 1 << 30,
    "kb": 10**3,
    "mb": 10**6,
    "gb": 10**9,
}


def parse_duration(value: object) -> timedelta:
    """Return the time that ``10s``, ``1.5h``, ``90d``… names; ValueError for anything else."""
    if isinstance(value, timedelta):
        return value
    found = DURATION.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        message = "a duration is a number and a unit: 500ms, 10s, 5m, 12h, 90d, 2w"
        raise ValueError(message)
    return timedelta(seconds=float(found[1]) * SECONDS[found[2]])


def parse_size(value: object) -> int:
    """Return the bytes that ``20MiB``, ``500kB``… names; ValueError for anything else."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    found = SIZE.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        message = "a size is a number and a unit: 500kB, 20MiB, 1GiB"
        raise ValueError(message)
    return int(float(found[1]) * BYTES[found[2].lower()])


class _Parsed:
    """Tells pydantic how to read a field from text."""

    def __init__(self, parse: Callable[[object], object], pattern: str) -> None:
        self.parse = parse
        self.pattern = pattern

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        """Read the text before the field's own validation."""
        return {
            "type": "function-before",
            "function": {"type": "no-info", "function": self.parse},
            "schema": handler(source),
        }

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Mapping[str, Any]:
        """Describe the text for editors."""
        return {"type": "string", "pattern": f"^{self.pattern}$"}


Duration = Annotated[timedelta, _Parsed(parse_duration, DURATION.pattern)]
"""A field that is written ``10s`` and read as a timedelta."""

Size = Annotated[int, _Parsed(parse_size, SIZE.pattern)]
"""A field that is written ``20MiB`` and read as bytes."""
