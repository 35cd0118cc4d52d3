"""Brings the index to the state of its sources: only what changed is processed again."""

import asyncio
import sqlite3
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from plugins.rag.config import RagConfig
from plugins.rag.database import (
    Change,
    Entry,
    Key,
    Known,
    activate,
    keep_vectors,
    known,
    lacking,
    missing,
    write,
)
from plugins.rag.documents import Chunk, Origin, Source
from plugins.rag.embedders import Embedder, Encoder, Service, Vectors
from plugins.rag.errors import Code, RagError
from plugins.rag.preparing import content, fingerprint, prepare, signature, stamp
from plugins.rag.sources import find

BATCH: Final = 64
RACY_SECONDS: Final = 2.0
"""A file that changed this recently may change again without a new time stamp."""


@dataclass(slots=True)
class Ingested:
    """What a build did: counts of documents, the passages embedded, and what went wrong.

    ``faults`` are documents that could not be read, ``notes`` say what is missing of others.
    """

    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    embedded: int = 0
    faults: list[RagError] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Ingest:
    """Builds over a connection that ``call`` runs functions on, in a thread of their own."""

    config: RagConfig
    embedder: Embedder
    call: Callable[[Callable[[sqlite3.Connection], object]], Awaitable[object]]

    async def files(self) -> Ingested:
        """Take in what the configuration names, and let go of what it no longer does."""
        before = await self._known()
        change, done = await asyncio.to_thread(self._compare, before)
        await self._apply(change, done)
        return done

    async def add(self, sources: Sequence[Source]) -> Ingested:
        """Take in further sources, over those of the same origin and name."""
        done = Ingested()
        change = await asyncio.to_thread(self._read, sources, done)
        await self._apply(change, done)
        return done

    async def _known(self) -> Mapping[Key, Known]:
        found: Mapping[Key, Known] = {}

        def read(db: sqlite3.Connection) -> None:
            nonlocal found
            found = known(db, Origin.FILE, Origin.INLINE)

        await self.call(read)
        return found

    def _compare(self, before: Mapping[Key, Known]) -> tuple[Change, Ingested]:
        found = find(self.config.documents)
        done = Ingested(faults=list(found.faults))
        change = Change()
        left = dict(before)
        for source in found.sources:
            self._take(source, left.pop((source.origin, source.name), None), change, done)
        change.removed += [document.id for document in left.values()]
        done.removed += len(left)
        return change, done

    def _read(self, sources: Sequence[Source], done: Ingested) -> Change:
        change = Change()
        for source in sources:
            self._take(source, None, change, done)
        return change

    def _take(self, source: Source, before: Known | None, change: Change, done: Ingested) -> None:
        """Note what a source changes; a faulty one keeps nothing of what it was."""
        try:
            changed = self._changed(source, before, change, done)
        except RagError as error:
            done.faults.append(error)
            if before is not None:
                change.removed.append(before.id)
            return
        done.changed += changed
        done.unchanged += not changed

    def _changed(
        self, source: Source, before: Known | None, change: Change, done: Ingested
    ) -> bool:
        settings = fingerprint(self.config)
        mark = _lasting(source, settings)
        if before is not None and mark and before.stamp == mark:
            return False
        data = content(source, self.config.max_file_size)
        signed = signature(source, settings, data)
        if before is not None and before.signature == signed:
            change.stamps.append((before.id, mark))
            return False
        entry, notes = prepare(source, data, self.config, mark=mark, signed=signed)
        change.entries.append(entry)
        done.notes += [f"{source.name}: {note}" for note in notes]
        return True

    async def _apply(self, change: Change, done: Ingested) -> None:
        if not change:
            return
        done.embedded = await self._embed(change.entries)
        await self.call(lambda db: write(db, change))

    async def _embed(self, entries: Sequence[Entry]) -> int:
        texts = {chunk.hash: chunk.embedded for entry in entries for chunk, _ in entry.chunks}
        absent: list[bytes] = []
        space = self.embedder.key
        await self.call(lambda db: absent.extend(missing(db, space, texts)))
        wanted = [key for key in texts if key in set(absent)]
        for start in range(0, len(wanted), BATCH):
            batch = wanted[start : start + BATCH]
            await self._keep(batch, [texts[key] for key in batch])
        return len(wanted)

    async def complete(self) -> int:
        """Embed what has no vector in the embedder's space, and let searches use it from then on.

        Return how many passages that were. What was embedded stays when this is broken off.
        """
        count = 0
        while chunks := await self._lacking():
            await self._keep([chunk.hash for chunk in chunks], [c.embedded for c in chunks])
            count += len(chunks)
        await self.call(lambda db: activate(db, self.embedder.key))
        return count

    async def _lacking(self) -> Sequence[Chunk]:
        found: list[Chunk] = []
        await self.call(lambda db: found.extend(lacking(db, self.embedder.key, BATCH)))
        return found

    async def _keep(self, hashes: Sequence[bytes], texts: Sequence[str]) -> None:
        vectors = await embedded(self.embedder, texts, query=False)
        space = self.embedder.key
        await self.call(lambda db: keep_vectors(db, space, hashes, vectors))


async def embedded(embedder: Embedder, texts: Sequence[str], *, query: bool) -> Vectors:
    """Return texts' vectors without blocking the event loop.

    EMBEDDING_FAILED where they are not one finite vector of the embedder's size for each text.
    """
    if isinstance(embedder, Encoder):
        vectors = await asyncio.to_thread(embedder.encode, texts, query=query)
    elif isinstance(embedder, Service):
        vectors = await embedder.embed(texts, query=query)
    else:
        raise RagError(Code.INVALID_OPTIONS, "an embedder has either `encode` or `embed`")
    wanted = (len(texts), embedder.dimensions)
    if vectors.shape != wanted or not np.isfinite(vectors).all():
        raise RagError(
            Code.EMBEDDING_FAILED,
            f"{embedder.key} gave vectors of the shape {vectors.shape} where {wanted} was asked"
            " for, or some that are no numbers",
        )
    return vectors


def _lasting(source: Source, settings: str) -> str:
    """Return a source's stamp, "" where it may not last."""
    try:
        mark = stamp(source, settings)
        if source.path is None or time.time() - source.path.stat().st_mtime < RACY_SECONDS:
            return ""
    except OSError as error:
        raise RagError(
            Code.LOAD_FAILED, f"{source.name} cannot be read: {error.strerror}"
        ) from error
    return mark
