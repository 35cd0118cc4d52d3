"""Retrieval as a library: from options to a retriever, and from passages to a prompt."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from plugins.rag.config import RagConfig
from plugins.rag.embedders.own import OwnEmbedder
from plugins.rag.errors import Code, RagError
from plugins.rag.rag import Rag
from plugins.rag.search import Hit


def create_rag(
    options: Mapping[str, Any],
    *,
    folder: str | Path | None = None,
    on_error: Callable[[RagError], None] | None = None,
) -> Rag:
    """Return a retriever; nothing is read before its first use or `Rag.warmup`.

    ``options`` are those of the configuration, and ``embeddings`` may be an object with an ``id``
    and ``embed(texts)``. The index lies in ``folder``, or in memory without one. ``on_error`` is
    told of what goes wrong without stopping anything. `RagError` INVALID_OPTIONS says which option
    is wrong.
    """
    given = dict(options)
    own: Any = given.get("embeddings")
    embedder = None
    if hasattr(own, "embed"):
        embedder = OwnEmbedder(own)
        del given["embeddings"]
    try:
        config = RagConfig.model_validate(given)
    except ValidationError as error:
        raise RagError(Code.INVALID_OPTIONS, _told(error)) from None
    made = None if folder is None else _maker(Path(folder))
    return Rag(config, made, embedder=embedder, on_error=on_error)


def format_context(hits: Sequence[Hit]) -> str:
    """Return passages as numbered material for a prompt, each line of theirs marked as quoted."""
    return "\n\n".join(
        f"[{number}] {hit.citation}\n" + "\n".join(f"> {line}" for line in hit.text.splitlines())
        for number, hit in enumerate(hits, 1)
    )


def _maker(folder: Path) -> Callable[[], Path]:
    def made() -> Path:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder

    return made


def _told(error: ValidationError) -> str:
    faults = error.errors(include_url=False, include_input=False, include_context=False)
    return "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in faults)
