"""Reads a YAML 1.2 file into a tree; limits keep a hostile or mistaken file from costing much."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from bot.api import ConfigError
from bot.config.building import Builder, Refused
from bot.config.nodes import Block, Fault, Mark

LARGEST: Final = 256 * 1024
UNPRINTABLE: Final = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
)
UNICODE_MARKS: Final = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
BRACKETS: Final = re.compile(r"(?:[\[{]\s*){40}")
OTHERWISE: Final = "is no YAML here"
MESSAGES: Final[Mapping[str, str]] = {
    "flow sequence": "`,` or `]` is missing here",
    "flow mapping": "`,` or `}` is missing here",
    "simple key": "`:` is missing behind this key",
    "mapping values": "`:` cannot stand here; quote the text, or mend the indentation",
    "sequence entries": "a list cannot begin here; mend the indentation",
    "document separator": "these quotes are never closed",
    "quoted scalar found unexpected end": "these quotes are never closed",
    "double-quoted": "this escape is unknown; between single quotes a backslash is nothing special",
    "cannot start any token": "this sign cannot begin a text; put quotes around it",
    "<block end>": "the indentation does not fit the lines above",
    "block scalar": "this text has a faulty beginning or indentation",
    "tag": "this tag (!) is unknown; leave it out",
}
"""What the parser says, by a part of it, and what it means to an operator."""


def read(path: Path) -> tuple[Block, list[Fault]]:
    """Return the file's tree, and what is wrong in it that does not end the reading.

    Raises `ConfigError` when there is no tree to go on with.
    """
    text = _text(path)
    try:
        return _built(text)
    except Refused as refusal:
        raise ConfigError(refusal.fault.line(str(path))) from None


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(LARGEST + 1)
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such file; `tertulia init` writes one") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    if len(content) > LARGEST:
        raise ConfigError(f"{path}: is larger than {LARGEST // 1024} KiB; it is no configuration")
    if content.startswith(UNICODE_MARKS):
        raise ConfigError(f"{path}:1:1 is written in UTF-16 or UTF-32; save it as UTF-8")
    return _decoded(path, content)


def _decoded(path: Path, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8-sig", "replace")
        line = Fault(_mark_at(before, len(before)), "", "is not UTF-8 here; save it as UTF-8")
        raise ConfigError(line.line(str(path))) from None


def _built(text: str) -> tuple[Block, list[Fault]]:
    if found := UNPRINTABLE.search(text):
        raise Refused(_mark_at(text, found.start()), "a control character cannot stand here")
    if found := BRACKETS.search(text):
        raise Refused(_mark_at(text, found.start()), "nests too deeply")
    builder = Builder()
    for event in _events(text, builder):
        builder.take(event)
    root = builder.root
    if root is None or builder.empty:
        raise Refused(Mark(), "is empty; `tertulia init` writes a configuration")
    if not isinstance(root, Block):
        raise Refused(root.mark, "should hold keys with values, as in `language: en`")
    return root, builder.faults


def _events(text: str, builder: Builder) -> Iterator[Any]:
    try:
        yield from YAML(typ="safe", pure=True).parse(text)
    except MarkedYAMLError as error:
        raise _syntax(text, error) from None
    except (YAMLError, ValueError, OverflowError):
        raise Refused(builder.mark, "cannot be read from here on") from None


def _syntax(text: str, error: MarkedYAMLError) -> Refused:
    """Return the fault in words that quote nothing of the file."""
    place = error.problem_mark or error.context_mark
    mark = Mark(place.line + 1, place.column + 1)
    if text[place.index : place.index + 1] == "\t":
        return Refused(mark, "a tab cannot stand here; indent with spaces")
    if text[place.index - 1 : place.index + 1] == "${":
        return Refused(mark, 'between brackets a variable needs quotes: "${NAME}"')
    said = f"{error.context} {error.problem}"
    message = next((ours for theirs, ours in MESSAGES.items() if theirs in said), OTHERWISE)
    begin = mark.line if error.context_mark is None else error.context_mark.line + 1
    since = f" (in what begins at line {begin})" if begin != mark.line else ""
    return Refused(mark, message + since)


def _mark_at(text: str, index: int) -> Mark:
    begin = text.rfind("\n", 0, index) + 1
    return Mark(text.count("\n", 0, index) + 1, index - begin + 1)
