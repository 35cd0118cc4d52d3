"""Puts texts under headings together to one document."""

from collections.abc import Iterable, Mapping
from typing import Final

from plugins.rag.documents import Document, Section

GAP: Final = "\n\n"


def document(
    parts: Iterable[tuple[str, str]],
    metadata: Mapping[str, str] | None = None,
    notes: Iterable[str] = (),
) -> Document:
    """Return a document of pairs of heading and text; places are those in the text made so."""
    text = ""
    sections = []
    for heading, body in parts:
        if body.strip():
            sections.append(Section(heading, len(text), len(text) + len(body)))
            text += body + GAP
    return Document(text, tuple(sections), metadata or {}, tuple(notes))
