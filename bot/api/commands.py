"""How a command is declared, for menus, help and native slash commands alike."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Argument:
    """One word of a command; ``summary`` is a message id. The last argument takes the rest."""

    name: str
    summary: str
    choices: Sequence[str] = ()
    required: bool = False


@dataclass(frozen=True, slots=True)
class CommandInfo:
    """A command that is enabled, with its name and summary in each language that has them."""

    name: str
    summary: str
    plugin: str
    arguments: Sequence[Argument] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    summaries: Mapping[str, str] = field(default_factory=dict)
    argument_summaries: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Language to argument name to summary."""
