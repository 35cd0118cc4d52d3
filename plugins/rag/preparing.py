"""A source's bytes to what the index keeps of it."""

import os
from hashlib import sha256
from pathlib import Path
from typing import Final

from plugins.rag.chunking import chunk
from plugins.rag.config import RagConfig
from plugins.rag.database import FORMAT, Entry, Terms
from plugins.rag.documents import Chunk, Source
from plugins.rag.errors import Code, RagError
from plugins.rag.language import detect
from plugins.rag.loaders import load
from plugins.rag.words import terms

FIELD_WEIGHTS: Final = (5.0, 1.0, 2.0)


def fingerprint(config: RagConfig) -> str:
    """Return what, besides the content, decides a document's chunks."""
    return f"{FORMAT}:{config.chunk_size}:{config.overlap}"


def stamp(source: Source, settings: str) -> str:
    """Return a cheap mark of a source's state; it changes whenever the content may have."""
    if source.path is None:
        return ""
    state = os.stat(source.path)  # noqa: PTH116 - the same call, three times as fast
    return f"{settings}:{source.visible_to}:{state.st_mtime_ns}:{state.st_size}:{state.st_ino}"


def content(source: Source, most: int) -> bytes:
    """Return a source's bytes; `RagError` where it cannot be read or is too large."""
    if source.path is None:
        return source.text.encode()
    try:
        with source.path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise RagError(
            Code.LOAD_FAILED, f"{source.name} cannot be read: {error.strerror}"
        ) from error
    if len(data) > most:
        raise RagError(
            Code.LOAD_FAILED, f"{source.name} is larger than max_file_size ({most} bytes)"
        )
    return data


def signature(source: Source, settings: str, data: bytes) -> str:
    """Return what tells for sure whether a source is as it was."""
    return sha256(f"{settings}\0{source.visible_to}\0".encode() + data).hexdigest()


def prepare(
    source: Source, data: bytes, config: RagConfig, *, mark: str, signed: str
) -> tuple[Entry, tuple[str, ...]]:
    """Return a source's entry for the index, and notes on what of it could not be read."""
    document = load(source, data)
    chunks = chunk(document, config.chunk_size, config.overlap)
    if not chunks:
        raise RagError(Code.LOAD_FAILED, f"{source.name} holds no text")
    metadata = {"title": source.title, **document.metadata} if source.title else document.metadata
    about = " ".join((Path(source.name).stem, *metadata.values()))
    language = detect(document.text)
    entry = Entry(
        key=(source.origin, source.name),
        path=None if source.path is None else str(source.path),
        stamp=mark,
        signature=signed,
        visible_to=source.visible_to,
        metadata=metadata,
        chunks=[(piece, _terms(piece, about, language)) for piece in chunks],
    )
    return entry, document.notes


def _terms(piece: Chunk, about: str, language: str) -> Terms:
    language = detect(piece.text) or language
    fields = [terms(text, language) for text in (piece.heading, piece.text, about)]
    length = sum(weight * len(found) for weight, found in zip(FIELD_WEIGHTS, fields, strict=True))
    title, body, metadata = (" ".join(found) for found in fields)
    return Terms(title, body, metadata, length, language)
