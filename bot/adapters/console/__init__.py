"""The terminal: a chat for one, or one JSON message a line for scripts."""

from typing import Any

from bot.adapters.console.config import ConsoleConfig
from bot.api import Adapter, Host, Platform

__all__ = ["platform"]


def _build(config: Any, host: Host) -> Adapter:
    from bot.adapters.console.adapter import ConsoleAdapter  # noqa: PLC0415 - when it is used

    return ConsoleAdapter(config, host)


platform = Platform("console", ConsoleConfig, _build)
