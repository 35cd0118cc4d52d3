"""Work in the background is held, waited for, and heard of when it fails."""

import asyncio
import gc
import logging

import pytest

from bot.background import Background

LOG = logging.getLogger("plugins.test")


async def test_work_that_nobody_else_holds_does_not_vanish() -> None:
    background = Background(LOG)
    done: list[int] = []

    async def wait(number: int) -> None:
        for _ in range(5):
            future = asyncio.get_running_loop().create_future()
            asyncio.get_running_loop().call_later(0.001, future.set_result, None)
            await future
        done.append(number)

    for number in range(20):
        background.start(wait(number), name=str(number))
    while background.busy:
        gc.collect()
        await asyncio.sleep(0)
    assert sorted(done) == list(range(20))


async def test_idle_waits_for_what_starts_meanwhile() -> None:
    background = Background(LOG)
    done: list[str] = []

    async def second() -> None:
        await asyncio.sleep(0)
        done.append("second")

    async def first() -> None:
        await asyncio.sleep(0)
        background.start(second(), name="second")
        done.append("first")

    background.start(first(), name="first")
    await background.idle()
    assert done == ["first", "second"]


async def test_a_failure_is_logged_once_with_its_plugin(caplog: pytest.LogCaptureFixture) -> None:
    background = Background(LOG)

    async def fail() -> None:
        raise ValueError("broken")

    background.start(fail(), name="extraction")
    await background.idle()
    gc.collect()
    [record] = caplog.records
    assert record.name == "plugins.test"
    assert "extraction" in record.getMessage()
    assert record.exc_info is not None


async def test_closing_ends_everything(caplog: pytest.LogCaptureFixture) -> None:
    background = Background(LOG)
    ended: list[bool] = []

    async def for_ever() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    background.start(for_ever(), name="for ever")
    await asyncio.sleep(0)
    await background.close()
    assert ended == [True]
    assert not background.busy
    assert caplog.records == []
