"""The mark of a running bot in its data folder: one instance at a time, and its health."""

import fcntl
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import time
from typing import Any, Final

from bot.api import BotError

LOCK: Final = "tertulia.lock"
STATE: Final = "tertulia.state"
BEAT: Final = 15.0
"""Seconds between two reports; a report four times as old counts as dead."""

Beat = Callable[[Mapping[str, Any]], None]


@contextmanager
def running(data: Path) -> Iterator[Beat]:
    """Hold the data folder for this process and yield what writes its state down.

    Raises `BotError` when another process holds it: two of them would answer everything twice.
    """
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = os.open(data / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _lock(lock, data)
        yield lambda state: _write(data / STATE, {"pid": os.getpid(), "time": time(), **state})
        (data / STATE).unlink(missing_ok=True)
    finally:
        os.close(lock)


def health(data: Path) -> tuple[bool, str]:
    """Tell whether a bot runs on the data folder and is well, and say so in a line."""
    try:
        state = json.loads((data / STATE).read_text())
    except (OSError, ValueError):
        return False, "not running"
    if time() - state["time"] > 4 * BEAT:
        return False, "not responding"
    problems = [f"{name}: {text}" for name, text in state.get("degraded", {}).items()]
    return not problems, "; ".join(problems) or "running"


def _lock(lock: int, data: Path) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        message = f"another bot is running on {data}; stop it, or give this one a `data` of its own"
        raise BotError(message) from error


def _write(path: Path, state: Mapping[str, Any]) -> None:
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(state))
    fresh.replace(path)
