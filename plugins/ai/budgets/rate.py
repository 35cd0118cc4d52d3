"""How fast one person may ask."""

import time
from collections import OrderedDict, deque
from collections.abc import Callable
from math import ceil
from typing import Final

from bot.api import UserError, gettext_noop
from plugins.ai.budgets.options import RateConfig

KNOWN: Final = 10_000
"""How many people's latest messages are known; those who have been silent longest are forgotten."""

TOO_FAST: Final = gettext_noop("That is too fast for me. Please ask again in {seconds} s.")


class Rate:
    """Admits so many messages within a time, counted in memory; None admits all."""

    def __init__(
        self, options: RateConfig | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._options = options
        self._clock = clock
        self._seen: OrderedDict[str, deque[float]] = OrderedDict()
        self._told: set[str] = set()

    def admits(self, sender: str) -> bool:
        """Tell whether a sender's message may be answered.

        The first one that may not raises `UserError`, which says when one may be again; further
        ones until then are passed over in silence, so that nobody makes the bot flood a chat.
        """
        if self._options is None:
            return True
        period, now = self._options.per.total_seconds(), self._clock()
        times = self._seen.setdefault(sender, deque())
        self._seen.move_to_end(sender)
        while times and times[0] <= now - period:
            times.popleft()
        if len(times) < self._options.messages:
            times.append(now)
            self._told.discard(sender)
            self._forget()
            return True
        if sender in self._told:
            return False
        self._told.add(sender)
        raise UserError(TOO_FAST, seconds=ceil(times[0] + period - now))

    def _forget(self) -> None:
        if len(self._seen) > KNOWN:
            sender, _ = self._seen.popitem(last=False)
            self._told.discard(sender)
