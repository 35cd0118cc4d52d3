"""Who is who, in every store."""

from dataclasses import replace
from typing import Any

import pytest

from bot.api import Account, Entry, Erased, Person, Role, Store

ANA = Account("test", "1", "Ana", "es")


async def test_the_first_message_of_an_account_makes_a_person(store: Store) -> None:
    assert await store.people.get("test:1") is None
    person = await store.people.resolve(ANA)
    assert person == Person("test:1")
    assert await store.people.resolve(ANA) == person
    assert await store.people.get("test:1") == person
    assert [a.name for a in await store.people.accounts("test:1")] == ["Ana"]


async def test_what_an_account_tells_anew_is_kept_and_what_it_leaves_out_stays(
    store: Store,
) -> None:
    await store.people.resolve(ANA)
    for renewed, name, language in (
        (replace(ANA, name="Ana María"), "Ana María", "es"),
        (Account("test", "1"), "Ana María", "es"),
        (replace(ANA, name="", language="pt-BR"), "Ana María", "pt-BR"),
        (ANA, "Ana", "es"),
    ):
        await store.people.resolve(renewed)
        (account,) = await store.people.accounts("test:1")
        assert (account.name, account.language) == (name, language)
        assert not account.is_bot


async def test_a_name_with_half_a_character_is_kept_readable(store: Store) -> None:
    await store.people.resolve(replace(ANA, name="Ana \ud83d", language="e\ud83ds"))
    (account,) = await store.people.accounts("test:1")
    assert account.name == "Ana ?"
    assert account.language == "e?s"


async def test_a_choice_of_language_is_seen_at_once(store: Store) -> None:
    await store.people.resolve(ANA)
    for language in ("pt_BR", "es", None):
        await store.people.set_language("test:1", language)
        assert await store.people.resolve(ANA) == Person("test:1", language=language)
        assert await store.people.get("test:1") == Person("test:1", language=language)


async def test_a_choice_of_language_makes_nobody(store: Store) -> None:
    with pytest.raises(Erased):
        await store.people.set_language("test:1", "es")
    await store.people.resolve(ANA)
    await store.erase("test:1")
    with pytest.raises(Erased):
        await store.people.set_language("test:1", "es")
    assert await store.people.get("test:1") is None


IDS = ["1", "10", "01", "1:1", "1:", ":1", "%", "_", "1' OR '1'='1", "ñ", "١", "\x00", "1\x00"]


async def test_ids_are_matched_whole(store: Store) -> None:
    for id_ in IDS:
        await store.people.resolve(Account("test", id_, f"name of {id_!r}"))
    for id_ in IDS:
        (account,) = await store.people.accounts(f"test:{id_}")
        assert account == Account("test", id_)
        assert account.name == f"name of {id_!r}"
        assert await store.people.resolve(account) == Person(f"test:{id_}")


@pytest.mark.parametrize(
    "account",
    [
        Account("test", ""),
        Account("", "1"),
        Account("te:st", "1"),
        Account("test", "\ud800"),
        Account("test", "1", anonymous=True),
        Account("test", None),  # type: ignore[arg-type]
        Account("test", 1),  # type: ignore[arg-type]
    ],
)
async def test_an_account_that_could_be_another_one_is_refused(
    store: Store, account: Account
) -> None:
    await store.people.resolve(ANA)
    with pytest.raises(ValueError, match=r"account|platform"):
        await store.people.resolve(account)


async def test_an_anonymous_message_of_a_known_account_is_refused_too(store: Store) -> None:
    await store.people.resolve(ANA)
    with pytest.raises(ValueError, match="anonymous"):
        await store.people.resolve(replace(ANA, anonymous=True))


@pytest.mark.parametrize("nobody", ["", None, 0, "\ud800"])
async def test_nobody_is_refused_and_never_means_everybody(store: Store, nobody: Any) -> None:
    await store.people.resolve(ANA)
    await store.messages.append("test:1", [Entry(Role.USER, "hello", "test:1")])
    before = await store.export("test:1")
    for act in (store.people.get, store.people.accounts, store.kept, store.export, store.erase):
        with pytest.raises(ValueError, match="person"):
            await act(nobody)
    with pytest.raises(ValueError, match="person"):
        await store.people.set_language(nobody, "es")
    if nobody is not None:  # None stands for the whole log there
        with pytest.raises(ValueError, match="person"):
            await store.messages.clear("test:1", person=nobody)
    assert await store.export("test:1") == before
