"""Durations, sizes, ids and keys as an operator writes them, for plugins' configuration models.

The marker classes speak pydantic's protocol without importing it, so that this package needs the
standard library only.
"""

import re
from base64 import b64decode
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Final

DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d|w)")
SIZE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(B|KiB|MiB|GiB|kB|MB|GB)", re.IGNORECASE)
ID: Final = re.compile(r"[+-]?[0-9]+")
SECONDS: Final = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
KEY_BYTES: Final = 32
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
    try:
        return timedelta(seconds=float(found[1]) * SECONDS[found[2]])
    except OverflowError:
        message = "is longer than any duration can be"
        raise ValueError(message) from None


def parse_size(value: object) -> int:
    """Return the bytes that ``20MiB``, ``500kB``… names; ValueError for anything else."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    found = SIZE.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        message = "a size is a number and a unit: 500kB, 20MiB, 1GiB"
        raise ValueError(message)
    try:
        return int(float(found[1]) * BYTES[found[2].lower()])
    except OverflowError:
        message = "is larger than any size can be"
        raise ValueError(message) from None


def parse_id(value: object) -> str:
    """Return a platform's id as text with all of its digits; ValueError for anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and ID.fullmatch(value):
        return value
    message = "an id is a whole number with all of its digits, as in 1234567890123456789"
    raise ValueError(message)


def parse_key(text: str) -> bytes:
    """Return the 32 bytes of a key in base64; ValueError for anything else, not quoting it."""
    try:
        key = b64decode(text, validate=True)
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        message = "a key is 32 random bytes in base64, as `openssl rand -base64 32` makes one"
        raise ValueError(message) from None
    return key


class _Parsed:
    """Tells pydantic how to read a field from text, and from a number where that is one too."""

    def __init__(
        self, parse: Callable[[object], object], pattern: str, *, number: bool = False
    ) -> None:
        self.parse = parse
        self.pattern = pattern
        self.types = ["string", "integer"] if number else "string"

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        """Read the text before the field's own validation."""
        return {
            "type": "function-before",
            "function": {"type": "no-info", "function": self.parse},
            "schema": handler(source),
        }

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> Mapping[str, Any]:
        """Describe the text for editors."""
        return {"type": self.types, "pattern": f"^{self.pattern}$"}


class _Beside:
    """Tells pydantic that a path is relative to the folder of the configuration."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        """Complete the path after the field's own validation."""
        return {
            "type": "function-after",
            "function": {"type": "with-info", "function": _beside},
            "schema": handler(source),
        }


def _beside(path: Path, info: Any) -> Path:
    context = info.context if isinstance(info.context, Mapping) else {}
    return beside(Path(context.get("folder") or Path.cwd()), path)


def beside(folder: Path, path: Path) -> Path:
    """Return a path as seen from a folder, ``~`` being a home; ValueError where there is none."""
    try:
        return folder / path.expanduser()
    except RuntimeError:
        raise ValueError("there is no such user, whose home ~ would be") from None


Duration = Annotated[timedelta, _Parsed(parse_duration, DURATION.pattern)]
"""A field that is written ``10s`` and read as a timedelta."""

Size = Annotated[int, _Parsed(parse_size, SIZE.pattern, number=True)]
"""A field that is written ``20MiB`` and read as bytes."""

LocalPath = Annotated[Path, _Beside()]
"""A field for a file or folder: relative to the folder of the configuration, ``~`` is a home."""

Id = Annotated[str, _Parsed(parse_id, ID.pattern, number=True)]
"""A field for an id of a platform: a whole number, kept as text so that no digit is lost."""
