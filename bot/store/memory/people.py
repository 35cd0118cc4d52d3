"""Who is who, in memory."""

from collections.abc import Sequence
from dataclasses import replace

from bot.api import Account, Erased, Person
from bot.store.keys import identified, named, optional, shown
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
