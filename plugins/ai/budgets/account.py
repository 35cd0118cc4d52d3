"""What was used in a month, day by day, as the store keeps it."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from datetime import UTC, datetime, timedelta
from typing import Final

from bot.api import Json
from plugins.ai.budgets.options import Limits

NAMESPACE: Final = "ai.usage"
LIFE: Final = timedelta(days=400)
"""How long a month's account is kept."""

MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Amount:
    """Messages answered, tokens, and money in millionths of the currency."""

    requests: int = 0
    tokens: int = 0
    money: int = 0

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(
            self.requests + other.requests, self.tokens + other.tokens, self.money + other.money
        )

    def __sub__(self, other: "Amount") -> "Amount":
        return self + Amount(-other.requests, -other.tokens, -other.money)


@dataclass(frozen=True, slots=True)
class Account:
    """A month: what each of its days used, by the day's two digits."""

    days: Mapping[str, Amount]

    @classmethod
    def read(cls, value: Json) -> "Account":
        """Return what is stored; what nobody can read counts as nothing."""
        entries = value.items() if isinstance(value, Mapping) else ()
        return cls({day: amount for day, kept in entries if (amount := _amount(kept)) is not None})

    @property
    def value(self) -> Json:
        """What is stored."""
        return {day: list(astuple(amount)) for day, amount in self.days.items()}

    @property
    def month(self) -> Amount:
        """All of it."""
        return sum(self.days.values(), Amount())

    def day(self, when: datetime) -> Amount:
        """Return what one day used."""
        return self.days.get(f"{when:%d}", Amount())

    def plus(self, when: datetime, amount: Amount) -> "Account":
        """Return the account with more on one day."""
        return Account({**self.days, f"{when:%d}": self.day(when) + amount})

    def over(self, limits: Limits, when: datetime) -> datetime | None:
        """Return when there is room again, where more was used than may be; else None."""
        midnight = when.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        if _exceeds(self.month, limits, "month"):
            return (midnight.replace(day=28) + timedelta(days=4)).replace(day=1)
        return midnight + timedelta(days=1) if _exceeds(self.day(when), limits, "day") else None


def key_of(when: datetime) -> str:
    """Return the key of a time's month."""
    return f"{when.astimezone(UTC):%Y-%m}"


def _exceeds(amount: Amount, limits: Limits, period: str) -> bool:
    limit: Mapping[str, float | None] = {
        name: getattr(getattr(limits, name), period) for name in ("requests", "tokens", "money")
    }
    return (
        _more(amount.requests, limit["requests"])
        or _more(amount.tokens, limit["tokens"])
        or _more(amount.money / MILLION, limit["money"])
    )


def _more(used: float, limit: float | None) -> bool:
    return limit is not None and used > limit


def _amount(kept: Json) -> Amount | None:
    numbers = kept if isinstance(kept, Sequence) and not isinstance(kept, str) else ()
    whole = [number for number in numbers if isinstance(number, int)]
    readable = len(whole) == len(numbers) == len(fields(Amount))
    return Amount(*whole) if readable else None
