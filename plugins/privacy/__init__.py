"""Shows people what is kept about them, hands it out and erases it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from bot.api import Argument, Context, DataStatement, Plugin, Services, UserError
from plugins.privacy.config import PrivacyConfig
from plugins.privacy.discretion import incognito, pause, resume
from plugins.privacy.erasure import ask_or_erase
from plugins.privacy.export import export
from plugins.privacy.overview import Host, overview
from plugins.privacy.retention import keep_purging

ACTIONS = {
    "": overview,
    "export": export,
    "erase": ask_or_erase,
    "pause": pause,
    "resume": resume,
}


@asynccontextmanager
async def set_up(services: Services[Any]) -> AsyncIterator[Host]:
    """Keep what the runtime offers for the handlers, and delete what is over."""
    services.offer(services.config.retention)
    purging = asyncio.create_task(keep_purging(services), name="retention")
    try:
        yield services
    finally:
        purging.cancel()
        await asyncio.wait([purging])


plugin: Plugin[Host] = Plugin(
    "privacy",
    "Shows, exports and erases what is kept about you",
    setup=set_up,
    config=PrivacyConfig,
    data=DataStatement("While you are asked whether to erase your data: your confirmation code."),
)


@plugin.command(
    "privacy",
    "Shows what I keep about you, exports or erases it",
    Argument("action", "What to do with it", choices=("export", "erase", "pause", "resume")),
)
async def privacy(context: Context[Host]) -> None:
    """Show, export or erase, by the command's first word."""
    action = context.arguments.partition(" ")[0].lower()
    if action not in ACTIONS:
        raise UserError(
            "/privacy shows what I keep about you, /privacy export sends it to you as a file,"
            " /privacy erase deletes it, /privacy pause keeps nothing more, /privacy resume ends"
            " that."
        )
    await ACTIONS[action](context)


plugin.command(
    "incognito",
    "Keeps nothing of this chat until you end it",
    Argument("state", "on or off", choices=("on", "off")),
)(incognito)
