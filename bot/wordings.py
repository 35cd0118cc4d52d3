"""The wordings that an operator puts in place of the bot's own."""

from collections.abc import Iterator, Mapping, Set
from difflib import get_close_matches
from string import Formatter


def placeholders(text: str) -> set[str]:
    """Return the names between the braces of a message; ValueError where a brace is loose."""
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def faults(wordings: Mapping[str, str], known: Set[str]) -> Iterator[str]:
    """Yield a line for each wording of no known message, or that a message cannot fill in."""
    for message, wording in wordings.items():
        if message not in known:
            near = [f"; did you mean {m!r}?" for m in get_close_matches(message, known, n=1)]
            yield f"there is no message {message!r}" + "".join(near)
        elif (fault := _fault(message, wording)) is not None:
            yield f"{message!r}: {fault}"


def _fault(message: str, wording: str) -> str | None:
    try:
        foreign = placeholders(wording) - placeholders(message)
    except ValueError as error:
        return f"{error}; write a brace that is no placeholder twice"
    if not foreign:
        return None
    offered = ", ".join(f"{{{name}}}" for name in sorted(placeholders(message)))
    return f"{{{min(foreign)}}} is no placeholder of it; it has {offered or 'none'}"
