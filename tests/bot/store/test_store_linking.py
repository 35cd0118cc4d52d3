"""One person with several accounts: linked with all that is theirs, and taken apart again."""

from typing import Any

import pytest

from bot.api import Account, Entry, Erased, Role, Store, origin, person_scope

A, B, C = Account("t", "1", "Ana"), Account("d", "2", "ana"), Account("x", "3", "Xena")
NOTES = "notes"


async def write(store: Store, account: Account, mark: str) -> str:
    """Write a note and a line as the dispatcher lets a plugin do."""
    person = await store.people.resolve(account)
    token = origin.set(account.key)
    await store.documents.put(person_scope(person.id), NOTES, mark, f"{mark} note")
    await store.messages.append("t:c", [Entry(Role.USER, mark, person.id)])
    origin.reset(token)
    return person.id


async def held(store: Store, person: str) -> tuple[set[str], set[str]]:
    notes = {d.key for d in await store.documents.scan(NOTES, scope=person_scope(person))}
    said = {e.content for e in await store.messages.latest("t:c", 99) if e.person == person}
    return notes, said  # type: ignore[return-value]


async def test_what_was_of_two_is_of_one(store: Store) -> None:
    a, b = await write(store, A, "a"), await write(store, B, "b")
    await store.people.set_language(b, "es")
    moved = await store.people.link(a, b)
    assert moved == {"accounts": 1, "messages": 1, "documents": 1}
    assert (await store.people.resolve(B)).id == a
    assert await store.people.accounts(a) == [A, B]
    assert await held(store, a) == ({"a", "b"}, {"a", "b"})
    assert set((await store.kept(b)).values()) == {0}
    assert await store.people.get(b) is None
    joined = await store.people.get(a)
    assert joined is not None
    assert joined.language == "es"
    assert [person.id for person in await store.people.all()] == [a]


async def test_where_both_have_something_the_first_keeps_it(store: Store) -> None:
    a, b = await write(store, A, "same"), await write(store, B, "same")
    await store.documents.put(person_scope(a), NOTES, "same", "of a")
    await store.people.set_language(a, "en")
    await store.people.set_language(b, "es")
    await store.people.link(a, b)
    [note] = await store.documents.scan(NOTES, scope=person_scope(a))
    assert note.value == "of a"
    joined = await store.people.get(a)
    assert joined is not None
    assert joined.language == "en"


async def test_work_of_before_a_linking_writes_nothing_for_either(store: Store) -> None:
    a, b = await write(store, A, "a"), await write(store, B, "b")
    await store.people.link(a, b)
    for person in (a, b):
        with pytest.raises(Erased):
            await store.documents.put(person_scope(person), NOTES, "late", 1, epoch=0)
    fresh = await store.people.resolve(B)
    await store.documents.put(person_scope(fresh.id), NOTES, "now", 1, epoch=fresh.epoch)


@pytest.mark.parametrize("out", [A, B])
async def test_an_account_goes_out_with_the_rows_that_came_from_it(
    store: Store, out: Account
) -> None:
    a, b = await write(store, A, "a"), await write(store, B, "b")
    await store.people.link(a, b)
    await write(store, A, "a2")
    await write(store, B, "b2")
    before = await store.people.resolve(out)
    rest = await store.people.unlink(out)
    assert rest == (b if out is A else a)
    assert (await store.people.resolve(A)).id == a
    assert (await store.people.resolve(B)).id == b
    assert await held(store, a) == ({"a", "a2"}, {"a", "a2"})
    assert await held(store, b) == ({"b", "b2"}, {"b", "b2"})
    for person in (a, b):
        with pytest.raises(Erased):
            await store.documents.put(
                person_scope(person), NOTES, "late", 1, epoch=before.epoch - 1
            )


async def test_the_last_account_stays(store: Store) -> None:
    await write(store, A, "a")
    assert await store.people.unlink(A) is None
    assert await store.people.unlink(B) is None
    assert await held(store, A.key) == ({"a"}, {"a"})


async def test_three_are_linked_and_one_goes(store: Store) -> None:
    a, b, c = [await write(store, one, one.id) for one in (A, B, C)]
    await store.people.link(b, c)
    await store.people.link(a, b)
    assert await held(store, a) == ({"1", "2", "3"}, {"1", "2", "3"})
    assert await store.people.unlink(A) == b
    assert await held(store, a) == ({"1"}, {"1"})
    assert await held(store, b) == ({"2", "3"}, {"2", "3"})
    assert (await store.people.resolve(C)).id == b
    assert await store.people.unlink(C) == b
    assert await held(store, c) == ({"3"}, {"3"})


async def test_erasing_one_who_was_linked_erases_every_part(store: Store) -> None:
    a, b = await write(store, A, "a"), await write(store, B, "b")
    c = await write(store, C, "c")
    await store.people.link(a, b)
    counts = await store.erase(a)
    assert (counts["accounts"], counts["documents"], counts["messages"]) == (2, 2, 2)
    for person in (a, b):
        assert set((await store.kept(person)).values()) == {0}
    back = await store.people.resolve(B)
    assert (back.id, back.epoch > 0) == (b, True)
    assert await held(store, c) == ({"c"}, {"c"})


@pytest.mark.parametrize(
    ("keep", "join"), [("t:1", "t:1"), ("t:1", "t:9"), ("t:9", "t:1"), ("", "t:1")]
)
async def test_who_cannot_be_linked_changes_nothing(store: Store, keep: str, join: str) -> None:
    a = await write(store, A, "a")
    before = await store.export(a)
    with pytest.raises(ValueError, match="person"):
        await store.people.link(keep, join)
    assert await store.export(a) == before


async def test_an_account_is_found_without_making_a_person(store: Store) -> None:
    assert await store.people.find(A) is None
    assert await store.people.all() == []
    person = await store.people.resolve(A)
    assert await store.people.find(A) == person


async def test_a_pause_is_known_until_it_ends(store: Store) -> None:
    person = await store.people.resolve(A)
    await store.people.pause(person.id, paused=True)
    assert (await store.people.resolve(A)).paused
    exported: Any = await store.export(person.id)
    assert exported["accounts"][0]["paused"]
    await store.people.pause(person.id, paused=False)
    assert not (await store.people.resolve(A)).paused
