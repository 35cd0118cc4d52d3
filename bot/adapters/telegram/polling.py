"""Getting updates: long polling that acknowledges what was taken, and bears with a rival."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode

from telegram.request import BaseRequest

from bot.adapters.telegram.config import TelegramConfig
from bot.adapters.telegram.errors import Conflict, refused, sdk_errors
from bot.api import RateLimited, Unavailable

KINDS: Final = ("message", "edited_message", "callback_query")
PATIENCE: Final = 5
"""Conflicts in a row that a restart may bring about; more of them mean a rival."""

FIRST_WAIT: Final = 1.0
RIVAL_WAIT: Final = 30.0
GRACE: Final = 10.0
"""Seconds that the network may take on top of the time that Telegram holds a poll."""

RIVAL: Final = (
    "another program gets this bot's updates; stop the other instance, or give each its own token"
)
WEBHOOK: Final = (
    "a webhook gets this bot's updates, and was set again after this program had deleted it;"
    " stop the program that sets it"
)

Update = Mapping[str, Any]


class Polling:
    """The updates of a bot, as they are decoded from JSON.

    An update is acknowledged by the poll after it, so that one that was not taken comes again.
    """

    def __init__(self, config: TelegramConfig, degraded: Callable[[str | None], None]) -> None:
        self._config = config
        self._degraded = degraded
        self._offset: int | None = None
        self._conflicts = 0

    async def batches(self, request: BaseRequest) -> AsyncIterator[Sequence[Update]]:
        """Yield what each poll brings; it is acknowledged once the next one is asked for."""
        while True:
            if updates := await self._next(request):
                yield updates
                self._offset = max(int(update["update_id"]) for update in updates) + 1

    async def _next(self, request: BaseRequest) -> Sequence[Update]:
        try:
            with sdk_errors():
                answer = await request.retrieve(
                    self._address(),
                    read_timeout=self._config.poll_timeout.total_seconds() + GRACE,
                )
        except Conflict as conflict:
            await self._bear(conflict)
            return ()
        except RateLimited as limited:
            await asyncio.sleep(limited.retry_after)
            return ()
        self._recovered()
        return _decoded(answer)

    def _address(self) -> str:
        query: dict[str, Any] = {
            "timeout": int(self._config.poll_timeout.total_seconds()),
            "allowed_updates": json.dumps(KINDS),
        }
        if self._offset is not None:
            query["offset"] = self._offset
        token = self._config.token.get_secret_value()
        return f"{self._config.address('api')}{token}/getUpdates?{urlencode(query)}"

    async def _bear(self, conflict: Conflict) -> None:
        self._conflicts += 1
        if self._conflicts == PATIENCE + 1:
            self._degraded(WEBHOOK if refused(conflict, "webhook") else RIVAL)
        wait = RIVAL_WAIT if self._conflicts > PATIENCE else FIRST_WAIT
        await asyncio.sleep(wait * random.uniform(0.75, 1.25))  # noqa: S311 - to spread load

    def _recovered(self) -> None:
        if self._conflicts:
            self._conflicts = 0
            self._degraded(None)


def _decoded(answer: bytes) -> Sequence[Update]:
    try:
        found: Sequence[Update] = json.loads(answer)["result"]
    except (ValueError, KeyError, TypeError) as error:
        raise Unavailable("Telegram's server answered with something else than JSON") from error
    return found
