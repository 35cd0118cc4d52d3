"""How values and times are written down, so that they come back exactly as they were."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from bot.api import Json
from bot.store.keys import valid

DEEPEST: Final = 100
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
FIRST: Final = datetime.min.replace(tzinfo=UTC) - EPOCH
LAST: Final = datetime.max.replace(tzinfo=UTC) - EPOCH
MICROSECOND: Final = timedelta(microseconds=1)

Clock = Callable[[], datetime]
"""Returns the present time, aware."""

_write = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def encode(value: Json) -> str:
    """Return the JSON text of a value; ValueError for what JSON cannot hold exactly.

    Integers of any size, all of Unicode and every finite float come back as they were; a tuple
    comes back as a list. Keys must be texts and nesting at most 100 deep.
    """
    return _write(_plain(value, 0))


def decode(text: str) -> Any:
    """Return the value of a JSON text."""
    return json.loads(text)


def _plain(value: object, depth: int) -> object:
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return valid("a value", value)
    if isinstance(value, float):
        return _finite(value)
    return _nested(value, depth + 1)


def _finite(value: float) -> float:
    if not math.isfinite(value):
        message = "JSON holds finite numbers only"
        raise ValueError(message)
    return value


def _nested(value: object, depth: int) -> object:
    if depth > DEEPEST:
        message = f"a value is nested more than {DEEPEST} deep"
        raise ValueError(message)
    if isinstance(value, Mapping):
        return {_key(key): _plain(part, depth) for key, part in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return [_plain(part, depth) for part in value]
    message = f"JSON knows no {type(value).__name__}"
    raise ValueError(message)


def _key(key: object) -> str:
    if not isinstance(key, str):
        message = f"JSON's keys are texts, not {type(key).__name__}"
        raise ValueError(message)  # noqa: TRY004 - one kind of error for every faulty value
    return valid("a key in a value", key)


def instant(time: datetime) -> int:
    """Return an aware time as microseconds since 1970 in UTC.

    ValueError for a naive time, and for one that UTC has no date for (outside of years 1 to 9999).
    """
    if time.utcoffset() is None:
        message = "a time must be aware: without a time zone it is no instant"
        raise ValueError(message)
    since = time - EPOCH
    if not FIRST <= since <= LAST:
        message = "a time must lie in the years 1 to 9999 in UTC"
        raise ValueError(message)
    return since // MICROSECOND


def expiry(expires: datetime | None) -> int | None:
    """Return the instant at which something expires, None for never."""
    return None if expires is None else instant(expires)


def moment(microseconds: int) -> datetime:
    """Return the aware UTC time of an instant."""
    return EPOCH + timedelta(microseconds=microseconds)


def ending(microseconds: int | None) -> datetime | None:
    """Return the time at which something expires, None for never."""
    return None if microseconds is None else moment(microseconds)
