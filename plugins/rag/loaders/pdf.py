"""PDF, through pypdf: a section for each page."""

import io
from typing import Final

from plugins.rag.documents import Document
from plugins.rag.errors import Code, RagError
from plugins.rag.loaders.sections import document

MOST_PAGES: Final = 5_000
LISTED: Final = 20


def load(data: bytes) -> Document:
    """Return the pages that have text; a file without any is a fault, an empty page a note."""
    try:
        import pypdf  # noqa: PLC0415 - an extra
        from pypdf.errors import PyPdfError  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise RagError(
            Code.MISSING_DEPENDENCY,
            "PDF files need the package pypdf; run: pip install 'tertulia[documents]'",
        ) from error
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise ValueError("it is encrypted; give a copy without a password")
        pages = [_text(page) for page in reader.pages[:MOST_PAGES]]
    except (PyPdfError, OSError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"it is damaged ({type(error).__name__})") from error
    empty = [number for number, text in enumerate(pages, 1) if not text.strip()]
    if len(empty) == len(pages):
        raise ValueError("no text layer: its pages are pictures, which would have to be recognized")
    notes = [f"no text layer on page {_listed(empty)}"] if empty else []
    return document(((f"p. {n}", text) for n, text in enumerate(pages, 1)), notes=notes)


def _text(page: object) -> str:
    extracted: str = page.extract_text() or ""  # type: ignore[attr-defined]
    return extracted.replace("\x00", "")


def _listed(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:LISTED]))
    return shown if len(numbers) <= LISTED else f"{shown} and {len(numbers) - LISTED} more"
