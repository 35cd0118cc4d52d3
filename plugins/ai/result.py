"""What stood behind the latest answers, for whoever asks why."""

from collections import OrderedDict, deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from bot.api import Passage
from plugins.ai.providers.provider import Usage
from plugins.ai.tools import Outcome

CHATS: Final = 1000
PER_CHAT: Final = 10
"""How many answers are known for each of how many chats; the oldest are forgotten."""


@dataclass(frozen=True, slots=True)
class TurnResult:
    """One answer and what it came from.

    ``message`` is the id of the question, ``ids`` are those of the answer. ``person`` is who asked,
    under the ``epoch`` that they had. ``cited`` are the numbers of the passages that the answer
    names, counted from 1. ``facts`` are those about the person that the model was told.
    ``tools`` are the calls that the model made.
    ``fallback`` names the provider that answered in the place of ``model``. ``seconds`` is the
    whole turn.
    """

    chat: str
    message: str
    person: str | None
    epoch: int | None
    model: str
    ids: Sequence[str] = ()
    passages: Sequence[Passage] = ()
    cited: Collection[int] = ()
    facts: Sequence[str] = ()
    tools: Sequence[Outcome] = ()
    fallback: str | None = None
    usage: Usage | None = None
    seconds: float = 0.0


class Results:
    """Keeps the latest answers of the latest chats, in memory only."""

    def __init__(self) -> None:
        self._chats: OrderedDict[str, deque[TurnResult]] = OrderedDict()

    def add(self, result: TurnResult) -> None:
        """Keep a result."""
        self._chats.setdefault(result.chat, deque(maxlen=PER_CHAT)).append(result)
        self._chats.move_to_end(result.chat)
        if len(self._chats) > CHATS:
            self._chats.popitem(last=False)

    def find(self, chat: str, message: str) -> TurnResult | None:
        """Return the result whose question or answer has this id."""
        return next((r for r in self._latest(chat) if message in {r.message, *r.ids}), None)

    def last(self, chat: str, person: str | None) -> TurnResult | None:
        """Return a person's latest result in a chat."""
        return next((r for r in self._latest(chat) if r.person == person), None)

    def forget(self, chat: str, person: str | None = None) -> None:
        """Forget a chat's results, or one person's part of them."""
        found = self._chats.get(chat, ())
        self._chats[chat] = deque(
            (r for r in found if person is not None and r.person != person), PER_CHAT
        )

    def _latest(self, chat: str) -> Sequence[TurnResult]:
        return tuple(reversed(self._chats.get(chat, ())))
