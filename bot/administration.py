"""``tertulia people`` and ``tertulia data``: what an operator does to the store by hand.

All of it works while the bot runs, but for changing the key, before which it must be stopped.
"""

import asyncio
import json
import os
import sys
from argparse import ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Protocol

from bot.api import Account, Store, StoreError
from bot.archive import NAME, archive
from bot.config import store_options
from bot.privacy import known_as, owe

Act = Callable[[Store, Namespace], Awaitable[int]]


class Load(Protocol):
    """What a command gets at: the configuration's path, and the store."""

    @property
    def path(self) -> Path:
        """The configuration."""
        ...

    def store(self) -> AbstractAsyncContextManager[Store]:
        """Open the store."""
        ...


def register_people(subparsers: "_SubParsersAction[ArgumentParser]", load: Load) -> None:
    """Add the command ``people``."""
    parser = subparsers.add_parser("people", help="who is known, and what is kept of them")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    _action(actions, "list", _list, load, "list everybody")
    for name, act, summary in (
        ("show", _show, "show a person's accounts and what is kept of them"),
        ("export", _export, "write all that is kept of a person to a folder"),
        ("erase", _erase, "erase all that is kept of a person, for good"),
    ):
        action = _action(actions, name, act, load, summary)
        action.add_argument("person", help="a canonical id such as telegram:123")
        if name == "export":
            action.add_argument("--to", type=Path, required=True, metavar="FOLDER")
        if name == "erase":
            action.add_argument("--yes", action="store_true", help="do not ask")
    link = _action(actions, "link", _link, load, "make two people one")
    link.add_argument("keep", help="whose id and settings stay")
    link.add_argument("join", help="who becomes a part of the first one")
    unlink = _action(actions, "unlink", _unlink, load, "take an account out of a person")
    unlink.add_argument("account", help="the account's key, such as discord:42")


def register_data(subparsers: "_SubParsersAction[ArgumentParser]", load: Load) -> None:
    """Add the command ``data``."""
    parser = subparsers.add_parser("data", help="copies of the database, and its key")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    backup = _action(actions, "backup", _backup, load, "copy everything to a file")
    backup.add_argument("file", type=Path)
    for name, act, summary in (
        ("restore", _restore, "go back to a copy, but for those who were erased since"),
        ("verify", _verify, "check the database, or a copy of it"),
    ):
        action = actions.add_parser(name, help=summary)
        action.add_argument("file", type=Path, nargs="?" if name == "verify" else None)
        action.set_defaults(run=_on_disk(act, load))
    rotate = actions.add_parser("rotate", help="change the key of the data; stop the bot first")
    rotate.add_argument(
        "--to", metavar="VARIABLE", help="environment variable of the new key; none without it"
    )
    rotate.set_defaults(run=_on_disk(_rotate, load))


def _action(
    actions: "_SubParsersAction[ArgumentParser]", name: str, act: Act, load: Load, summary: str
) -> ArgumentParser:
    parser = actions.add_parser(name, help=summary)

    async def work(options: Namespace) -> int:
        async with load.store() as store:
            return await act(store, options)

    parser.set_defaults(run=lambda options: asyncio.run(work(options)))
    return parser


def _on_disk(act: Callable[[Load, Namespace], Awaitable[None]], load: Load) -> Callable[..., int]:
    async def work(options: Namespace) -> int:
        await act(load, options)
        return 0

    return lambda options: asyncio.run(work(options))


async def _list(store: Store, options: Namespace) -> int:  # noqa: ARG001 - an action
    for person in await store.people.all():
        accounts = await store.people.accounts(person.id)
        names = ", ".join(f"{account.key} ({account.name})" for account in accounts)
        _say(f"{person.id}\t{names}{'  paused' if person.paused else ''}")
    return 0


async def _show(store: Store, options: Namespace) -> int:
    person = await _known(store, options.person)
    for account in await store.people.accounts(person):
        _say(f"account    {account.key}  {account.name}")
    for kind, count in (await store.kept(person)).items():
        _say(f"{kind:<10} {count}")
    return 0


async def _export(store: Store, options: Namespace) -> int:
    held = await store.export(await _known(store, options.person))
    name = f"{NAME}-{options.person.replace(':', '-')}.zip"
    _say(f"wrote {await asyncio.to_thread(_written, archive(held), options.to, name)}")
    return 0


def _written(content: bytes, folder: Path, name: str) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = folder / name
    file.touch(mode=0o600)
    file.write_bytes(content)
    return file


async def _erase(store: Store, options: Namespace) -> int:
    person = await _known(store, options.person)
    kept = json.dumps(await store.kept(person))
    question = f"erase {kept} of {person} for good? type yes: "
    if not options.yes and await asyncio.to_thread(input, question) != "yes":
        _say("nothing was erased")
        return 1
    await owe(store, await known_as(store, person))
    _say(f"erased {json.dumps(await store.erase(person))}")
    _say("what plugins keep outside of the store, the bot erases within ten minutes of running")
    return 0


async def _link(store: Store, options: Namespace) -> int:
    try:
        moved = await store.people.link(options.keep, options.join)
    except ValueError as error:
        raise StoreError(f"{options.keep}, {options.join}: {error}") from error
    _say(f"{options.join} is a part of {options.keep} now: {json.dumps(moved)}")
    return 0


async def _unlink(store: Store, options: Namespace) -> int:
    platform, _, number = options.account.partition(":")
    if not platform or not number:
        raise StoreError("an account is named by its key, such as discord:42")
    rest = await store.people.unlink(Account(platform, number))
    if rest is None:
        raise StoreError(f"{options.account} is not known, or the only account of its person")
    _say(f"{options.account} is on its own now; the other accounts are {rest}'s")
    return 0


async def _backup(store: Store, options: Namespace) -> int:
    backup: Any = getattr(store, "backup", None)
    if backup is None:
        raise StoreError("this store has no copies")
    await backup(options.file)
    _say(f"wrote {options.file}")
    return 0


async def _restore(load: Load, options: Namespace) -> None:
    from bot.store.sqlite import restore  # noqa: PLC0415 - only where it is used

    _, folder, _ = store_options(load.path, os.environ)
    erased = await restore(options.file, folder)
    _say(f"restored {options.file}; {erased} people who were erased since were erased again")


async def _verify(load: Load, options: Namespace) -> None:
    from bot.store.sqlite import verify  # noqa: PLC0415 - only where it is used

    _, folder, _ = store_options(load.path, os.environ)
    for table, count in (await verify(options.file or folder)).items():
        _say(f"{table:<12} {count}")
    _say("whole")


async def _rotate(load: Load, options: Namespace) -> None:
    from bot.store.sqlite import Seal, rotate  # noqa: PLC0415 - only where it is used

    _, folder, key = store_options(load.path, os.environ)
    new = None if options.to is None else os.environ.get(options.to)
    if options.to is not None and not new:
        raise StoreError(f"the environment variable {options.to} is not set")
    try:
        seal = Seal(new)
    except ValueError as error:
        raise StoreError(f"{options.to}: {error}") from error
    await rotate(folder, Seal(key), seal)
    _say("done; name the new key as `data_key` before the bot is started again")


async def _known(store: Store, person: str) -> str:
    if await store.people.get(person) is None:
        raise StoreError(f"nobody is known as {person!r}; `tertulia people list` names everybody")
    return person


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
