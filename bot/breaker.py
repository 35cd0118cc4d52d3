"""Giving a plugin that keeps failing a rest."""

from collections.abc import Callable
from time import monotonic
from typing import Final

FAILURES: Final = 5
REST: Final = 30.0


class Breaker:
    """Stops the use of one plugin after ``failures`` in a row, and lets one try through per rest.

    A success closes it again. Times are seconds of a monotonic clock.
    """

    def __init__(
        self,
        failures: int = FAILURES,
        rest: float = REST,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._limit = failures
        self._rest = rest
        self._clock = clock
        self._failures = 0
        self._probe_at = 0.0

    def allows(self) -> bool:
        """Tell whether the plugin may be used now; while it rests, one call per rest may try."""
        if self._failures < self._limit:
            return True
        if self._clock() < self._probe_at:
            return False
        self._probe_at = self._clock() + self._rest
        return True

    def succeeded(self) -> None:
        """Note that a use went well."""
        self._failures = 0

    def failed(self) -> bool:
        """Note a failure; tell whether it is the one that begins a rest."""
        self._failures += 1
        self._probe_at = self._clock() + self._rest
        return self._failures == self._limit
