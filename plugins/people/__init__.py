"""Lets a person who has several accounts be one, on all of them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from bot.api import Argument, Context, DataStatement, Plugin, Services, UserError
from plugins.people.offers import accept, decline, propose
from plugins.people.parting import part
from plugins.people.telling import Host, mine_in_private


@asynccontextmanager
async def set_up(services: Services[Any]) -> AsyncIterator[Host]:
    """Keep what the runtime offers for the handlers."""
    yield services


plugin: Plugin[Host] = Plugin(
    "people",
    "Joins your accounts on several platforms, and takes them apart again",
    setup=set_up,
    data=DataStatement(
        "While you join two of your accounts, for ten minutes: a code that shows that both are"
        " yours, without the code itself."
    ),
)


@plugin.command(
    "link",
    "Joins this account with another one of yours",
    Argument("code", "The code that I gave you on the other account"),
)
async def link(context: Context[Host]) -> None:
    """Give a code, take one, or hear the answer to what it leads to."""
    mine_in_private(context)
    word, _, token = context.arguments.partition(" ")
    if word == "yes":
        await accept(context, token)
    elif word == "no":
        await decline(context, token)
    else:
        await propose(context, context.arguments)


@plugin.command(
    "unlink",
    "Takes this account out again",
    Argument("answer", "yes, once you are sure", choices=("yes",)),
)
async def unlink(context: Context[Host]) -> None:
    """Show what goes apart, or do it."""
    mine_in_private(context)
    if context.arguments not in {"", "yes"}:
        raise UserError("/unlink shows what goes apart, /unlink yes does it.")
    await part(context, sure=context.arguments == "yes")
