"""Who is who, in SQLite."""

import sqlite3
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from bot.api import Account, Erased, Person
from bot.store.keys import identified, named, optional, shown
from bot.store.sqlite.linking import link, unlink
from bot.store.sqlite.readers import Readers
from bot.store.sqlite.tombstones import buried_epoch
from bot.store.sqlite.writer import Writer
from bot.store.values import Clock, instant

REMEMBERED: Final = 10_000
"""How many accounts are known without asking the database."""


class SqlitePeople:
    """Accounts and the people behind them; a `People`.

    Every message asks who wrote it, so that the latest answers are remembered. An answer that was
    under way while a person changed is not (``changes``).
    """

    def __init__(self, readers: Readers, writer: Writer, clock: Clock) -> None:
        self._readers = readers
        self._writer = writer
        self._clock = clock
        self._known: OrderedDict[Account, tuple[Account, Person]] = OrderedDict()
        self._changes = 0

    async def resolve(self, account: Account) -> Person:
        """Return the person of an account; its first message makes one."""
        known = self._known.get(account)
        if known is not None and _same(known[0], account):
            self._known.move_to_end(account)
            return known[1]
        identified(account)
        changes = self._changes
        person = await self._readers.read(partial(_find, account))
        if person is None:
            person = await self._writer.write(partial(_settle, account, self._clock))
        if changes == self._changes:
            self._remember(account, person)
        return person

    async def get(self, person: str) -> Person | None:
        """Return a person by canonical id."""
        return await self._readers.read(partial(find_person, named("a person's id", person)))

    async def accounts(self, person: str) -> Sequence[Account]:
        """Return a person's accounts, oldest first."""
        return await self._readers.read(partial(find_accounts, named("a person's id", person)))

    async def set_language(self, person: str, language: str | None) -> None:
        """Keep the person's own choice of language; `Erased` where there is no such person."""
        named("a person's id", person)
        optional("a language", language)
        await self._writer.write(partial(_choose, person, language))
        self.forget(person)

    async def find(self, account: Account) -> Person | None:
        """Return the person of an account without making one."""
        return await self._readers.read(partial(_of, identified(account)))

    async def all(self) -> Sequence[Person]:
        """Return everybody, by id."""
        return await self._readers.read(_everybody)

    async def pause(self, person: str, *, paused: bool) -> None:
        """Note that nothing more is to be kept of a person, or that it may be again."""
        await self._writer.write(partial(_pause, named("a person's id", person), paused))
        self.forget(person)

    async def link(self, keep: str, join: str) -> Mapping[str, int]:
        """Make two people one: ``keep`` gets all that is ``join``'s; return what moved, by kind."""
        moved = await self._writer.write(partial(link, keep, join))
        self.forget_all()
        return moved

    async def unlink(self, account: Account) -> str | None:
        """Take an account out of a person; return whose the others are, None without others."""
        now = instant(self._clock())
        rest = await self._writer.write(partial(unlink, identified(account), now))
        self.forget_all()
        return rest

    def forget(self, person: str) -> None:
        """Ask the database again for the accounts of a person that has changed."""
        self._changes += 1
        for account in [a for a, (_, known) in self._known.items() if known.id == person]:
            del self._known[account]

    def forget_all(self) -> None:
        """Ask the database again for every account."""
        self._changes += 1
        self._known.clear()

    def _remember(self, account: Account, person: Person) -> None:
        self._known[account] = (account, person)
        self._known.move_to_end(account)
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)


def find_person(person: str, connection: sqlite3.Connection) -> Person | None:
    """Return a person by id."""
    row = connection.execute(
        "SELECT id, epoch, language, paused FROM people WHERE id = ? AND joined IS NULL", (person,)
    ).fetchone()
    return None if row is None else _person(*row)


def _person(id_: str, epoch: int, language: str | None, paused: int) -> Person:
    return Person(id_, epoch, language, paused=bool(paused))


def find_accounts(person: str, connection: sqlite3.Connection) -> list[Account]:
    """Return a person's accounts, oldest first."""
    rows = connection.execute(
        "SELECT platform, id, unseal(name), language, is_bot FROM accounts"
        " WHERE person = ? ORDER BY number",
        (person,),
    )
    return [_account(*row) for row in rows]


def _account(platform: str, id_: str, name: str, language: str | None, is_bot: int) -> Account:
    return Account(platform, id_, name, language, is_bot=bool(is_bot))


def _same(stored: Account, account: Account) -> bool:
    """Tell whether an account says nothing new; what it leaves out is nothing new."""
    return (
        account.name in ("", stored.name)
        and account.language in (None, "", stored.language)
        and account.is_bot == stored.is_bot
        and not account.anonymous
    )


def _find(account: Account, connection: sqlite3.Connection) -> Person | None:
    """Return the person of an account that is stored as it is."""
    row = connection.execute(
        "SELECT people.id, epoch, people.language, paused, unseal(name), accounts.language, is_bot"
        " FROM accounts JOIN people ON people.id = person WHERE platform = ? AND accounts.id = ?",
        (account.platform, account.id),
    ).fetchone()
    if row is None or not _same(_account("", "", *row[4:]), account):
        return None
    return _person(*row[:4])


def _settle(account: Account, clock: Clock, connection: sqlite3.Connection) -> Person:
    """Write an account as it is now, with a person for a new one."""
    details = (shown(account.name), shown(account.language or ""), account.is_bot)
    renewed = connection.execute(
        "UPDATE accounts SET name = coalesce(seal(nullif(?, '')), name),"
        " language = coalesce(nullif(?, ''), language), is_bot = ?"
        " WHERE platform = ? AND id = ?",
        (*details, account.platform, account.id),
    )
    if not renewed.rowcount:
        _create(account, instant(clock()), connection)
    person = _of(account, connection)
    if person is None:
        raise AssertionError
    return person


def _of(account: Account, connection: sqlite3.Connection) -> Person | None:
    row = connection.execute(
        "SELECT people.id, epoch, people.language, paused FROM accounts"
        " JOIN people ON people.id = person WHERE platform = ? AND accounts.id = ?",
        (account.platform, account.id),
    ).fetchone()
    return None if row is None else _person(*row)


def _everybody(connection: sqlite3.Connection) -> list[Person]:
    rows = connection.execute(
        "SELECT id, epoch, language, paused FROM people WHERE joined IS NULL ORDER BY id"
    )
    return [_person(*row) for row in rows]


def _pause(person: str, paused: bool, connection: sqlite3.Connection) -> None:  # noqa: FBT001
    connection.execute(
        "UPDATE people SET paused = ?1, epoch = epoch + ?1 WHERE id = ?2", (paused, person)
    )


def _create(account: Account, now: int, connection: sqlite3.Connection) -> None:
    person = account.key
    connection.execute(
        "INSERT INTO people (id, epoch, created) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        (person, buried_epoch(person, connection), now),
    )
    connection.execute(
        "INSERT INTO accounts (platform, id, person, name, language, is_bot, created)"
        " VALUES (?, ?, ?, seal(?), nullif(?, ''), ?, ?)",
        (
            account.platform,
            account.id,
            person,
            shown(account.name),
            shown(account.language or ""),
            account.is_bot,
            now,
        ),
    )


def _choose(person: str, language: str | None, connection: sqlite3.Connection) -> None:
    chosen = connection.execute("UPDATE people SET language = ? WHERE id = ?", (language, person))
    if not chosen.rowcount:
        message = "there is no such person (any more), so no choice of language was kept"
        raise Erased(message)
