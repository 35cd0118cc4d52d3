"""Shows people what is kept about them, hands it out and erases it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from bot.api import Argument, Context, DataStatement, Plugin, Services, UserError
from plugins.privacy.erasure import ask_or_erase
from plugins.privacy.export import export
from plugins.privacy.overview import Host, overview

ACTIONS = {"": overview, "export": export, "erase": ask_or_erase}


@asynccontextmanager
async def set_up(services: Services[Any]) -> AsyncIterator[Host]:
    """Keep what the runtime offers for the handlers."""
    yield services


plugin: Plugin[Host] = Plugin(
    "privacy",
    "Shows, exports and erases what is kept about you",
    setup=set_up,
    data=DataStatement("While you are asked whether to erase your data: your confirmation code."),
)


@plugin.command(
    "privacy",
    "Shows what I keep about you, exports or erases it",
    Argument("action", "What to do with it", choices=("export", "erase")),
)
async def privacy(context: Context[Host]) -> None:
    """Show, export or erase, by the command's first word."""
    action = context.arguments.partition(" ")[0].lower()
    if action not in ACTIONS:
        raise UserError(
            "/privacy shows what I keep about you, /privacy export sends it to you as a file,"
            " /privacy erase deletes it."
        )
    await ACTIONS[action](context)
