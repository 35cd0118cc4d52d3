"""All that the memory store holds."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import count

from bot.api import Account, Document, Entry, Person
from bot.store.keys import CHAT, owner, refuse_older
from bot.store.values import Clock, decode

Drawer = tuple[str, str]
"""A scope and a namespace."""


@dataclass(slots=True)
class Row:
    """A document as it is stored: its value is JSON text, ``number`` grows with each new one."""

    number: int
    document: Document
    text: str

    def expired(self, now: datetime) -> bool:
        """Tell whether the document counts as gone."""
        return self.document.expires is not None and now >= self.document.expires

    def copy(self) -> Document:
        """Return the document with a value that is the caller's own."""
        return replace(self.document, value=decode(self.text))


@dataclass(slots=True)
class Log:
    """A chat's entries by sequence with their contents as JSON text.

    ``last`` is the highest sequence ever given; what is below ``archived`` is archived.
    """

    entries: dict[int, tuple[Entry, str]] = field(default_factory=dict)
    last: int = 0
    archived: int = 0

    def read(self, sequence: int) -> Entry:
        """Return an entry with a content that is the caller's own."""
        entry, text = self.entries[sequence]
        return replace(entry, content=decode(text), archived=sequence < self.archived)

    def of(self, person: str) -> list[int]:
        """Return the sequences of a person's entries."""
        return [n for n, (entry, _) in self.entries.items() if entry.person == person]

    def drop(self, person: str | None = None) -> int:
        """Delete a person's entries, or all; return how many."""
        found = list(self.entries) if person is None else self.of(person)
        for sequence in found:
            del self.entries[sequence]
        return len(found)

    def follow(self, earlier: "Log") -> None:
        """Put another log before this one; what either has archived is archived then."""
        shift = earlier.last
        moved = {sequence + shift: pair for sequence, pair in self.entries.items()}
        for sequence, (entry, text) in moved.items():
            moved[sequence] = (replace(entry, sequence=sequence), text)
        self.entries = earlier.entries | moved
        self.archived = self.archived + shift if self.archived else earlier.archived
        self.last += shift


@dataclass(slots=True)
class Rows:
    """The tables; ``erased`` has the present epoch of each person that was erased."""

    clock: Clock
    people: dict[str, Person] = field(default_factory=dict)
    accounts: dict[Account, tuple[Account, str]] = field(default_factory=dict)
    erased: dict[str, int] = field(default_factory=dict)
    documents: defaultdict[Drawer, dict[str, Row]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    logs: defaultdict[str, Log] = field(default_factory=lambda: defaultdict(Log))
    moves: dict[str, str] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def epoch(self, person: str) -> int:
        """Return a person's present epoch."""
        known = self.people.get(person)
        return self.erased.get(person, 0) if known is None else known.epoch

    def check(self, person: str | None, epoch: int | None) -> None:
        """Raise `Erased` where a person was erased after ``epoch``."""
        if person is not None:
            refuse_older(epoch, self.epoch(person))

    def chat(self, key: str) -> str:
        """Return the key that a chat has now."""
        return self.moves.get(key, key)

    def scope(self, scope: str) -> str:
        """Return a scope, that of a chat with the key that it has now."""
        if not scope.startswith(CHAT):
            return scope
        return f"{CHAT}{self.chat(scope.removeprefix(CHAT))}"

    def live(self, drawer: Drawer) -> dict[str, Row]:
        """Return the rows of a drawer by key, rid of those that have expired."""
        rows = self.documents.get(drawer, {})
        now = self.clock()
        for key in [key for key, row in rows.items() if row.expired(now)]:
            del rows[key]
        return rows

    def purge(self) -> None:
        """Drop every document that has expired."""
        for drawer in list(self.documents):
            if not self.live(drawer):
                del self.documents[drawer]

    def drawers(self, person: str) -> list[Drawer]:
        """Return the drawers of a person's scope."""
        return [drawer for drawer in self.documents if owner(drawer[0]) == person]
