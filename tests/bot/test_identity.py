"""Who is a person and who is nobody."""

from dataclasses import replace

import pytest

from bot.api import Account, People, Person
from bot.identity import Identity
from bot.runtime import utc_now
from bot.store.memory import MemoryStore

ANA = Account("test", "1", "Ana", "es")


def people() -> People:
    return MemoryStore(utc_now).people


async def test_an_account_has_a_person() -> None:
    assert await Identity(people()).resolve(ANA) == Person("test:1")


@pytest.mark.parametrize("nobody", [replace(ANA, anonymous=True), replace(ANA, is_bot=True)])
async def test_nothing_is_kept_of_nobody(nobody: Account) -> None:
    known = people()
    assert await Identity(known).resolve(nobody) is None
    assert await Identity(known).guess(nobody) is None
    assert await known.all() == []


async def test_a_guess_makes_nobody_known() -> None:
    known = people()
    assert await Identity(known).guess(ANA) == Person("test:1")
    assert await known.all() == []
    await known.resolve(ANA)
    await known.set_language("test:1", "es")
    assert await Identity(known).guess(ANA) == Person("test:1", language="es")


async def test_a_chosen_language_stays_until_it_is_taken_back() -> None:
    identity = Identity(people())
    person = await identity.resolve(ANA)
    assert person is not None
    for language in ("pt_BR", None):
        await identity.choose_language(person.id, language)
        assert await identity.resolve(ANA) == Person("test:1", language=language)
