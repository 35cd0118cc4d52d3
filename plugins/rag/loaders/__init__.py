"""Files of each format to documents."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from plugins.rag.decoding import decode
from plugins.rag.documents import Document, Source
from plugins.rag.errors import Code, RagError
from plugins.rag.loaders import data, docx, html, markdown, pdf, text

Loader = Callable[[bytes], Document]


def _of_text(load: Callable[[str], Document]) -> Loader:
    return lambda data: load(decode(data))


LOADERS: Final[Mapping[str, Loader]] = {
    ".md": _of_text(markdown.load),
    ".markdown": _of_text(markdown.load),
    ".txt": _of_text(text.load),
    ".html": _of_text(html.load),
    ".htm": _of_text(html.load),
    ".json": _of_text(data.load_json),
    ".jsonl": _of_text(data.load_lines),
    ".csv": _of_text(data.load_csv),
    ".pdf": pdf.load,
    ".docx": docx.load,
}


def supported(path: Path) -> bool:
    """Tell whether files of this name can be loaded."""
    return path.suffix.lower() in LOADERS


def load(source: Source, content: bytes) -> Document:
    """Return the document in ``content``; `RagError` where it cannot be read."""
    suffix = Path(source.name).suffix.lower() if source.path is not None else ".md"
    if suffix not in LOADERS:
        known = ", ".join(sorted(LOADERS))
        raise RagError(
            Code.UNSUPPORTED_FORMAT, f"{source.name}: no loader for {suffix!r}; there are {known}"
        )
    try:
        return LOADERS[suffix](content)
    except RagError as error:
        raise RagError(error.code, f"{source.name}: {error}") from error
    except ValueError as error:
        raise RagError(Code.LOAD_FAILED, f"{source.name} cannot be read: {error}") from error
