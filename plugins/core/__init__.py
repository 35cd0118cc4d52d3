"""Greets people, helps them and lets them choose a language."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from bot.api import Argument, Context, DataStatement, Plugin, Services
from plugins.core.language import Host, choose_language
from plugins.core.listing import list_commands


@asynccontextmanager
async def set_up(services: Services[Any]) -> AsyncIterator[Host]:
    """Keep what the runtime offers for the handlers."""
    yield services


plugin: Plugin[Host] = Plugin(
    "core",
    "Greets people, helps them and lets them choose a language",
    setup=set_up,
    data=DataStatement("Your choice of language, once you make one, to answer you in it."),
)

plugin.command(
    "help",
    "Shows what I can do",
    Argument("command", "The command to explain"),
)(list_commands)

plugin.command(
    "language",
    "Shows or sets the language I answer in",
    Argument("language", "A language such as en, or auto to follow your app"),
)(choose_language)


@plugin.command("start", "Says hello")
async def start(context: Context[Host]) -> None:
    """Greet somebody new: what there is, how to talk, where to read on."""
    others = {name: text for name, text in context.state.plugins().items() if name != plugin.name}
    offers = "".join(f"\n- {context.gettext(summary)}" for summary in others.values())
    greeting = context.gettext("Hello! I'm glad you're here.")
    if offers:
        greeting += "\n\n" + context.gettext("This is what I'm here for:") + offers
    how = context.gettext(
        "Just write to me. In a group, mention me or reply to one of my messages.\n"
        "/help shows all my commands, /privacy what I keep about you."
    )
    await context.reply(f"{greeting}\n\n{how}")


@plugin.command("ping", "Tells whether I'm awake")
async def ping(context: Context[Host]) -> None:
    """Give a sign of life."""
    await context.reply(context.gettext("Pong! I'm awake."))
