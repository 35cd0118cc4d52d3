"""Who pays for what a model does, and how far: reserved before a call, settled after it."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import suppress
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from babel.dates import format_datetime

from bot.api import (
    GLOBAL,
    Context,
    Documents,
    Erased,
    Json,
    UserError,
    chat_scope,
    gettext_noop,
    origin,
    person_scope,
)
from plugins.ai.budgets.account import LIFE, NAMESPACE, Account, Amount, key_of
from plugins.ai.budgets.options import BudgetsConfig, Limits, Price
from plugins.ai.languages import locale
from plugins.ai.providers.provider import Usage

Clock = Callable[[], datetime]

PERSON: Final = gettext_noop(
    "That is as much as I may answer you for now. Ask me again after {time}."
)
CHAT: Final = gettext_noop(
    "That is as much as I may answer in this chat for now. Ask me again after {time}."
)
ALL: Final = gettext_noop(
    "That is as much as I may answer anybody for now. Ask me again after {time}."
)


@dataclass(slots=True)
class Payer:
    """Whoever a turn is for; ``counted`` is set once its message was counted."""

    person: str | None = None
    epoch: int | None = None
    group: str | None = None
    language: str = "en"
    counted: bool = False

    @classmethod
    def of(cls, context: Context[Any]) -> "Payer":
        """Return who pays for the answer to a message.

        In a group it is the group as well; whoever is nobody draws on the group's budget alone.
        """
        person = context.person
        return cls(
            None if person is None else person.id,
            None if person is None else person.epoch,
            None if context.private else context.chat,
            context.language,
        )


paying: ContextVar[Payer | None] = ContextVar("paying", default=None)
"""Who pays for the calls that follow, also those of the work in the background."""


@dataclass(frozen=True, slots=True)
class Purse:
    """One of the accounts that a call is booked on."""

    scope: str
    limits: Limits
    refusal: str
    epoch: int | None = None


@dataclass(slots=True)
class Reservation:
    """What was booked for a call before it began."""

    payer: Payer
    when: datetime
    amount: Amount
    purses: list[Purse] = field(default_factory=list)


class Budgets:
    """Books what calls take on the accounts of a person, a group and the whole installation.

    ``prices`` are by model. It is made in the plugin's set-up: the installation's account is kept
    whoever asks, also where nothing is to be kept of them, and tells nothing of anybody.
    """

    def __init__(
        self,
        options: BudgetsConfig,
        prices: Mapping[str, Price],
        documents: Documents,
        clock: Clock,
    ) -> None:
        self.options = options
        self._prices = prices
        self._documents = documents
        self._clock = clock
        self._outside = copy_context()

    def now(self) -> datetime:
        """Return the time by which days and months are told."""
        return self._clock().astimezone(UTC)

    def price(self, model: str | None, usage: Usage) -> int:
        """Return what tokens of a model cost in millionths; 0 where its price is unknown."""
        price = self._prices.get(model or "")
        if price is None:
            return 0
        return round(usage.prompt * price.prompt + usage.answer * price.answer)

    async def reserve(self, amount: Amount) -> Reservation:
        """Book what a call may take; `UserError` where somebody's budget has no room for it."""
        payer = paying.get() or Payer(counted=True)
        if payer.counted:
            amount -= Amount(requests=amount.requests)
        reservation = Reservation(payer, self.now(), amount)
        try:
            for purse in self._purses(payer):
                await self._book(purse, reservation.when, amount, refuse=True)
                reservation.purses.append(purse)
        except OverBudget as over:
            await self._add(reservation, Amount() - amount)
            time = format_datetime(over.until, "medium", tzinfo=UTC, locale=locale(payer.language))
            raise UserError(over.purse.refusal, time=f"{time} UTC") from None
        payer.counted = True
        return reservation

    async def settle(self, reservation: Reservation, used: Amount) -> None:
        """Book what a call took in the place of what was reserved."""
        if not used.requests and reservation.amount.requests:
            reservation.payer.counted = False
        await self._add(reservation, used - reservation.amount)

    async def account(self, scope: str, when: datetime) -> Account:
        """Return the account of a month."""
        found = await self._documents.get(scope, NAMESPACE, key_of(when))
        return Account.read(None if found is None else found.value)

    def _purses(self, payer: Payer) -> Iterator[Purse]:
        if payer.person is not None:
            scope = person_scope(payer.person)
            yield Purse(scope, self.options.person, PERSON, payer.epoch)
        if payer.group is not None:
            yield Purse(chat_scope(payer.group), self.options.chat, CHAT)
        yield Purse(GLOBAL, self.options.installation, ALL)

    async def _add(self, reservation: Reservation, amount: Amount) -> None:
        booked = (
            self._book(purse, reservation.when, amount, refuse=False)
            for purse in reservation.purses
        )
        await asyncio.gather(*booked)

    async def _book(self, purse: Purse, when: datetime, amount: Amount, *, refuse: bool) -> None:
        if amount == Amount() and not refuse:
            return

        def change(value: Json) -> Json:
            account = Account.read(value).plus(when, amount)
            until = account.over(purse.limits, when) if refuse else None
            if until is not None:
                raise OverBudget(purse, until)
            return account.value

        async def write() -> None:
            await self._documents.update(
                purse.scope, NAMESPACE, key_of(when), change, expires=when + LIFE, epoch=purse.epoch
            )

        with suppress(Erased):
            await (write() if purse.epoch is not None else self._of_nobody(purse, write()))

    async def _of_nobody(self, purse: Purse, writing: Coroutine[Any, Any, None]) -> None:
        """Write what is not to be known as coming from whoever is answered."""
        context = self._outside.copy() if purse.scope == GLOBAL else copy_context()
        context.run(origin.set, None)
        await asyncio.create_task(writing, context=context)


class OverBudget(Exception):
    """There is no room before ``until``."""

    def __init__(self, purse: Purse, until: datetime) -> None:
        super().__init__()
        self.purse = purse
        self.until = until
