"""A platform that fails is run again, ever more slowly, and stops no other."""

import asyncio
import logging
from collections.abc import Sequence

import pytest

from bot.api import Message, Receive, Unauthorized, Unavailable
from bot.supervisor import supervise
from bot.testing import RememberingAdapter


class Failing(RememberingAdapter):
    """Fails in the given ways, one after the other, then ends."""

    def fails(self, errors: Sequence[Exception]) -> "Failing":
        self.errors = list(errors)
        return self

    async def run(self, receive: Receive) -> None:
        if self.errors:
            raise self.errors.pop(0)


async def ignore(message: Message) -> None:
    """Take a message for nothing."""


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    found: list[float] = []

    async def sleep(seconds: float) -> None:
        found.append(seconds)

    monkeypatch.setattr("bot.supervisor.asyncio.sleep", sleep)
    return found


async def test_it_is_run_again_ever_more_slowly(
    waits: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    await supervise(Failing().fails([Unavailable("no network")] * 9), ignore)
    means = [min(2.0**n, 60.0) for n in range(9)]
    assert all(0.75 * m <= wait <= 1.25 * m for wait, m in zip(waits, means, strict=True))
    assert len([r for r in caplog.records if "no network" in r.getMessage()]) == 9


async def test_a_fault_in_it_is_logged_with_its_trace(
    waits: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    await supervise(Failing().fails([KeyError("oops")]), ignore)
    [record] = caplog.records
    assert record.levelno == logging.ERROR
    assert record.exc_info is not None


async def test_what_only_the_operator_can_mend_ends_it(waits: list[float]) -> None:
    adapter = Failing().fails([Unavailable("first"), Unauthorized("the token is not valid")])
    with pytest.raises(Unauthorized):
        await supervise(adapter, ignore)
    assert len(waits) == 1


async def test_one_that_is_down_stops_no_other() -> None:
    class Steady(RememberingAdapter):
        async def run(self, receive: Receive) -> None:
            return

    down = asyncio.create_task(supervise(Failing().fails([Unavailable("x")] * 50), ignore))
    await supervise(Steady(), ignore)
    assert not down.done()
    down.cancel()
    await asyncio.wait([down])
