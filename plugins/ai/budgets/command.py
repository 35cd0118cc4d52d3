"""``tertulia ai usage``: what the installation used."""

import json
from argparse import ArgumentParser, Namespace, _SubParsersAction
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from bot.api import GLOBAL, BotError, Store
from plugins.ai.budgets.account import MILLION, NAMESPACE, Account, Amount, key_of

HEADINGS = ("messages", "tokens", "costs")


def register(actions: "_SubParsersAction[ArgumentParser]") -> None:
    """Add ``usage``."""
    parser = actions.add_parser("usage", help="show what was used, by day, person and chat")
    parser.add_argument("--month", default="", metavar="YYYY-MM", help="a month; else the present")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(act=show)


async def show(store: Store, options: Namespace, *_: object) -> int:
    """Print a month."""
    month = _month(options.month)
    accounts = {
        document.scope: Account.read(document.value)
        for document in await store.documents.scan(NAMESPACE)
        if document.key == month
    }
    whole = accounts.pop(GLOBAL, Account({}))
    rows = {f"{month}-{day}": amount for day, amount in sorted(whole.days.items())}
    ranked = sorted(accounts.items(), key=lambda item: -item[1].month.tokens)
    others = {scope: account.month for scope, account in ranked}
    if options.json:
        days = {day: asdict(amount) for day, amount in rows.items()}
        payers = {scope: asdict(amount) for scope, amount in others.items()}
        _print_json({"month": month, "days": days, "payers": payers})
        return 0
    table = {**rows, "total": whole.month, **others}
    width = max(map(len, table))
    print(" " * width, "".join(f"{heading:>12}" for heading in HEADINGS))
    for name, amount in table.items():
        print(f"{name:<{width}}", "".join(f"{cell:>12}" for cell in _cells(amount)))
    return 0


def _print_json(value: dict[str, Any]) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=2))


def _cells(amount: Amount) -> tuple[str, str, str]:
    return f"{amount.requests:,}", f"{amount.tokens:,}", f"{amount.money / MILLION:,.4f}"


def _month(given: str) -> str:
    if not given:
        return key_of(datetime.now(UTC))
    try:
        return key_of(datetime.strptime(given, "%Y-%m").replace(tzinfo=UTC))
    except ValueError:
        raise BotError(f"--month {given}: give a month like 2026-12") from None
