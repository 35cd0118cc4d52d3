"""Documents in, the right passages out: the library's front."""

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from plugins.rag.config import Match, Mode, Named, RagConfig
from plugins.rag.connections import Connections
from plugins.rag.database import Change, activate, active, known, write
from plugins.rag.documents import Origin, Source
from plugins.rag.embedders import Embedder, Encoder, Service, Vectors
from plugins.rag.embedders.making import make
from plugins.rag.embedders.options import ADDRESSES
from plugins.rag.errors import Code, RagError
from plugins.rag.ingest import Ingest, Ingested, embedded
from plugins.rag.search import Hit, Request, Searcher
from plugins.rag.snapshot import Space
from plugins.rag.sources import Found, find
from plugins.rag.watching import watch

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Status:
    """What the index holds."""

    documents: int
    chunks: int
    embedder: str
    file: Path | None
    size: int


class Rag:
    """Finds passages in documents; they are loaded at first use or by `warmup`.

    Nothing blocks the event loop. `close` it in the end.
    """

    def __init__(
        self,
        config: RagConfig,
        folder: Callable[[], Path] | None = None,
        *,
        embedder: Embedder | None = None,
        on_error: Callable[[RagError], None] | None = None,
    ) -> None:
        self._config = config
        self._on_error = on_error or _log
        self._embedder = embedder or make(config.embeddings)
        self._index = Connections(folder if config.persist else None, self._on_error)
        self._completing: asyncio.Task[None] | None = None
        self._watching: asyncio.Task[None] | None = None
        self._build: asyncio.Task[Ingested] | None = None
        self._failed = 0.0
        self._changing = asyncio.Lock()

    @property
    def recipients(self) -> Sequence[str]:
        """Who is sent what people ask: the embedder's server, where there is one."""
        embeddings = self._config.embeddings
        if embeddings == "local" or embeddings.provider not in ADDRESSES:
            return ()
        return [f"{embeddings.provider} ({urlsplit(embeddings.address).hostname})"]

    async def retrieve(  # noqa: PLR0913 - what a caller may vary
        self,
        query: str,
        *,
        top_k: int | None = None,
        audience: Collection[str] = (),
        min_score: float | None = None,
        mode: Mode | None = None,
        match: Match | None = None,
    ) -> Sequence[Hit]:
        """Return the best passages first; only those that ``audience`` (scopes) may see.

        Waits for a build that is under way; cancelling this wait does not cancel the build.
        """
        await self.warmup()
        config = self._config
        request = Request(
            query,
            top_k=config.top_k if top_k is None else top_k,
            mode=mode or config.mode,
            match=match or config.match,
            fusion=config.fusion,
            min_score=config.min_score if min_score is None else min_score,
            audience=audience,
        )
        try:
            return await self._search(request)
        except sqlite3.DatabaseError as error:
            async with self._changing:
                await self._index.set_aside(error)
            await self.refresh()
            return await self._search(request)

    async def warmup(self) -> Ingested:
        """Load the documents unless that is done; return what the last build did.

        After a failure it fails at once with the same error for the time of ``retry_delay``.
        """
        if self._build is None or self._may_retry():
            self._build = asyncio.create_task(self._ingest(), name="rag build")
        return await asyncio.shield(self._build)

    async def refresh(self) -> Ingested:
        """Look at the documents again and take in what changed."""
        if self._build is not None and self._build.done():
            self._build = None
        return await self.warmup()

    async def add_text(
        self, text: str, source: str, *, title: str = "", visible_to: Sequence[str] | None = None
    ) -> str:
        """Add a document, over the one that was added under the same name; return its id."""
        await self.warmup()
        visible = None if visible_to is None else tuple(visible_to)
        added = Source(Origin.ADDED, source, None, text, visible, title)
        async with self._changing:
            done = await self._worker().add([added])
        for fault in done.faults:
            raise fault
        return f"{Origin.ADDED}:{source}"

    async def add_files(
        self,
        paths: Sequence[str | Path],
        *,
        title: str = "",
        visible_to: Sequence[str] | None = None,
    ) -> Ingested:
        """Add files, folders and globs as they are now; return what was read and what was not."""
        visible = None if visible_to is None else tuple(visible_to)
        await self.warmup()
        found = await asyncio.to_thread(_found, paths, visible)
        sources = [replace(s, origin=Origin.ADDED, title=title) for s in found.sources]
        async with self._changing:
            done = await self._worker().add(sources)
        done.faults[:0] = found.faults
        return done

    async def save(self) -> None:
        """Bring all of the index into its one file; PERSIST_FAILED where it has none."""
        if self._index.file() is None:
            raise RagError(Code.PERSIST_FAILED, "the index is in memory: it has no folder")
        await self._index.write(lambda db: db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone())

    async def documents(self) -> Sequence[str]:
        """Return the ids of the documents that the index holds."""
        await self.warmup()
        keys = await self._index.write(lambda db: list(known(db, *Origin)))
        return sorted(f"{origin}:{name}" for origin, name in keys)

    async def remove_document(self, document: str) -> bool:
        """Remove a document by id; tell whether it was there."""
        origin, _, name = document.partition(":")
        await self.warmup()
        async with self._changing:
            return await self._index.write(lambda db: _removed(db, origin, name))

    async def status(self) -> Status:
        """Return what the index holds at the moment."""
        file = self._index.file()
        documents, chunks = await self._index.mended(lambda: self._index.write(_counts))
        size = file.stat().st_size if file is not None else 0
        return Status(documents, chunks, self._embedder.key, file, size)

    async def close(self) -> None:
        """Stop a build that is under way and let go of the file."""
        for task in (self._watching, self._build, self._completing):
            if task is not None and not task.done():
                task.cancel()
                await asyncio.wait([task])
        if isinstance(self._embedder, Service):
            await self._embedder.close()
        await self._index.close()

    def _may_retry(self) -> bool:
        """Tell whether the last build failed, long enough ago."""
        build = self._build
        if build is None or not build.done():
            return False
        if not build.cancelled() and build.exception() is None:
            return False
        return time.monotonic() - self._failed >= self._config.retry_delay.total_seconds()

    async def _ingest(self) -> Ingested:
        try:
            done = await self._look()
        except BaseException:
            self._failed = time.monotonic()
            raise
        for fault in done.faults:
            self._on_error(fault)
        if self._config.watch and self._watching is None:
            self._watching = asyncio.create_task(
                watch(self._look, self._on_error), name="rag watch"
            )
        return done

    async def _look(self) -> Ingested:
        async with self._changing:
            return await self._index.mended(self._files)

    async def _files(self) -> Ingested:
        space = await self._index.write(active)
        if isinstance(self._embedder, Service):
            await self._embedder.settle(space)
        done = await self._worker().files()
        if not await self._index.write(lambda db: activate(db, self._embedder.key)):
            self._change(space)
        return done

    def _change(self, space: str | None) -> None:
        """Go over to another embedder in the background; until then the words alone decide."""
        if self._completing is None or self._completing.done():
            if space is not None:
                told = f"the embedder changed from {space} to {self._embedder.key}; embedding anew"
                self._on_error(RagError(Code.EMBEDDER_CHANGED, told))
            self._completing = asyncio.create_task(self._complete(), name="rag embedding")

    async def _complete(self) -> None:
        while True:
            try:
                await self._worker().complete()
            except RagError as error:
                self._on_error(error)
            except sqlite3.DatabaseError as error:
                self._on_error(RagError(Code.PERSIST_FAILED, f"vectors could not be kept: {error}"))
            else:
                return
            await asyncio.sleep(self._config.retry_delay.total_seconds())

    async def settled(self) -> None:
        """Wait until a change of the embedder is through."""
        if self._completing is not None:
            await asyncio.shield(self._completing)

    def _worker(self) -> Ingest:
        return Ingest(self._config, self._embedder, self._index.write)

    async def _search(self, request: Request) -> Sequence[Hit]:
        vectors = await self._embedded(request)

        def search(searcher: Searcher) -> Sequence[Hit]:
            vector = vectors
            if request.mode != "bm25" and isinstance(self._embedder, Encoder):
                vector = self._embedder.encode([request.text], query=True)[0]
            space = Space(self._embedder.key, self._embedder.dimensions)
            return searcher.search(request, vector, space)

        return await self._index.read(search)

    async def _embedded(self, request: Request) -> Vectors | None:
        """Return a question's vector where a server makes it; a hybrid search does without."""
        if request.mode == "bm25" or isinstance(self._embedder, Encoder):
            return None
        try:
            vectors = await embedded(self._embedder, [request.text], query=True)
        except RagError as error:
            if request.mode == "vector":
                raise
            self._on_error(error)
            return None
        first: Vectors = vectors[0]
        return first


def _log(error: RagError) -> None:
    log.warning("%s", error, extra={"code": error.code})


def _found(paths: Sequence[str | Path], visible: tuple[str, ...] | None) -> Found:
    return find([Named(path=Path(path).absolute(), visible_to=visible) for path in paths])


def _removed(db: sqlite3.Connection, origin: str, name: str) -> bool:
    found = (
        known(db, Origin(origin)).get((Origin(origin), name)) if origin in list(Origin) else None
    )
    if found is not None:
        write(db, Change(removed=[found.id]))
    return found is not None


def _counts(db: sqlite3.Connection) -> tuple[int, int]:
    row = db.execute("SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM chunks)")
    documents, chunks = row.fetchone()
    return int(documents), int(chunks)
