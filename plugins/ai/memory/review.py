"""Reviewing facts: what people with their buttons and operators with their commands both do."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from bot.api import UserError
from plugins.ai.memory.fact import Fact, Origin, Source, Status, cleaned, folded, key_of
from plugins.ai.memory.ledger import Changed, Ledger
from plugins.ai.memory.policy import Policies
from plugins.ai.memory.refusing import check

LAPSE: Final = timedelta(days=30)
"""How long a fact lives that a person lets expire where the operator set no time."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Which facts are meant; what is empty does not narrow them down."""

    person: str = ""
    keys: Sequence[str] = ()
    match: str = ""
    type: str = ""
    status: Status | None = None

    def fits(self, fact: Fact) -> bool:
        """Tell whether a fact is meant."""
        return (
            (not self.person or fact.person == self.person)
            and (not self.keys or fact.key in self.keys)
            and folded(self.match) in folded(fact.text)
            and (not self.type or fact.type == self.type)
            and self.status in {None, fact.status}
        )


class Review:
    """Approves, rejects, changes and forgets facts; `UserError` says why that is not possible."""

    def __init__(self, ledger: Ledger, policies: Policies) -> None:
        self._ledger = ledger
        self._policies = policies

    async def find(self, wanted: Filter) -> list[Fact]:
        """Return the facts that are meant, oldest first."""
        if wanted.person:
            facts = await self._ledger.of(wanted.person)
        else:
            facts = await self._ledger.everyone(wanted.status)
        return [fact for fact in facts if wanted.fits(fact)]

    async def get(self, person: str, key: str) -> Fact:
        """Return a fact."""
        fact = await self._ledger.get(person, key)
        if fact is None:
            raise UserError("There is no such fact any more, so nothing was changed.")
        return fact

    async def approve(self, person: str, key: str, *, epoch: int | None = None) -> Fact:
        """Let a pending fact be used."""
        async with self._ledger.lock(person):
            fact = _pending(await self.get(person, key))
            usable = replace(fact, status=Status.APPROVED, decide_by=None, origin=_bare(fact))
            now = self._ledger.clock()
            made = await self._write(usable.stated(now, fact.life), epoch)
            await self._ledger.settle(made, epoch=epoch)
            return made

    async def reject(self, person: str, key: str, *, epoch: int | None = None) -> None:
        """Keep a pending fact from being used and from being proposed again."""
        async with self._ledger.lock(person):
            fact = _pending(await self.get(person, key))
            await self._write(fact.rejected(), epoch)

    async def forget(self, person: str, key: str, *, epoch: int | None = None) -> bool:
        """Delete a fact and let no extraction that is under way bring it back."""
        async with self._ledger.lock(person):
            fact = await self._ledger.get(person, key)
            if fact is None or fact.status is Status.REJECTED:
                return False
            self._ledger.generations[person] += 1
            await self._policies.touch(person, epoch=epoch)
            return await self._ledger.delete(fact, epoch=epoch)

    async def edit(self, person: str, key: str, text: str, *, epoch: int | None = None) -> Fact:
        """Give a fact other words; it counts as stated now, by the person, to the bot alone."""
        check(text, self._ledger.options.max_fact_length)
        async with self._ledger.lock(person):
            fact = _usable(await self.get(person, key))
            changed = replace(
                fact,
                text=cleaned(text),
                key=key_of(text),
                source=Source.MANUAL,
                status=Status.APPROVED,
                origin=None,
                shared=False,
                decide_by=None,
            )
            there = await self._ledger.get(person, changed.key)
            stored = None if there is None else there.stored
            now = self._ledger.clock()
            made = await self._write(replace(changed, stored=stored).stated(now, fact.life), epoch)
            if made.key != key:
                await self._ledger.delete(fact, epoch=epoch)
            await self._ledger.settle(made, epoch=epoch)
            return made

    async def keep(
        self, person: str, key: str, *, for_ever: bool, epoch: int | None = None
    ) -> Fact:
        """Keep a fact for ever, or let it expire in the operator's time, else in 30 days."""
        async with self._ledger.lock(person):
            fact = _usable(await self.get(person, key))
            life = None if for_ever else self._ledger.options.ttl or LAPSE
            return await self._write(fact.keeping(self._ledger.clock(), life), epoch)

    async def _write(self, fact: Fact, epoch: int | None) -> Fact:
        try:
            return await self._ledger.write(fact, epoch=epoch)
        except Changed as error:
            raise UserError(
                "Somebody else has just changed that fact, so I left it as it is."
                " Please look at it again."
            ) from error


def _pending(fact: Fact) -> Fact:
    if fact.status is Status.PENDING:
        return fact
    if fact.status is Status.REJECTED:
        raise UserError(
            "That was rejected already, or nobody decided in time; nothing was changed."
        )
    raise UserError("That was approved already; nothing was changed.")


def _usable(fact: Fact) -> Fact:
    if fact.status in {Status.REJECTED, Status.SUPERSEDED}:
        raise UserError("That fact is not in use any more, so it can't be changed.")
    return fact


def _bare(fact: Fact) -> Origin | None:
    return None if fact.origin is None else replace(fact.origin, text="")
