"""A configuration file as a tree that knows where everything stands."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Final, NamedTuple

HARMLESS: Final = re.compile(r"[a-z_-]{1,24}|[A-Za-z_-]{1,16}")
"""A key of the operator's own that may be shown; anything else might be a misplaced secret."""


class Mark(NamedTuple):
    """A place in the file; lines and columns count from 1."""

    line: int = 1
    column: int = 1


class Fault(NamedTuple):
    """What is wrong at a place; ``label`` is the path to it, empty for the file as a whole."""

    mark: Mark
    label: str
    message: str

    def line(self, file: str) -> str:
        """Return the finished line for the operator."""
        label = f" {self.label}:" if self.label else ""
        return f"{file}:{self.mark.line}:{self.mark.column}{label} {self.message}"


@dataclass(frozen=True, slots=True)
class Scalar:
    """A piece of text as it stands in the file; ``plain`` is one without quotes."""

    mark: Mark
    text: str
    plain: bool = True


@dataclass(frozen=True, slots=True)
class Items:
    """A list; ``size`` counts all nodes in it, those behind aliases each time they are used."""

    mark: Mark
    nodes: Sequence["Node"] = ()
    size: int = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """A key's place and its value."""

    mark: Mark
    node: "Node"


@dataclass(frozen=True, slots=True)
class Block:
    """Keys with values, in the order of the file."""

    mark: Mark
    entries: dict[str, Entry] = field(default_factory=dict)
    size: int = 1


Node = Scalar | Items | Block


def joined(label: str, part: str | int, *, known: bool) -> str:
    """Return the label of what is below ``label``; an unknown key shows only when harmless."""
    if isinstance(part, int):
        return f"{label}[{part}]"
    shown = part if known or HARMLESS.fullmatch(part) else "*"
    return f"{label}.{shown}" if label else shown


def unknown(key: str, known: Sequence[str], label: str, mark: Mark, what: str = "key") -> Fault:
    """Return the fault of a name that means nothing here.

    The name is shown only when it is near to a known one: any other might be a misplaced secret.
    """
    near = get_close_matches(key, known, n=1)
    if near:
        message = f"there is no such {what}; did you mean {near[0]!r}?"
        return Fault(mark, joined(label, key, known=True), message)
    choice = f"; there are {', '.join(known)}" if known else ", and none is possible"
    return Fault(mark, label, f"there is no {what} of this name here{choice}")
