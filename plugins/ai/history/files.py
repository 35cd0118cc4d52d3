"""Conversations in files, one a chat."""

import asyncio
import json
import os
import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from hashlib import sha256
from logging import Logger
from pathlib import Path
from typing import IO, Any, Final

from bot.api import Entry, Role, StoreError
from plugins.ai.history.log import Record

REMEMBERED: Final = 200
"""How many chats' entries are held in memory; further ones are read again."""

NEW: Final = ".new"
"""What a file's name ends with while it is written anew."""

READABLE: Final = 40
"""How many characters of a chat's key stand in its file's name."""

Stamp = tuple[int, int]


class FileLog:
    """Keeps each chat in a file of JSON lines, in the clear; a `Log`.

    The first line names the chat. A line with a list holds entries that were written together, one
    with a mapping the mark below which entries are archived. A line that cannot be read is passed
    over with a warning.
    """

    def __init__(self, folder: Path, log: Logger) -> None:
        self._folder = folder
        self._log = log
        self._records: OrderedDict[str, tuple[Stamp, Record]] = OrderedDict()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for left in folder.glob(f"*{NEW}"):
            left.unlink()

    async def append(self, chat: str, entries: Sequence[Entry]) -> Sequence[Entry]:
        """Write entries; `StoreError` where that is not possible."""
        return await asyncio.to_thread(self._append, chat, entries)

    async def latest(self, chat: str, limit: int, *, archived: bool = False) -> Sequence[Entry]:
        """Return the last entries, oldest first."""
        record = await asyncio.to_thread(self._read, chat)
        return record.latest(limit, archived=archived)

    async def archive(self, chat: str, before: int) -> int:
        """Mark entries as archived."""
        return await asyncio.to_thread(self._archive, chat, before)

    async def drop(self, chat: str, which: Callable[[Entry], bool]) -> int:
        """Delete entries: the file is written anew without them."""
        return await asyncio.to_thread(self._drop, chat, which)

    async def chats(self) -> Sequence[str]:
        """Return the keys of the chats."""
        return await asyncio.to_thread(lambda: sorted(self._chats()))

    async def close(self) -> None:
        """Do nothing: every write is finished when its method returns."""

    def path(self, chat: str) -> Path:
        """Return a chat's file: its name is made of letters, digits and ``-`` only.

        A hash tells chats apart whose keys differ in nothing that a file's name can carry.
        """
        readable = re.sub(r"[^a-z0-9]+", "-", chat.lower())[:READABLE].strip("-")
        number = sha256(chat.encode(errors="surrogatepass")).hexdigest()[:32]
        return self._folder / f"{readable}-{number}.jsonl"

    def _append(self, chat: str, entries: Sequence[Entry]) -> Sequence[Entry]:
        record = self._read(chat)
        numbered = record.append(entries)
        self._write(chat, record, [_row(entry) for entry in numbered])
        return numbered

    def _archive(self, chat: str, before: int) -> int:
        record = self._read(chat)
        count = record.archive(before)
        if count:
            self._write(chat, record, _state(record))
        return count

    def _drop(self, chat: str, which: Callable[[Entry], bool]) -> int:
        record = self._read(chat)
        count = record.drop(which)
        if count:
            self._replace(chat, record)
        return count

    def _read(self, chat: str) -> Record:
        path = self.path(chat)
        with self._explained(chat):
            stamp = _stamp(path)
            held = self._records.pop(chat, None)
            record = Record()
            if held is not None and held[0] == stamp:
                record = held[1]
            elif stamp is not None:
                record = self._parsed(path)
            self._hold(chat, stamp, record)
            return record

    def _parsed(self, path: Path) -> Record:
        record = Record()
        for number, line in enumerate(_whole(path.read_bytes()).splitlines(), 1):
            try:
                _take(record, json.loads(line))
            except (ValueError, TypeError, KeyError):
                self._log.warning("line %d of %s cannot be read; passing it over", number, path)
        return record

    def _write(self, chat: str, record: Record, line: object) -> None:
        path = self.path(chat)
        with self._explained(chat):
            with _opened(path, "r+b") as file:
                whole = _whole(file.read())
                file.seek(len(whole.rstrip(b"\n")))
                file.truncate()
                file.write((b"\n" if whole else _line({"chat": chat})) + _line(line))
                file.flush()
                os.fsync(file.fileno())
            self._hold(chat, _stamp(path), record)

    def _replace(self, chat: str, record: Record) -> None:
        path = self.path(chat)
        new = path.with_suffix(NEW)
        lines = [{"chat": chat}, [_row(entry) for entry in record.entries], _state(record)]
        self._records.pop(chat, None)
        with self._explained(chat):
            if not record.entries:
                path.unlink()
                return
            try:
                with _opened(new, "wb") as file:
                    file.write(b"".join(map(_line, lines)))
                    file.flush()
                    os.fsync(file.fileno())
                new.replace(path)
            finally:
                new.unlink(missing_ok=True)
            self._hold(chat, _stamp(path), record)

    def _hold(self, chat: str, stamp: Stamp | None, record: Record) -> None:
        if stamp is not None:
            self._records[chat] = stamp, record
        while len(self._records) > REMEMBERED:
            self._records.popitem(last=False)

    def _chats(self) -> Iterator[str]:
        for path in self._folder.glob("*.jsonl"):
            with path.open("rb") as file:
                first = file.readline()
            try:
                yield str(json.loads(first)["chat"])
            except (ValueError, TypeError, KeyError):
                self._log.warning("%s does not begin with a line that names its chat", path)

    @contextmanager
    def _explained(self, chat: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self._records.pop(chat, None)
            message = f"{error.filename or self.path(chat)}: {error.strerror or error}"
            raise StoreError(message) from error


def _opened(path: Path, mode: str) -> IO[bytes]:
    """Open a file that only the bot's own user may read, making it where there is none."""
    kind = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
    return os.fdopen(os.open(path, kind, 0o600), mode)


def _stamp(path: Path) -> Stamp | None:
    """Return by what a change to a file is noticed; None where there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_size, found.st_mtime_ns


def _whole(content: bytes) -> bytes:
    """Return what a file holds without a last line that was cut off while it was written."""
    size = content.rfind(b"\n") + 1
    try:
        json.loads(content[size:])
    except ValueError:
        return content[:size]
    return content


def _line(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def _state(record: Record) -> Mapping[str, int]:
    return {"archived": record.mark, "last": record.last}


def _row(entry: Entry) -> Mapping[str, Any]:
    row = asdict(entry)
    del row["archived"]
    return row | {"time": None if entry.time is None else entry.time.isoformat()}


def _take(record: Record, value: Any) -> None:
    if isinstance(value, list):
        for entry in [_entry(row) for row in value]:
            record.entries.append(entry)
            record.last = max(record.last, entry.sequence)
    elif "chat" not in value:
        record.mark = int(value["archived"])
        record.last = max(record.last, int(value["last"]))


def _entry(row: Mapping[str, Any]) -> Entry:
    time = None if row["time"] is None else datetime.fromisoformat(row["time"])
    return Entry(**{**row, "role": Role(row["role"]), "time": time})
