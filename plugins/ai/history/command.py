"""``tertulia ai import``: giving a chat a conversation that took place elsewhere."""

import sys
from argparse import ArgumentParser, Namespace, _SubParsersAction
from logging import getLogger
from pathlib import Path
from typing import Any

from bot.api import BotError, Store
from plugins.ai.history.history import History
from plugins.ai.history.opening import open_own
from plugins.ai.history.options import PASSING
from plugins.ai.history.seeding import entries, parse


def register(actions: "_SubParsersAction[ArgumentParser]") -> None:
    """Add ``import``."""
    parser = actions.add_parser(
        "import",
        help="give a chat a conversation from elsewhere: messages with role and content,"
        " as a JSON array or JSON lines",
    )
    parser.add_argument("file", metavar="FILE", help="the file; - reads what is piped in")
    parser.add_argument("--chat", required=True, help="the chat's key, like telegram:123456")
    parser.add_argument("--person", help="whose it is, like telegram:123456")
    parser.add_argument("--append", action="store_true", help="also where the chat has begun")
    parser.set_defaults(act=seed)


async def seed(store: Store, options: Namespace, config: Any, folder: Path) -> int:
    """Import a conversation: all of it or nothing."""
    if config.history.store == PASSING:
        raise BotError("history is kept in the bot's memory (`store: memory`), out of reach")
    try:
        made = list(entries(parse(_read(options.file)), options.person))
    except ValueError as error:
        raise BotError(f"{options.file}: {error}") from error
    if not made:
        raise BotError(f"{options.file} has no messages")
    own = open_own(config.history, lambda: folder, store, getLogger(__name__))
    history = History(store, config.history.window, own)
    try:
        await history.seed(options.chat, made, anew=not options.append)
    except ValueError as error:
        raise BotError(f"{error}; --append adds to it") from error
    print(f"imported {len(made)} messages into {options.chat}")
    return 0


def _read(file: str) -> str:
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text("utf-8")
    except OSError as error:
        raise BotError(f"{file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BotError(f"{file} is not UTF-8 text") from error
