"""Erasing everything that is kept about a person, once they confirm it."""

import secrets
from datetime import timedelta
from typing import Final

from bot.api import Button, Context, Receipt, UserError
from plugins.privacy.overview import Host, counted, person_in_private

VALID: Final = timedelta(minutes=10)
CODE: Final = "confirmation"
CONFIRM: Final = "confirm-"


async def ask_or_erase(context: Context[Host]) -> None:
    """Say what will go and ask; erase it when the answer carries the code of the question."""
    person = person_in_private(context)
    _, _, answer = context.arguments.partition(" ")
    if answer.startswith(CONFIRM):
        await _use_up(context, answer.removeprefix(CONFIRM))
        receipt = await context.state.privacy.erase(person)
        await context.reply(_told(context, receipt))
    else:
        await _ask(context, person)


async def _ask(context: Context[Host], person: str) -> None:
    kept = await context.state.privacy.kept(person)
    code = secrets.token_urlsafe(12)
    await context.user.put(CODE, code, expires=context.state.clock() + VALID)
    question = context.gettext("This will be deleted for good, and nobody can bring it back:")
    how = context.gettext(
        "If you are sure, confirm it within {minutes} minutes. If not, you need do nothing."
    )
    await context.reply(
        f"{question}\n{counted(context, kept)}\n\n{how.format(minutes=_minutes())}",
        buttons=[
            Button(
                context.gettext("Erase everything"), f"privacy erase {CONFIRM}{code}", danger=True
            )
        ],
    )


async def _use_up(context: Context[Host], given: str) -> None:
    """Take the person's code back, if that is the one; a code is good for one time."""
    code = await context.user.get(CODE)
    right = isinstance(code, str) and secrets.compare_digest(code.encode(), given.encode())
    if not right or not await context.user.delete(CODE):
        raise UserError(
            "That confirmation was used already or is older than {minutes} minutes."
            " If you still want to erase everything, send /privacy erase again.",
            minutes=_minutes(),
        )


def _told(context: Context[Host], receipt: Receipt) -> str:
    parts = [f"{context.gettext('Done. I have erased:')}\n{counted(context, receipt.counts)}"]
    for plugin, reason in receipt.failures.items():
        text = context.gettext(
            "What {plugin} keeps elsewhere could not be erased: {reason}."
            " Please tell the people who run this bot."
        )
        parts.append(text.format(plugin=plugin, reason=context.gettext(reason)))
    return "\n\n".join(parts)


def _minutes() -> int:
    return int(VALID.total_seconds() // 60)
