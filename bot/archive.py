"""A person's export as an archive, for people and for programs."""

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any, Final

NAME: Final = "my-data"


def archive(held: Mapping[str, Any]) -> bytes:
    """Return an archive with the same rows twice: as readable Markdown and as complete JSON."""
    buffer = io.BytesIO()
    complete = json.dumps(held, ensure_ascii=False, indent=2, default=str)
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as found:
        found.writestr(f"{NAME}.json", complete)
        found.writestr(f"{NAME}.md", "\n".join(_readable(held)))
    return buffer.getvalue()


def _readable(held: Mapping[str, Any]) -> Iterator[str]:
    for kind, kept in held.items():
        yield f"# {kind}\n"
        rows = kept
        if isinstance(kept, Mapping):
            rows = [{"name": name, "content": value} for name, value in kept.items()]
        for row in rows:
            yield from _row(row)
        yield ""


def _row(row: Any) -> Iterator[str]:
    if not isinstance(row, Mapping):
        yield f"- {_cell(row)}\n"
        return
    parts = [f"**{name}**: {_cell(value)}" for name, value in row.items() if value is not None]
    yield "- " + "  \n  ".join(parts) + "\n"


def _cell(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text.replace("\n", "\n    ")
