"""HTML: what a reader sees, in sections by headings."""

import re
from html.parser import HTMLParser
from typing import Final

from plugins.rag.documents import Document
from plugins.rag.loaders.sections import document

HIDDEN: Final = frozenset({"script", "style", "template", "noscript", "svg", "nav", "head"})
WRITTEN: Final = """
address article aside blockquote dd div dl dt fieldset figcaption figure footer form header hr li
main ol p pre section table td th tr ul br
"""
BLOCKS: Final = frozenset(WRITTEN.split())
"""Elements that stand on lines of their own."""

HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
BLANKS: Final = re.compile(r"[ \t\r\f\v]+")
LINES: Final = re.compile(r"\s*\n\s*")
PATH: Final = " › "


def load(text: str) -> Document:
    """Return the sections of a page, its title as metadata."""
    page = _Page()
    page.feed(text)
    page.close()
    page.end_section()
    title = page.title.strip()
    return document(page.parts, {"title": title} if title else {})


class _Page(HTMLParser):
    """Gathers the visible text under each heading."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[tuple[str, str]] = []
        self.title = ""
        self._path: list[tuple[int, str]] = []
        self._text = ""
        self._hidden = 0
        self._heading: int | None = None
        self._named = ""
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        """Begin an element."""
        if tag == "title":
            self._in_title = True
        elif tag in HIDDEN:
            self._hidden += 1
        elif tag in HEADINGS:
            self.end_section()
            self._heading, self._named = HEADINGS[tag], ""
        elif tag in BLOCKS:
            self._text += "\n"

    def handle_endtag(self, tag: str) -> None:
        """End an element."""
        if tag == "title":
            self._in_title = False
        elif tag in HIDDEN:
            self._hidden = max(0, self._hidden - 1)
        elif tag in HEADINGS and self._heading is not None:
            self._path = [part for part in self._path if part[0] < self._heading]
            self._path.append((self._heading, " ".join(self._named.split())))
            self._heading = None
        elif tag in BLOCKS:
            self._text += "\n"

    def handle_data(self, data: str) -> None:
        """Take text in."""
        if self._in_title:
            self.title += data
        elif self._hidden:
            return
        elif self._heading is not None:
            self._named += data
        else:
            self._text += data

    def end_section(self) -> None:
        """Note what stands under the present heading."""
        shown = LINES.sub("\n", BLANKS.sub(" ", self._text)).strip()
        path = self._path if len(self._path) == 1 else [p for p in self._path if p[0] > 1]
        self.parts.append((PATH.join(name for _, name in path if name), shown))
        self._text = ""
