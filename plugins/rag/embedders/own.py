"""An operator's or a program's own embedder."""

import asyncio
from collections.abc import Sequence
from inspect import isawaitable
from typing import Any, Protocol

from plugins.rag.embedders import Vectors
from plugins.rag.embedders.remote import PROBE, unit
from plugins.rag.errors import Code, RagError


class Own(Protocol):
    """What a program hands over: a name of the vector space, and a function."""

    @property
    def id(self) -> str:
        """The name of the space; another model has another one."""
        ...

    def embed(self, texts: Sequence[str]) -> Any:
        """Return a vector a text, at once or as an awaitable."""
        ...


class OwnEmbedder:
    """Calls it in a thread of its own, or waits for it where it is asynchronous; a `Service`."""

    def __init__(self, own: Own, dimensions: int | None = None) -> None:
        self.dimensions = dimensions or 0
        self._own = own

    @property
    def key(self) -> str:
        """The space's name."""
        return f"own:{self._own.id}:{self.dimensions}"

    async def settle(self, space: str | None) -> None:  # noqa: ARG002 - asking costs little
        """Learn the length of a vector."""
        if self.dimensions == 0:
            self.dimensions = len((await self._asked([PROBE]))[0])

    async def embed(self, texts: Sequence[str], *, query: bool) -> Vectors:  # noqa: ARG002
        """Return the texts' vectors; `RagError` EMBEDDING_FAILED where there are none."""
        found = await self._asked(texts)
        return unit(found, self.dimensions)

    async def close(self) -> None:
        """Do nothing: whoever made it closes it."""

    async def _asked(self, texts: Sequence[str]) -> Sequence[Any]:
        try:
            found = await asyncio.to_thread(self._own.embed, list(texts))
            found = list(await found if isawaitable(found) else found)
        except Exception as error:
            message = f"the embedder {self._own.id} failed ({type(error).__name__})"
            raise RagError(Code.EMBEDDING_FAILED, message) from error
        if len(found) != len(texts):
            message = (
                f"the embedder {self._own.id} gave {len(found)} vectors for {len(texts)} texts"
            )
            raise RagError(Code.EMBEDDING_FAILED, message)
        return found
