"""Bytes of a text file to text, whatever wrote them."""

import codecs
import re
from typing import Final

BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
NEWLINES: Final = re.compile(r"\r\n?")
SAMPLE: Final = 4096
SPARSE: Final = 0.3
CONTROL: Final = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")


def decode(data: bytes) -> str:
    """Return the text with line feeds as its only line ends; ValueError where it is no text.

    A byte order mark decides the encoding, then UTF-16 shows by its zero bytes, then UTF-8 by its
    form; what is left is windows-1252, the web's reading of Latin-1.
    """
    text = NEWLINES.sub("\n", _decoded(data))
    if CONTROL.search(text):
        raise ValueError("it holds control characters, so it is no text in a known encoding")
    return text


def _decoded(data: bytes) -> str:
    for mark, encoding in BOMS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding)
    if (guess := _unmarked_utf16(data[:SAMPLE])) is not None:
        return data.decode(guess)
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("cp1252")


def _unmarked_utf16(sample: bytes) -> str | None:
    """Tell UTF-16 without a mark: Western text has a zero in every second byte."""
    half = len(sample) // 2
    if half == 0:
        return None
    even, odd = sample[0::2].count(0) / half, sample[1::2].count(0) / half
    if odd > SPARSE and even < odd / 4:
        return "utf-16-le"
    return "utf-16-be" if even > SPARSE and odd < even / 4 else None
