"""What retrieval works on: sources, the documents that they hold, and chunks of these."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from pathlib import Path


class Origin(StrEnum):
    """How a document came in; each kind has names of its own."""

    FILE = "file"
    INLINE = "inline"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a document comes from: a file, or text that is given as it is.

    ``name`` is what readers see. Nobody but the scopes in ``visible_to`` may see what is in it,
    everybody where it is None.
    """

    origin: Origin
    name: str
    path: Path | None = None
    text: str = ""
    visible_to: tuple[str, ...] | None = None
    title: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of a document's text, in characters, under one heading (empty where none is)."""

    heading: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Document:
    """A document as loaded: its text, the sections to be chunked, and what is known about it.

    ``notes`` say what could not be read of it.
    """

    text: str
    sections: tuple[Section, ...]
    metadata: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage: a piece of one section's text, with its place in bytes of the UTF-8 original."""

    heading: str
    text: str
    start: int
    end: int

    @property
    def embedded(self) -> str:
        """The text that is embedded."""
        return f"{self.heading}\n{self.text}" if self.heading else self.text

    @property
    def hash(self) -> bytes:
        """Names the content, wherever it stands."""
        return sha256(self.embedded.encode()).digest()[:16]
