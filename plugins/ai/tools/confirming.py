"""Asking the person before a tool runs."""

import asyncio
import json
import secrets
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from pydantic_core import to_json

from bot.api import Button, Context, Message
from plugins.ai.naming import data

COMMAND: Final = "confirm"
LONGEST_SHOWN: Final = 500
"""How much of an argument is shown, in characters."""


async def confirmed(
    context: Context[Any], tool: str, arguments: Mapping[str, object], seconds: float
) -> bool:
    """Ask whether a tool may run; anything but a yes within the time is a no.

    The answer comes through the chat's lane, where it waits behind the message that is answered. A
    further message of the person instead of an answer is a no, and is handled in its turn.
    """
    token = secrets.token_hex(4)
    await context.reply(_question(context, tool, arguments), buttons=_buttons(context, token))
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while True:
                answers = context.following.take(lambda message: _answers(context, message, token))
                if answers:
                    return _words(answers[0])[0] == "yes"
                if any(map(context.message.same_sender, context.following.waiting)):
                    return False
                await context.following.arrived()
    await context.reply(
        context.gettext("I waited long enough for a yes and did not run {tool}.").format(tool=tool)
    )
    return False


def _question(context: Context[Any], tool: str, arguments: Mapping[str, object]) -> str:
    lines = [context.gettext("May I run {tool} for you?").format(tool=f"`{tool}`")]
    for name, value in arguments.items():
        text = value if isinstance(value, str) else json.dumps(json.loads(to_json(value)))
        shown = text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"
        lines.append(f"`{name}`:\n{data(shown)}")
    return "\n".join(lines)


def _buttons(context: Context[Any], token: str) -> tuple[Button, Button]:
    return (
        Button(context.gettext("Yes"), f"{COMMAND} yes {token}"),
        Button(context.gettext("No"), f"{COMMAND} no {token}"),
    )


def _answers(context: Context[Any], message: Message, token: str) -> bool:
    return context.message.same_sender(message) and _words(message)[1:] == [token]


def _words(message: Message) -> list[str]:
    return [] if message.command is None else message.command.arguments.split()
