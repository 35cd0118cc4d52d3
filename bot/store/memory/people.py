"""Who is who, in memory."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from bot.api import Account, Erased, Person
from bot.store.keys import identified, named, optional, shown
from bot.store.memory.linking import link, unlink
from bot.store.memory.rows import Rows


class MemoryPeople:
    """Accounts and the people behind them; a `People`."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    async def resolve(self, account: Account) -> Person:
        """Return the person of an account; its first message makes one."""
        known = self._rows.accounts.get(identified(account))
        if known is None:
            return self._settle(account)
        stored, person = known
        self._rows.accounts[account] = (_renewed(stored, account), person)
        return self._rows.people[person]

    async def get(self, person: str) -> Person | None:
        """Return a person by canonical id."""
        return self._rows.people.get(named("a person's id", person))

    async def accounts(self, person: str) -> Sequence[Account]:
        """Return a person's accounts, oldest first."""
        named("a person's id", person)
        return [account for account, owner in self._rows.accounts.values() if owner == person]

    async def set_language(self, person: str, language: str | None) -> None:
        """Keep the person's own choice of language; `Erased` where there is no such person."""
        known = self._rows.people.get(named("a person's id", person))
        if known is None:
            message = "there is no such person (any more), so no choice of language was kept"
            raise Erased(message)
        self._rows.people[person] = replace(known, language=optional("a language", language))

    async def find(self, account: Account) -> Person | None:
        """Return the person of an account without making one."""
        known = self._rows.accounts.get(identified(account))
        return None if known is None else self._rows.people[known[1]]

    async def all(self) -> Sequence[Person]:
        """Return everybody, by id."""
        return sorted(self._rows.people.values(), key=lambda person: person.id)

    async def pause(self, person: str, *, paused: bool) -> None:
        """Note that nothing more is to be kept of a person, or that it may be again."""
        if (known := self._rows.people.get(named("a person's id", person))) is not None:
            epoch = known.epoch + paused
            self._rows.people[person] = replace(known, paused=paused, epoch=epoch)

    async def link(self, keep: str, join: str) -> Mapping[str, int]:
        """Make two people one: ``keep`` gets all that is ``join``'s; return what moved, by kind."""
        return link(keep, join, self._rows)

    async def unlink(self, account: Account) -> str | None:
        """Take an account out of a person; return whose the others are, None without others."""
        return unlink(identified(account), self._rows)

    def _settle(self, account: Account) -> Person:
        person = Person(account.key, self._rows.epoch(account.key))
        self._rows.accounts[account] = (_renewed(account, account), person.id)
        return self._rows.people.setdefault(person.id, person)


def _renewed(stored: Account, account: Account) -> Account:
    """Return an account with what a new message knows of it; what that leaves out stays."""
    return replace(
        stored,
        name=shown(account.name) or stored.name,
        language=shown(account.language or "") or stored.language,
        is_bot=account.is_bot,
    )
