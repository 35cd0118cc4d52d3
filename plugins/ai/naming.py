"""How what people call themselves and their things stands in a prompt: as data, in one place."""

import json
import unicodedata
from typing import Final

LONGEST_NAME: Final = 64


def plain(text: str, longest: int | None = LONGEST_NAME) -> str:
    """Return one line of a text without control, format, and direction characters."""
    spaced = "".join(" " if char.isspace() else char for char in text)
    kept = "".join(char for char in spaced if unicodedata.category(char)[0] != "C")
    return " ".join(kept.split())[:longest]


def quoted(name: str) -> str:
    """Return a name as a JSON string of at most 64 characters."""
    return json.dumps(plain(name), ensure_ascii=False)


def data(text: str) -> str:
    """Return a text with each of its lines marked as quoted, so that none can pose as ours."""
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines()) or ">"
