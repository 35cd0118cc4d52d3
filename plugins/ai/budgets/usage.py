"""``/usage``: what was used, and of how much."""

from collections.abc import Iterator
from typing import Any, Final

from babel.numbers import format_decimal

from bot.api import Context, chat_scope, gettext_noop, person_scope
from plugins.ai.budgets.account import MILLION, Account, Amount
from plugins.ai.budgets.budgets import Budgets
from plugins.ai.budgets.options import Limits
from plugins.ai.languages import locale

KINDS: Final = {
    "requests": gettext_noop("Messages: {day} today, {month} this month"),
    "tokens": gettext_noop("Tokens: {day} today, {month} this month"),
    "money": gettext_noop("Costs: {day} today, {month} this month"),
}


async def usage(context: Context[Any], budgets: Budgets) -> None:
    """Show what the person used in private, and in a group what all in it used together."""
    say = context.gettext
    now = budgets.now()
    if not context.private:
        scope, limits = chat_scope(context.chat), budgets.options.chat
        heading = say("What I answered in this chat:")
    elif context.person is None:
        await context.reply(say("I can't tell who you are here."))
        return
    else:
        scope, limits = person_scope(context.person.id), budgets.options.person
        heading = say("What I answered you:")
    account = await budgets.account(scope, now)
    lines = _lines(context, account.day(now), account, limits)
    closing = say("A day and a month begin at 00:00 UTC.")
    await context.reply("\n".join([heading, *lines, closing]))


def _lines(context: Context[Any], today: Amount, account: Account, limits: Limits) -> Iterator[str]:
    for kind, text in KINDS.items():
        limit = getattr(limits, kind)
        if kind == "money" and not account.month.money and limit.day is limit.month is None:
            continue
        share = 1 / MILLION if kind == "money" else 1
        day, month = getattr(today, kind) * share, getattr(account.month, kind) * share
        yield context.gettext(text).format(
            day=_of(context, day, limit.day), month=_of(context, month, limit.month)
        )


def _of(context: Context[Any], used: float, limit: float | None) -> str:
    number = _number(context, used)
    if limit is None:
        return number
    text = context.gettext("{used} of {limit}")
    return text.format(used=number, limit=_number(context, limit))


def _number(context: Context[Any], number: float) -> str:
    return format_decimal(number, "#,##0.####", locale=locale(context.language))
