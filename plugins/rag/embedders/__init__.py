"""What turns texts into vectors."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""One row a text, of length 1 (or 0 for a text without content)."""


class Embedder(Protocol):
    """A vector space: ``key`` names it with all that decides what its vectors mean."""

    @property
    def key(self) -> str:
        """The space's name; vectors of another name can't be compared with these."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        ...


@runtime_checkable
class Encoder(Embedder, Protocol):
    """An embedder that computes in this process."""

    def encode(self, texts: Sequence[str], *, query: bool) -> Vectors:
        """Return the texts' vectors, as queries or as documents; it takes CPU time."""
        ...


@runtime_checkable
class Service(Embedder, Protocol):
    """An embedder that asks elsewhere."""

    async def settle(self, space: str | None) -> None:
        """Learn what it does not know of itself, from the space at hand where that is its own."""
        ...

    async def embed(self, texts: Sequence[str], *, query: bool) -> Vectors:
        """Return the texts' vectors, as queries or as documents."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...
