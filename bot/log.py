"""Logging: one structured line an event, and nothing in it that is nobody's business.

Secrets that are known are masked wherever they stand. The text of an exception may quote what a
person wrote, so that it is shown at level debug only, unless this program or the system made it;
the type and the traceback always stand.
"""

import json
import logging
import sys
import traceback
from collections.abc import Collection, Iterator, Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Final, TextIO

from bot.api import BotError

correlation: ContextVar[str] = ContextVar("correlation", default="-")
"""The id of the message that is being handled, in every line about it."""

STANDARD: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
MASK: Final = "•••"
SHORTEST_SECRET: Final = 6
TALKATIVE: Final = ("httpx", "httpcore", "telegram", "discord", "asyncio", "aiosqlite")


def start(
    level: str, form: str, secrets: Collection[str] = (), stream: TextIO | None = None
) -> None:
    """Send all logging to one stream (stderr by default), as ``text`` or ``json`` lines.

    The libraries beneath are heard from level warning on: at info they print addresses that hold
    tokens.
    """
    handler = logging.StreamHandler(stream or sys.stderr)
    kind = JsonFormatter if form == "json" else TextFormatter
    handler.setFormatter(kind(secrets, show_errors=level == "debug"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)


class Formatter(logging.Formatter):
    """What both forms share: the fields of a record, masked."""

    def __init__(self, secrets: Collection[str], *, show_errors: bool) -> None:
        super().__init__()
        self.secrets = sorted((s for s in secrets if len(s) >= SHORTEST_SECRET), key=len)[::-1]
        self.show_errors = show_errors

    def fields(self, record: logging.LogRecord) -> Mapping[str, Any]:
        """Return time, level, logger, correlation id, message and the record's own fields."""
        extra = {k: v for k, v in vars(record).items() if k not in STANDARD}
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        return {
            "time": moment.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "id": correlation.get(),
            "message": record.getMessage(),
            **extra,
        }

    def trace(self, record: logging.LogRecord) -> str:
        """Return the traceback of the record's exception, its text only where that is harmless."""
        if not record.exc_info or record.exc_info[1] is None:
            return ""
        return "\n".join(self._chain(record.exc_info[1])).rstrip()

    def mask(self, line: str) -> str:
        """Return the line without any known secret."""
        for secret in self.secrets:
            line = line.replace(secret, MASK)
        return line

    def _chain(self, error: BaseException) -> Iterator[str]:
        earlier = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        if earlier is not None:
            yield from self._chain(earlier)
            yield "which led to"
        yield from self._frames(error.__traceback__)
        if isinstance(error, BaseExceptionGroup):
            for inner in error.exceptions:
                yield from self._chain(inner)
        harmless = self.show_errors or isinstance(error, BotError | OSError)
        text = f": {error}" if harmless and str(error) else ""
        yield f"{type(error).__module__}.{type(error).__qualname__}{text}"

    def _frames(self, trace: TracebackType | None) -> Iterator[str]:
        for frame in traceback.extract_tb(trace):
            yield f"  {frame.filename}:{frame.lineno} in {frame.name}"


class JsonFormatter(Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as JSON, the traceback under ``error``."""
        fields = dict(self.fields(record))
        if trace := self.trace(record):
            fields["error"] = trace
        return self.mask(json.dumps(fields, ensure_ascii=False, default=str))


class TextFormatter(Formatter):
    """One line for people: time, level, logger, id, message, fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as a line, the traceback on the lines below."""
        fields = dict(self.fields(record))
        head = [str(fields.pop(k)) for k in ("time", "level", "logger", "id", "message")]
        line = "{} {:7} {} [{}] {}".format(*head).replace("\n", " ⏎ ")
        line += "".join(f" {key}={value}" for key, value in fields.items())
        if trace := self.trace(record):
            line += "\n" + trace
        return self.mask(line)
