"""Who is a person and who is nobody."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from bot.api import Account, Person
from bot.identity import Identity

ANA = Account("test", "1", "Ana", "es")


class RememberingPeople:
    """Makes a person of every account that it is asked for, and remembers them."""

    def __init__(self) -> None:
        self.people: dict[str, Person] = {}

    async def resolve(self, account: Account) -> Person:
        return self.people.setdefault(account.key, Person(account.key))

    async def get(self, person: str) -> Person | None:
        return self.people.get(person)

    async def accounts(self, person: str) -> Sequence[Account]:
        return ()

    async def set_language(self, person: str, language: str | None) -> None:
        self.people[person] = replace(self.people[person], language=language)


async def test_an_account_has_a_person() -> None:
    people = RememberingPeople()
    assert await Identity(people).resolve(ANA) == Person("test:1")


@pytest.mark.parametrize("nobody", [replace(ANA, anonymous=True), replace(ANA, is_bot=True)])
async def test_nothing_is_kept_of_nobody(nobody: Account) -> None:
    people = RememberingPeople()
    assert await Identity(people).resolve(nobody) is None
    assert people.people == {}


async def test_a_chosen_language_stays_until_it_is_taken_back() -> None:
    identity = Identity(RememberingPeople())
    person = await identity.resolve(ANA)
    assert person is not None
    for language in ("pt_BR", None):
        await identity.choose_language(person.id, language)
        assert await identity.resolve(ANA) == Person("test:1", language=language)
