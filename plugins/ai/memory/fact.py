"""One fact about a person, and the document that keeps it."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from hashlib import blake2b
from typing import Any, Final, Self

from bot.api import Document, Json, person_scope

KEY_BYTES: Final = 8
FOR_EVER: Final = datetime(9999, 1, 1, tzinfo=UTC)
"""The expiry of what a person wants kept; a store's update can move an expiry, not remove it."""

ACCENTS: Final = re.compile("[\u0300-\u036f]")
APOSTROPHES: Final = re.compile("['’‘ʼ`´]")
MEANT: Final = frozenset("#%&@*/+")
"""Punctuation that carries meaning: C# is not C, 5% is not 5."""


class Status(StrEnum):
    """Where a fact stands."""

    APPROVED = "approved"
    PENDING = "pending"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"


class Source(StrEnum):
    """Who put a fact there: the extraction, or somebody on purpose."""

    AUTO = "auto"
    MANUAL = "manual"


@dataclass(frozen=True, slots=True)
class Origin:
    """The message that a fact was learned from; its text is kept only until it was reviewed."""

    chat: str
    message: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact with all that is known of it; all times are aware UTC.

    ``updated`` is when it was last stated. ``life`` is how long it lives from then on, None without
    an end; one that is ``kept`` outlives it. ``shared`` says that it was said where others read
    along. ``decide_by`` is until when a pending one waits. ``ended`` and ``successor`` are those of
    a superseded one. A rejected one has no text any more: its key is enough to know it again.
    ``stored`` is the value as it was read.
    """

    person: str
    key: str
    text: str
    status: Status
    source: Source
    created: datetime
    updated: datetime
    expires: datetime | None = None
    type: str | None = None
    confidence: float | None = None
    origin: Origin | None = None
    life: timedelta | None = None
    kept: bool = False
    shared: bool = False
    decide_by: datetime | None = None
    ended: datetime | None = None
    successor: str | None = None
    stored: Json = field(default=None, compare=False, repr=False)

    @classmethod
    def read(cls, document: Document) -> Self | None:
        """Return the fact in a document, None where it holds none."""
        value = document.value
        if not isinstance(value, Mapping) or not isinstance(value.get("text"), str):
            return None
        fields: Mapping[str, Any] = value
        expires = document.expires
        try:
            return cls(
                document.scope.removeprefix("person:"),
                document.key,
                fields["text"],
                Status(fields.get("status", Status.APPROVED)),
                Source(fields.get("source", Source.AUTO)),
                _time(fields.get("created")) or document.created,
                _time(fields.get("updated")) or document.updated,
                expires=None if expires is None or expires >= FOR_EVER else expires,
                type=fields.get("type"),
                confidence=fields.get("confidence"),
                origin=_origin(fields.get("origin")),
                life=timedelta(seconds=life) if (life := fields.get("life")) else None,
                kept=fields.get("kept") is True,
                shared=fields.get("shared") is True,
                decide_by=_time(fields.get("decide_by")),
                ended=_time(fields.get("ended")),
                successor=fields.get("successor"),
                stored=value,
            )
        except (ValueError, TypeError):
            return None

    def value(self) -> Json:
        """Return what the document holds."""
        origin = None if self.origin is None else asdict(self.origin)
        fields: dict[str, Json] = {
            "text": self.text,
            "status": self.status.value,
            "source": self.source.value,
            "created": self.created.isoformat(),
            "updated": self.updated.isoformat(),
            "type": self.type,
            "confidence": self.confidence,
            "origin": origin,
            "life": None if self.life is None else self.life.total_seconds(),
            "kept": self.kept,
            "shared": self.shared,
            "decide_by": None if self.decide_by is None else self.decide_by.isoformat(),
            "ended": None if self.ended is None else self.ended.isoformat(),
            "successor": self.successor,
        }
        return {name: field for name, field in fields.items() if not _unset(field)}

    @property
    def scope(self) -> str:
        """The scope of its document."""
        return person_scope(self.person)

    def stated(self, now: datetime, life: timedelta | None) -> Self:
        """Return it as stated at a time, from which on it lives ``life``, or as long as before."""
        life = life or self.life
        expires = None if life is None or self.kept else now + life
        return replace(self, updated=now, life=life, expires=expires)

    def keeping(self, now: datetime, life: timedelta | None) -> Self:
        """Return it as kept for ever, or with a ``life`` from a time on."""
        expires = None if life is None else now + life
        return replace(self, kept=life is None, life=life, expires=expires)

    def at(self, now: datetime) -> Self:
        """Return it as it stands now: a pending one whose time is over is rejected."""
        overdue = self.decide_by is not None and now >= self.decide_by
        return self.rejected() if self.status is Status.PENDING and overdue else self

    def rejected(self) -> Self:
        """Return it as one that is not to be proposed again."""
        return replace(
            self, text="", status=Status.REJECTED, origin=None, decide_by=None, confidence=None
        )


def cleaned(text: str) -> str:
    """Return a text as one line without control, format and direction characters."""
    spaced = "".join(" " if char.isspace() else char for char in text)
    kept = "".join(char for char in spaced if unicodedata.category(char)[0] != "C")
    return " ".join(unicodedata.normalize("NFC", kept).split())


def folded(text: str) -> str:
    """Return what two texts share that differ in case, punctuation, accents or Unicode form."""
    parts = ACCENTS.sub("", unicodedata.normalize("NFKD", cleaned(text).casefold()))
    bare = APOSTROPHES.sub("", unicodedata.normalize("NFKC", parts))
    return " ".join("".join(_folded(bare, index) for index in range(len(bare))).split())


def key_of(text: str) -> str:
    """Return the key of a fact: the same for texts that say the same in the same words."""
    return blake2b(folded(text).encode(), digest_size=KEY_BYTES).hexdigest()


def _folded(text: str, index: int) -> str:
    char = text[index]
    if unicodedata.category(char)[0] != "P" or char in MEANT:
        return char
    around = text[max(index - 1, 0) : index] + text[index + 1 : index + 2]
    return char if len(around) == 2 and around.isdigit() else " "  # noqa: PLR2004 - both sides


def _unset(field: Json) -> bool:
    return field is None or field is False


def _time(value: object) -> datetime | None:
    if not isinstance(value, str):
        return None
    time = datetime.fromisoformat(value)
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


def _origin(value: object) -> Origin | None:
    if not isinstance(value, Mapping):
        return None
    return Origin(*(str(value.get(name, "")) for name in ("chat", "message", "text")))
