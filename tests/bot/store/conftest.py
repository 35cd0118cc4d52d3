from base64 import b64encode
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.api import Store
from bot.store import open_store
from bot.store.sqlite import SqliteStore


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 29, 0, 30, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def move(self, **units: float) -> None:
        self.now += timedelta(**units)


@pytest.fixture
def clock() -> Clock:
    return Clock()


KEY = b64encode(bytes(range(32))).decode()


@pytest.fixture(params=["memory", "sqlite", "sqlite with a key"])
async def store(
    request: pytest.FixtureRequest, tmp_path: Path, clock: Clock
) -> AsyncIterator[Store]:
    kind, _, keyed = request.param.partition(" ")
    store = await open_store(kind, tmp_path, clock=clock, key=KEY if keyed else None)
    yield store
    await store.close()


@pytest.fixture
async def sqlite(tmp_path: Path, clock: Clock) -> AsyncIterator[SqliteStore]:
    store = await SqliteStore.open(tmp_path / "data", clock)
    yield store
    await store.close()
