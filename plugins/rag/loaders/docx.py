"""Word's DOCX, through python-docx: sections by headings, tables row by row."""

import io
import zipfile
from collections.abc import Iterator
from typing import Any, Final

from plugins.rag.documents import Document
from plugins.rag.errors import Code, RagError
from plugins.rag.loaders.sections import document

MOST_BYTES: Final = 200 << 20
"""What an archive may unpack to; one that is a bomb says more."""

PATH: Final = " › "


def load(data: bytes) -> Document:
    """Return the sections of a document."""
    try:
        import docx  # noqa: PLC0415 - an extra
        from docx.opc.exceptions import PackageNotFoundError  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise RagError(
            Code.MISSING_DEPENDENCY,
            "DOCX files need the package python-docx; run: pip install 'tertulia[documents]'",
        ) from error
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > MOST_BYTES:
                raise ValueError("it unpacks to more than 200 MiB")
        found = docx.Document(io.BytesIO(data))
    except (zipfile.BadZipFile, KeyError, PackageNotFoundError) as error:
        raise ValueError(f"it is damaged ({type(error).__name__})") from error
    title = found.core_properties.title
    return document(_sections(found), {"title": title} if title else {})


def _sections(found: Any) -> Iterator[tuple[str, str]]:
    path: list[tuple[int, str]] = []
    lines: list[str] = []
    for block in found.iter_inner_content():
        level = _level(block)
        if level is None:
            lines += _lines(block)
            continue
        yield PATH.join(name for _, name in path), "\n\n".join(lines)
        lines = []
        path = [part for part in path if part[0] < level]
        path.append((level, block.text.strip()))
    yield PATH.join(name for _, name in path), "\n\n".join(lines)


def _level(block: Any) -> int | None:
    """Return the level of a heading, None for what is none."""
    style = getattr(getattr(block, "style", None), "name", None) or ""
    name, _, number = style.rpartition(" ")
    if name == "Heading" and number.isdecimal():
        return int(number)
    return 0 if style == "Title" else None


def _lines(block: Any) -> Iterator[str]:
    if hasattr(block, "rows"):
        for row in block.rows:
            yield " | ".join(cell.text.strip() for cell in row.cells)
    elif block.text.strip():
        yield block.text.strip()
