"""Taking a model's reasoning out of its answer."""

import re
from typing import Final

OPENING: Final = re.compile(r"<(think|thinking|reasoning)>", re.IGNORECASE)
STRAY: Final = re.compile(r"</(think|thinking|reasoning)>", re.IGNORECASE)
LONGEST: Final = len("</reasoning>")


class Thoughts:
    """Passes a growing text on without its ``<think>`` blocks; one left open hides the rest.

    A tag in backticks is spoken of, not meant.
    """

    def __init__(self) -> None:
        self._held = ""
        self._before = ""
        self._closing: re.Pattern[str] | None = None

    def feed(self, piece: str) -> str:
        """Return what can be shown after one more piece; part of a tag waits for its rest."""
        self._held += piece
        shown = ""
        while (step := self._step()) is not None:
            shown += step
        cut = self._tag_begins()
        return shown + self._take(cut)

    def finish(self) -> str:
        """Return what waited in vain."""
        return "" if self._closing is not None else self._take(len(self._held))

    def _step(self) -> str | None:
        """Return the text before the next whole tag and go past it, None where there is none."""
        found = self._next_tag()
        if found is None:
            return None
        if self._closing is not None:
            self._held, self._closing = self._held[found.end() :], None
            return ""
        shown = self._take(found.start())
        self._held = self._held[len(found[0]) :]
        if found[0][1] != "/":
            self._closing = re.compile(f"</{found[1]}>", re.IGNORECASE)
        return shown

    def _next_tag(self) -> re.Match[str] | None:
        if self._closing is not None:
            return self._closing.search(self._held)
        tags = [*OPENING.finditer(self._held), *STRAY.finditer(self._held)]
        meant = (tag for tag in tags if (self._before + self._held[: tag.start()])[-1:] != "`")
        return min(meant, key=re.Match.start, default=None)

    def _tag_begins(self) -> int:
        """Return where a tag may begin that is not whole yet."""
        if self._closing is not None:
            self._held = self._held[-LONGEST:]
            return 0
        start = self._held.rfind("<", -LONGEST)
        return len(self._held) if start < 0 or ">" in self._held[start:] else start

    def _take(self, end: int) -> str:
        taken, self._held = self._held[:end], self._held[end:]
        self._before = taken[-1:] or self._before
        return taken
