"""What no fact may be, whoever states it."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from bot.api import UserError, gettext_noop
from plugins.ai.memory.fact import cleaned, folded
from plugins.ai.memory.sensitive import is_secret


class Refusal(StrEnum):
    """Why a text cannot be kept."""

    EMPTY = "empty"
    TOO_LONG = "too long"
    CONFIDENTIAL = "confidential"


TOLD: Final[Mapping[Refusal, str]] = {
    Refusal.EMPTY: gettext_noop("Tell me what to remember: `/remember I work on Tuesdays`."),
    Refusal.TOO_LONG: gettext_noop(
        "That is too long for me to remember: {longest} characters are the most."
        " Please put it more briefly."
    ),
    Refusal.CONFIDENTIAL: gettext_noop(
        "That looks like a password or the number of a card, an account or a document."
        " I don't keep such things, so I have not remembered it."
    ),
}


def refusal(text: str, longest: int) -> Refusal | None:
    """Return why a text cannot be kept, None where it can."""
    if not folded(text):
        return Refusal.EMPTY
    if len(cleaned(text)) > longest:
        return Refusal.TOO_LONG
    return Refusal.CONFIDENTIAL if is_secret(text) else None


def check(text: str, longest: int) -> None:
    """Raise `UserError` where a text cannot be kept."""
    reason = refusal(text, longest)
    if reason is not None:
        raise UserError(TOLD[reason], longest=longest)
