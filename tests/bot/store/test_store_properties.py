"""Whatever people do in whatever order: nobody's rows reach another, and what went stays gone."""

import asyncio
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from bot.api import Account, Entry, Erased, Role, Store, origin, person_scope
from bot.runtime import utc_now
from bot.store import open_store

NAMES = ["1", "10", "2"]
CHATS = ["t:a", "t:b"]
names = st.sampled_from(NAMES)
chats = st.sampled_from(CHATS)


class People(RuleBasedStateMachine):
    """A model beside a store: for each account, the texts that it wrote and that still stand."""

    url = "memory"

    @initialize()
    def open(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.folder = Path(tempfile.mkdtemp())
        self.store: Store = self.run(open_store(self.url, self.folder, clock=utc_now))
        self.notes: defaultdict[str, set[str]] = defaultdict(set)
        self.said: defaultdict[str, set[str]] = defaultdict(set)
        self.gone: set[str] = set()
        self.late: list[tuple[str, str, int]] = []
        self.number = 0

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.run(self.store.close())
            self.loop.close()
            shutil.rmtree(self.folder)

    def run(self, work: Awaitable[Any]) -> Any:
        return self.loop.run_until_complete(work)

    def person(self, name: str) -> Any:
        return self.run(self.store.people.resolve(Account("t", name, name)))

    def accounts(self, person: str) -> list[str]:
        return [account.id for account in self.run(self.store.people.accounts(person))]

    def acting(self, name: str, work: Callable[[], Awaitable[Any]]) -> Any:
        token = origin.set(f"t:{name}")
        try:
            return self.run(work())
        finally:
            origin.reset(token)

    @rule(name=names, chat=chats)
    def write(self, name: str, chat: str) -> None:
        self.number += 1
        text = f"text-{self.number}-of-{name}."
        person = self.person(name)
        scope = person_scope(person.id)

        async def both() -> None:
            await self.store.documents.put(scope, "notes", text, text, epoch=person.epoch)
            turn = [Entry(Role.USER, text, person.id), Entry(Role.ASSISTANT, text, person.id)]
            await self.store.messages.append(chat, turn, epoch=person.epoch)

        self.acting(name, both)
        self.notes[name].add(text)
        self.said[name].add(text)

    @rule(name=names, count=st.integers(2, 6))
    def count_at_once(self, name: str, count: int) -> None:
        scope = person_scope(self.person(name).id)

        def more(value: Any) -> Any:
            return (value or 0) + 1

        async def race() -> None:
            before = await self.store.documents.get(scope, "counts", "n")
            start: Any = 0 if before is None else before.value
            jobs = (self.store.documents.update(scope, "counts", "n", more) for _ in range(count))
            await asyncio.gather(*jobs)
            after = await self.store.documents.get(scope, "counts", "n")
            assert after is not None
            assert after.value == start + count

        self.acting(name, race)

    @rule(name=names)
    def begin_work(self, name: str) -> None:
        person = self.person(name)
        self.late.append((name, person.id, person.epoch))

    @rule()
    def end_work(self) -> None:
        """Write what was begun earlier; after an erasure, a link or a pause nothing is written."""
        for name, person, epoch in self.late:
            self.number += 1
            text = f"text-{self.number}-of-{name}."
            work = partial(self.note, person, text, epoch)
            try:
                self.acting(name, work)
            except Erased:
                self.gone.add(text)
            else:
                self.notes[name].add(text)
        self.late.clear()

    async def note(self, person: str, text: str, epoch: int) -> None:
        await self.store.documents.put(person_scope(person), "notes", text, text, epoch=epoch)

    @rule(keep=names, join=names)
    def link(self, keep: str, join: str) -> None:
        one, other = self.person(keep), self.person(join)
        if one.id != other.id:
            self.run(self.store.people.link(one.id, other.id))

    @rule(name=names)
    def unlink(self, name: str) -> None:
        self.run(self.store.people.unlink(Account("t", name)))

    @rule(name=names)
    def pause(self, name: str) -> None:
        person = self.person(name)
        self.run(self.store.people.pause(person.id, paused=not person.paused))

    @rule(chat=chats)
    def clear(self, chat: str) -> None:
        entries = self.run(self.store.messages.latest(chat, 999, archived=True))
        self.run(self.store.messages.clear(chat))
        for texts in self.said.values():
            texts -= {entry.content for entry in entries}

    @rule(name=names)
    def erase(self, name: str) -> None:
        person = self.person(name)
        exported = self.run(self.store.export(person.id))
        counts = self.run(self.store.erase(person.id))
        assert counts == {kind: len(rows) for kind, rows in exported.items()}
        for account in exported["accounts"]:
            self.gone |= self.notes.pop(account["id"], set()) | self.said.pop(account["id"], set())

    @rule()
    def restart(self) -> None:
        if self.url != "memory":
            self.run(self.store.close())
            self.store = self.run(open_store(self.url, self.folder, clock=utc_now))

    @invariant()
    def what_is_exported_is_what_was_written_and_nobody_elses(self) -> None:
        if not hasattr(self, "store"):
            return
        owners = defaultdict(list)
        for name in NAMES:
            person = self.run(self.store.people.find(Account("t", name)))
            if person is not None:
                owners[person.id].append(name)
        for person, accounts in owners.items():
            held = self.run(self.store.export(person))
            notes = {row["value"] for row in held["documents"] if row["namespace"] == "notes"}
            said = {row["content"] for row in held["messages"]}
            assert notes == set().union(*(self.notes[name] for name in accounts))
            assert said == set().union(*(self.said[name] for name in accounts))
            everything = str(held)
            assert not [text for text in self.gone if text in everything]
            for row in held["documents"]:
                if row["namespace"] == "notes":
                    assert row["value"].endswith(f"-of-{(row['origin'] or person)[2:]}.")


class PeopleInSqlite(People):
    url = "sqlite"


@pytest.mark.parametrize(("machine", "examples"), [(People, 60), (PeopleInSqlite, 25)])
def test_properties_hold(machine: type[People], examples: int) -> None:
    run_state_machine_as_test(  # type: ignore[no-untyped-call, unused-ignore]
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
