"""``tertulia ai``: what the operator does about conversations, from the command line."""

import asyncio
from argparse import ArgumentParser, Namespace, _SubParsersAction

from plugins.ai.budgets import command as budgets
from plugins.ai.history import command as history
from plugins.ai.memory.command import Load


def register(subparsers: "_SubParsersAction[ArgumentParser]", load: Load) -> None:
    """Add the command ``ai``."""
    parser = subparsers.add_parser("ai", help="conversations and what was asked of the model")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    budgets.register(actions)
    history.register(actions)
    parser.set_defaults(run=lambda options: asyncio.run(_act(load, options)))


async def _act(load: Load, options: Namespace) -> int:
    config, folder = load("ai")
    async with load.store() as store:
        code: int = await options.act(store, options, config, folder)
        return code
