"""Markdown: sections by headings, front matter as metadata."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from plugins.rag.documents import Document, Section

FENCE: Final = re.compile(r"[ \t]*(?:>[ \t]?)*(?:[-*+][ \t]+|\d+[.)][ \t]+)?(`{3,}|~{3,})(.*)")
HEADING: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*")
UNDERLINE: Final = re.compile(r" {0,3}(=+|-{2,})[ \t]*")
PLAIN: Final = re.compile(r" {0,3}(?![-*+>#|\s]|\d+[.)] |```|~~~)\S")
FRONT: Final = re.compile(r"---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
LINK: Final = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
MARKUP: Final = re.compile(r"(\*\*|__|[*`]|(?<!\w)_|_(?!\w))")
PATH: Final = " › "
FRONT_LIMIT: Final = 65536


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its level from 1, its text, where its line begins and where its body does."""

    level: int
    text: str
    start: int
    body: int


def load(text: str) -> Document:
    """Return the sections of a Markdown text, each without its heading's line."""
    metadata, begin = _front_matter(text)
    headings = list(_headings(text, begin))
    first = headings[0].start if headings else len(text)
    sections = [Section("", begin, first)]
    titles = [heading for heading in headings if heading.level == 1]
    title = titles[0] if len(titles) == 1 and headings[0].level == 1 else None
    path: list[Heading] = []
    for index, heading in enumerate(headings):
        while path and path[-1].level >= heading.level:
            path.pop()
        path.append(heading)
        shown = path if len(path) == 1 else [part for part in path if part is not title]
        end = headings[index + 1].start if index + 1 < len(headings) else len(text)
        label = PATH.join(part.text for part in shown if part.text)
        sections.append(Section(label, heading.body, end))
    if title is not None:
        metadata = {"title": title.text, **metadata}
    return Document(text, tuple(sections), metadata)


def _headings(text: str, begin: int) -> Iterator[Heading]:
    previous = ""
    before = begin
    for start, line in _outside_fences(text, begin):
        end = start + len(line) + 1
        if found := HEADING.fullmatch(line):
            yield Heading(len(found[1]), _plain(found[2] or ""), start, end)
            previous = ""
        elif (found := UNDERLINE.fullmatch(line)) and PLAIN.match(previous):
            yield Heading(1 if found[1][0] == "=" else 2, _plain(previous), before, end)
            previous = ""
        else:
            previous, before = line, start


def _outside_fences(text: str, begin: int) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not code, with their offsets; a fence reads as an empty line."""
    fence = ""
    offset = begin
    for line in text[begin:].split("\n"):
        found = FENCE.fullmatch(line)
        if fence:
            if found and found[1].startswith(fence) and not found[2].strip():
                fence = ""
            yield offset, ""
        elif found and not (found[1][0] == "`" and "`" in found[2]):
            fence = found[1]
            yield offset, ""
        else:
            yield offset, line
        offset += len(line) + 1


def _plain(heading: str) -> str:
    return MARKUP.sub("", LINK.sub(r"\1", heading)).strip()


def _front_matter(text: str) -> tuple[Mapping[str, str], int]:
    found = FRONT.match(text)
    if found is None or found.end() > FRONT_LIMIT:
        return {}, 0
    try:
        values = YAML(typ="safe", pure=True).load(found[1] or "")
    except (YAMLError, ValueError):
        return {}, 0
    if not isinstance(values, dict):
        return {}, 0
    return {str(key): _flat(value) for key, value in values.items()}, found.end()


def _flat(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(str(part) for part in value if not isinstance(part, list | dict))
    return "" if value is None or isinstance(value, dict) else str(value)
