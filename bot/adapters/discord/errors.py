"""The SDK's errors as ours."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import aiohttp
import discord

from bot.api import AdapterError, Forbidden, RateLimited, Unauthorized, Unavailable

SDK_ERRORS: Final = (discord.DiscordException, aiohttp.ClientError, OSError)
UNKNOWN_WEBHOOK: Final = 10015
UNKNOWN_INTERACTION: Final = 10062
ACKNOWLEDGED: Final = 40060
INVALID_INTERACTION_TOKEN: Final = 50027
REPLY_NEEDS_HISTORY: Final = 160002
BANNED_SECONDS: Final = 60.0
LONGEST_TEXT: Final = 200
NOT_ACCEPTED: Final = (
    "Discord does not accept the token; put the one that the developer portal gives under Bot"
    " into platforms.discord.token"
)
INTENT_MISSING: Final = (
    "Discord refuses the message content intent; switch on 'Message Content Intent' in the"
    " developer portal under Bot, or set platforms.discord.message_content to false"
)
CLOSED: Final = {
    4004: NOT_ACCEPTED,
    4013: "Discord's gateway does not know the intents that were asked for",
    4014: INTENT_MISSING,
}
SHARDING_NEEDED: Final = 4011
SESSION_CLOSED: Final = "Session is closed"
"""What aiohttp says to a request that comes after the end."""

SIMPLE: Final[Mapping[type[Exception], tuple[type[AdapterError], str]]] = {
    discord.LoginFailure: (Unauthorized, NOT_ACCEPTED),
    discord.PrivilegedIntentsRequired: (Unauthorized, INTENT_MISSING),
    TimeoutError: (Unavailable, "Discord did not answer in time"),
    aiohttp.ClientError: (Unavailable, "Discord cannot be reached ({})"),
    OSError: (Unavailable, "Discord cannot be reached ({})"),
    Exception: (AdapterError, "the connection to Discord failed ({})"),
}


@contextmanager
def sdk_errors() -> Iterator[None]:
    """Raise the SDK's errors as ours."""
    try:
        yield
    except SDK_ERRORS as error:
        raise adapter_error(error) from error
    except RuntimeError as error:
        if str(error) != SESSION_CLOSED:
            raise
        raise Unavailable("the connection to Discord was closed") from error


def adapter_error(error: Exception) -> AdapterError:
    """Return the error of ours for one of the SDK's; its text quotes nobody's message."""
    if isinstance(error, discord.RateLimited):
        return RateLimited("Discord asks to wait", error.retry_after)
    if isinstance(error, discord.HTTPException) and not isinstance(error, discord.LoginFailure):
        return _refusal(error)
    if isinstance(error, discord.ConnectionClosed):
        return _closed(error)
    name = type(error).__name__
    kind, text = next(told for theirs, told in SIMPLE.items() if isinstance(error, theirs))
    return kind(text.format(name))


def code(error: AdapterError) -> int:
    """Return Discord's own number for a refusal, 0 where there is none."""
    cause = error.__cause__
    return cause.code if isinstance(cause, discord.HTTPException) else 0


def _refusal(error: discord.HTTPException) -> AdapterError:
    said = error.text.partition("\n")[0][:LONGEST_TEXT]
    text = f"Discord answered {error.status} (code {error.code}): {said}"
    if error.status == 429:  # noqa: PLR2004 - as HTTP numbers them
        # The SDK waits by itself, except for a ban of the whole address, which says it in a header.
        return RateLimited(text, _retry_after(error))
    if error.status == 401 and error.code != INVALID_INTERACTION_TOKEN:  # noqa: PLR2004
        return Unauthorized(NOT_ACCEPTED)
    if error.status in {401, 403}:
        return Forbidden(text)
    if error.status >= 500:  # noqa: PLR2004
        return Unavailable(f"Discord answered {error.status}")
    return AdapterError(text)


def _retry_after(error: discord.HTTPException) -> float:
    try:
        return float(error.response.headers.get("Retry-After", BANNED_SECONDS))
    except ValueError:
        return BANNED_SECONDS


def _closed(error: discord.ConnectionClosed) -> AdapterError:
    if error.code in CLOSED:
        return Unauthorized(CLOSED[error.code])
    if error.code == SHARDING_NEEDED:
        return AdapterError("the bot is in more servers than one connection to Discord can serve")
    return Unavailable(f"Discord closed the connection with code {error.code}")
