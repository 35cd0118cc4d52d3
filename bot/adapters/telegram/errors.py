"""The SDK's errors as ours."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Final

from telegram import error as sdk

from bot.api import AdapterError, Forbidden, RateLimited, Unauthorized, Unavailable

LONGEST_TEXT: Final = 200
NOT_ACCEPTED: Final = (
    "Telegram does not accept the token; put the one that @BotFather gives into"
    " platforms.telegram.token"
)


class Conflict(AdapterError):
    """Somebody else gets the bot's updates: another instance, or a webhook."""


class Migrated(AdapterError):
    """The group has become a supergroup with the id ``new``."""

    def __init__(self, message: str, new: int) -> None:
        super().__init__(message)
        self.new = new


KINDS: Final[Sequence[tuple[type[sdk.TelegramError], type[AdapterError]]]] = (
    (sdk.Forbidden, Forbidden),
    (sdk.Conflict, Conflict),
    (sdk.BadRequest, AdapterError),  # to the SDK a kind of the next one
    (sdk.NetworkError, Unavailable),
    (sdk.TelegramError, AdapterError),
)


@contextmanager
def sdk_errors() -> Iterator[None]:
    """Raise the SDK's errors as ours."""
    try:
        yield
    except sdk.TelegramError as error:
        raise adapter_error(error) from error


def adapter_error(error: sdk.TelegramError) -> AdapterError:
    """Return the error of ours for one of the SDK's; its text is Telegram's own."""
    if isinstance(error, sdk.RetryAfter):
        return RateLimited("Telegram asks to wait", seconds(error))
    said = f"Telegram: {error.message[:LONGEST_TEXT]}"
    if isinstance(error, sdk.ChatMigrated):
        return Migrated(said, error.new_chat_id)
    if isinstance(error, sdk.InvalidToken | sdk.EndPointNotFound):
        return Unauthorized(NOT_ACCEPTED)
    kind = next(ours for theirs, ours in KINDS if isinstance(error, theirs))
    return kind(said)


def refused(error: AdapterError, *texts: str) -> bool:
    """Tell whether Telegram refused a request with one of some texts, in lower case."""
    said = str(error).lower()
    return any(text in said for text in texts)


def seconds(error: sdk.RetryAfter) -> float:
    """Return how long Telegram asks to wait."""
    wait = error.retry_after
    return wait.total_seconds() if isinstance(wait, timedelta) else float(wait)
