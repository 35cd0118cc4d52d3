"""How much may be asked: the ``budgets``, ``prices`` and ``rate`` of the configuration."""

from datetime import timedelta
from typing import Annotated

from pydantic import Field

from bot.api import Duration
from plugins.ai.block import Block

Count = Annotated[int, Field(gt=0)]
Sum = Annotated[float, Field(gt=0)]
Period = Annotated[Duration, Field(gt=timedelta(0), le=timedelta(days=1))]


class Counts(Block):
    """The most of a day and of a month, both of UTC; None is no limit."""

    day: Count | None = None
    month: Count | None = None


class Sums(Block):
    """The most of a day and of a month, both of UTC, in the currency of the prices."""

    day: Sum | None = None
    month: Sum | None = None


class Limits(Block):
    """The limits of one who pays: messages that a model answers, its tokens, what they cost."""

    requests: Counts = Counts()
    tokens: Counts = Counts()
    money: Sums = Sums()


class BudgetsConfig(Block):
    """The limits of each person, of each group, and of all together."""

    person: Limits = Limits()
    chat: Limits = Limits()
    installation: Limits = Limits()

    @property
    def count_money(self) -> bool:
        """Whether there is a limit of money anywhere."""
        return any(limits.money != Sums() for limits in (self.person, self.chat, self.installation))


class Price(Block):
    """What a million tokens of a model cost, read and written, in a currency of one's own."""

    prompt: float = Field(ge=0)
    answer: float = Field(ge=0)


class RateConfig(Block):
    """How many messages of one person are answered within a time."""

    messages: int = Field(default=20, ge=1, le=1000)
    per: Period = timedelta(minutes=1)
