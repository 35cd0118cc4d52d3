"""Puts environment variables in for ``${NAME}`` and ``${NAME:-default}``."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

VARIABLE: Final = re.compile(r"(\$?)\$\{([^}]*)(\}?)")
CONTENT: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?", re.DOTALL)
CONVENTIONAL: Final = re.compile(r"[A-Z]+\d?(_[A-Z0-9]+)*")
PLACEHOLDER: Final = "placeholder"
"""Stands for what is missing, so that the rest can be looked at too."""


@dataclass(frozen=True, slots=True)
class Expanded:
    """A text with its variables put in; ``used`` says whether there were any."""

    text: str
    used: bool = False
    faults: list[str] = field(default_factory=list)


def expand(text: str, environment: Mapping[str, str]) -> Expanded:
    """Return the text with its variables; ``$${`` stands for a plain ``${``.

    A variable that is unset or empty takes its default, as in a shell; without one it is a fault.
    """
    faults: list[str] = []
    used = False

    def value(match: re.Match[str]) -> str:
        nonlocal used
        if match[1]:
            return match[0][1:]
        used = True
        found = CONTENT.fullmatch(match[2]) if match[3] else None
        if found is None:
            faults.append("a variable is written ${NAME} or ${NAME:-default}")
            return PLACEHOLDER
        return _value(found, environment, faults)

    expanded = VARIABLE.sub(value, text) if "${" in text else text
    return Expanded(expanded, used, faults)


def _value(found: re.Match[str], environment: Mapping[str, str], faults: list[str]) -> str:
    name, default = found[1], found[2]
    if value := environment.get(name):
        return value
    if default is not None:
        return default
    # A name that is none might be a secret that was put between the braces.
    shown = f" {name}" if CONVENTIONAL.fullmatch(name) else " that is named here"
    faults.append(f"the environment variable{shown} is not set")
    return PLACEHOLDER
