"""From the options to an embedder."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from plugins.rag.embedders import Embedder
from plugins.rag.embedders.hashing import HashingEmbedder
from plugins.rag.embedders.options import ADDRESSES, Embeddings, load_function


@dataclass(frozen=True, slots=True)
class Named:
    """A function by its name."""

    id: str

    def embed(self, texts: Sequence[str]) -> Any:
        """Call it."""
        return load_function(self.id)(texts)


def make(embeddings: Embeddings) -> Embedder:
    """Return the embedder; only one that asks a server loads an HTTP client."""
    if embeddings == "local":
        return HashingEmbedder()
    if embeddings.provider in ADDRESSES:
        from plugins.rag.embedders.remote import RemoteEmbedder  # noqa: PLC0415

        return RemoteEmbedder(embeddings)
    from plugins.rag.embedders.own import OwnEmbedder  # noqa: PLC0415

    return OwnEmbedder(Named(embeddings.provider), embeddings.dimensions)
