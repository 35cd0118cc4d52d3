"""``tertulia memory``: reviewing what is remembered, from the command line."""

import asyncio
import json
from argparse import ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from bot.api import BotError, Store, UserError
from plugins.ai.memory.fact import Fact, Status
from plugins.ai.memory.ledger import Ledger
from plugins.ai.memory.options import TYPES, MemoryConfig
from plugins.ai.memory.policy import Policies
from plugins.ai.memory.review import Filter, Review


class Load(Protocol):
    """How the command finds the configuration and the store."""

    def __call__(self, name: str) -> tuple[Any, Path]:
        """Return a plugin's configuration and its folder."""
        ...

    def store(self) -> AbstractAsyncContextManager[Store]:
        """Open the store."""
        ...


Change = Callable[[Review, Fact], Awaitable[object]]


def register(subparsers: "_SubParsersAction[ArgumentParser]", load: Load) -> None:
    """Add the command ``memory``."""
    parser = subparsers.add_parser("memory", help="what is remembered about people")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    shows: dict[str, tuple[Status | None, str]] = {
        "pending": (Status.PENDING, "show the facts that wait for a review, with their origin"),
        "list": (None, "show facts"),
    }
    for name, (status, summary) in shows.items():
        shown = _action(actions, name, summary)
        shown.add_argument("--json", action="store_true", help="print JSON")
        shown.set_defaults(run=_runner(load, status, None))
        if status is None:
            shown.add_argument("--status", choices=[s.value for s in Status])
    changes: dict[str, tuple[Status | None, Change, str]] = {
        "approve": (Status.PENDING, _approve, "let pending facts be used"),
        "reject": (Status.PENDING, _reject, "drop pending facts and never propose them again"),
        "forget": (None, _forget, "delete facts"),
    }
    for name, (status, change, summary) in changes.items():
        changed = _action(actions, name, summary)
        changed.add_argument("--all", action="store_true", help="all that there are")
        changed.set_defaults(run=_runner(load, status, change))


def _action(
    actions: "_SubParsersAction[ArgumentParser]", name: str, summary: str
) -> ArgumentParser:
    parser = actions.add_parser(name, help=summary)
    parser.add_argument("keys", nargs="*", metavar="KEY", help="the facts' keys")
    parser.add_argument("--person", default="", help="only this person's, as telegram:123")
    parser.add_argument("--match", default="", metavar="TEXT", help="only facts with these words")
    parser.add_argument("--type", default="", choices=TYPES, help="only facts of this type")
    return parser


def _runner(load: Load, status: Status | None, change: Change | None) -> Callable[[Namespace], int]:
    return lambda options: asyncio.run(_with_review(load, status, change, options))


async def _with_review(
    load: Load, status: Status | None, change: Change | None, options: Namespace
) -> int:
    config, _ = load("ai")
    memory = config.remembering or MemoryConfig()
    asked = getattr(options, "status", None)
    wanted = Filter(
        options.person,
        options.keys,
        options.match,
        options.type,
        status if asked is None else Status(asked),
    )
    async with load.store() as store:
        ledger = Ledger(store.documents, memory, lambda: datetime.now(UTC))
        review = Review(ledger, Policies(store.documents, memory.namespace))
        if change is None:
            return _show(await review.find(wanted), options)
        return await _change(review, wanted, change, options)


async def _change(review: Review, wanted: Filter, change: Change, options: Namespace) -> int:
    """Change the facts that are meant; one that was named and cannot be changed is an error."""
    narrowed = wanted.keys or wanted.person or wanted.match or wanted.type
    if not narrowed and not options.all:
        raise BotError("which facts? give their keys, a filter, or --all")
    facts = await review.find(replace(wanted, status=None if wanted.keys else wanted.status))
    failed = list(_misnamed(wanted.keys, [fact.key for fact in facts]))
    done = 0
    for fact in [] if failed else facts:
        try:
            await change(review, fact)
        except UserError as error:
            failed.append(f"{fact.key}: {error}")
        else:
            done += 1
    print(f"{done} done")
    if failed:
        raise BotError("\n".join(failed))
    return 0


def _misnamed(keys: Sequence[str], found: Sequence[str]) -> Iterator[str]:
    """Yield what is wrong with the keys that were given: two people may have the same fact."""
    for key in keys:
        if key not in found:
            yield f"{key}: there is no such fact"
        elif found.count(key) > 1:
            yield f"{key}: several people have this fact; say whose with --person"


async def _approve(review: Review, fact: Fact) -> None:
    await review.approve(fact.person, fact.key)


async def _reject(review: Review, fact: Fact) -> None:
    await review.reject(fact.person, fact.key)


async def _forget(review: Review, fact: Fact) -> None:
    if not await review.forget(fact.person, fact.key):
        raise UserError("There is no such fact any more, so nothing was changed.")


def _show(facts: Sequence[Fact], options: Namespace) -> int:
    if options.json:
        print(json.dumps([_fields(fact) for fact in facts], ensure_ascii=False, indent=2))
        return 0
    for fact in facts:
        print("  ".join(map(str, _columns(fact))))
        if fact.origin is not None:
            print(f"    from message {fact.origin.message} in {fact.origin.chat}")
        if fact.origin is not None and fact.origin.text:
            print(f"    > {fact.origin.text}")
    print(f"{len(facts)} facts")
    return 0


def _columns(fact: Fact) -> Sequence[object]:
    kind = [] if fact.type is None else [f"{fact.type} {fact.confidence or 0:.2f}"]
    until = fact.decide_by or fact.expires
    ends = [] if until is None else [f"until {until:%Y-%m-%d %H:%M}"]
    return [fact.key, fact.person, fact.status, *kind, f"{fact.updated:%Y-%m-%d}", *ends, fact.text]


def _fields(fact: Fact) -> dict[str, Any]:
    value = fact.value()
    fields = dict(value) if isinstance(value, dict) else {}
    expires = None if fact.expires is None else fact.expires.isoformat()
    return {"key": fact.key, "person": fact.person, **fields, "expires": expires}
