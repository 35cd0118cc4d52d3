"""Lines from standard input without blocking the event loop."""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator
from concurrent.futures import CancelledError
from typing import Final

CHUNK: Final = 65536
LONGEST_LINE: Final = 1 << 20
AHEAD: Final = 64


async def lines(descriptor: int | None = None) -> AsyncIterator[bytes]:
    """Yield the lines of a file descriptor (standard input's) until its end.

    A line over a MiB is cut there. Reading is done by a thread on the bare descriptor, since a
    file, a pipe and a terminal all allow that, and since a thread that waits inside ``sys.stdin``
    would hold up the end of the process.
    """
    source = sys.stdin.fileno() if descriptor is None else descriptor
    queue: asyncio.Queue[bytes | None] = asyncio.Queue(AHEAD)
    loop = asyncio.get_running_loop()
    threading.Thread(target=_read, args=(source, loop, queue), daemon=True).start()
    while (line := await queue.get()) is not None:
        yield line


def _read(source: int, loop: asyncio.AbstractEventLoop, queue: asyncio.Queue[bytes | None]) -> None:
    rest = b""
    while chunk := _chunk(source):
        *whole, rest = (rest + chunk).split(b"\n")
        rest = rest[: LONGEST_LINE + 1]
        if not all(_put(loop, queue, line[: LONGEST_LINE + 1]) for line in whole):
            return
    if rest:
        _put(loop, queue, rest)
    _put(loop, queue, None)


def _chunk(source: int) -> bytes:
    try:
        return os.read(source, CHUNK)
    except OSError:
        return b""  # a closed or broken input has ended


def _put(
    loop: asyncio.AbstractEventLoop, queue: asyncio.Queue[bytes | None], line: bytes | None
) -> bool:
    putting = queue.put(line)
    try:
        asyncio.run_coroutine_threadsafe(putting, loop).result()
    except RuntimeError:
        putting.close()  # the loop is closed: nobody reads any more
        return False
    except CancelledError:
        return False
    return True
