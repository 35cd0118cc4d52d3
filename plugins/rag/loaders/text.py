"""Plain text: one section without a heading."""

from plugins.rag.documents import Document, Section


def load(text: str) -> Document:
    """Return the text as one section."""
    return Document(text, (Section("", 0, len(text)),))
