"""Where conversations are kept, as the configuration says."""

from collections.abc import Callable
from datetime import UTC, datetime
from logging import Logger
from pathlib import Path

from bot.api import Store
from plugins.ai.history.files import FileLog
from plugins.ai.history.log import Log
from plugins.ai.history.options import PASSING, STORE, HistoryConfig
from plugins.ai.history.own import OwnLog
from plugins.ai.history.passing import PassingLog
from plugins.ai.modules import named


def open_own(
    options: HistoryConfig,
    folder: Callable[[], Path],
    store: Store,
    log: Logger,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> OwnLog | None:
    """Return what keeps the conversations, None where that is the bot's store."""
    if options.store == STORE:
        return None
    return OwnLog(_log(options, folder, log), store.people, clock)


def _log(options: HistoryConfig, folder: Callable[[], Path], log: Logger) -> Log:
    if options.store == PASSING:
        return PassingLog()
    if options.store == "file":
        return FileLog(options.folder or folder() / "history", log)
    made: Log = named(options.store)(folder())
    return made
