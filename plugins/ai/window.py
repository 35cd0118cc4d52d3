"""Which part of a conversation a model still sees."""

from collections.abc import Sequence

from bot.api import Entry, Role


def begin(entries: Sequence[Entry], budget: int) -> int:
    """Return the index of the first entry that is kept within ``budget`` tokens.

    The cut is always at a person's message, so that no tool result is left without its call;
    where no message fits, nothing is kept.
    """
    first, total = len(entries), 0
    for index in range(len(entries) - 1, -1, -1):
        total += entries[index].tokens
        if total > budget:
            break
        if entries[index].role is Role.USER:
            first = index
    return first
