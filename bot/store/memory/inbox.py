"""What is being worked on, in memory."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from bot.api import Message, Pending
from bot.store.envelopes import event

REMEMBERED: Final = 10_000
"""How many finished messages are known when they come again."""

Event = tuple[str, str]


@dataclass(slots=True)
class Letter:
    """A message, and of each answer by its number: the ids on the platform, and whether whole."""

    message: Message
    answers: dict[int, tuple[Sequence[str], bool]] = field(default_factory=dict)

    @property
    def pending(self) -> Pending:
        """What is to be done about it."""
        sent = {number: ids for number, (ids, _) in self.answers.items()}
        return Pending(self.message, sent, any(whole for _, whole in self.answers.values()))


class MemoryInbox:
    """Knows what came before as long as the process lives; an `Inbox`."""

    def __init__(self) -> None:
        self._pending: dict[Event, Letter] = {}
        self._finished: dict[Event, None] = {}

    async def accept(self, message: Message) -> bool:
        """Keep a message; False where it came before, finished or not."""
        key = event(message)
        if key in self._pending or key in self._finished:
            return False
        self._pending[key] = Letter(message)
        return True

    async def sent(self, message: Message, number: int, ids: Sequence[str], *, whole: bool) -> None:
        """Note what the platform shows of a message's answer; nothing once it is finished."""
        if (letter := self._pending.get(event(message))) is not None:
            letter.answers[number] = tuple(ids), whole

    async def finish(self, message: Message) -> None:
        """Forget a message but for its number, by which one that comes again is known."""
        self._finish(event(message))

    async def pending(self) -> Sequence[Pending]:
        """Return what is not finished, in the order of its coming."""
        return [letter.pending for letter in self._pending.values()]

    def of(self, accounts: Sequence[str]) -> list[Message]:
        """Return the messages of accounts, named by their keys."""
        found = (letter.message for letter in self._pending.values())
        return [message for message in found if message.sender.key in accounts]

    def drop(self, accounts: Sequence[str]) -> None:
        """Forget the messages of accounts as if they were finished."""
        for message in self.of(accounts):
            self._finish(event(message))

    def _finish(self, key: Event) -> None:
        if self._pending.pop(key, None) is not None:
            self._finished[key] = None
            if len(self._finished) > REMEMBERED:
                del self._finished[next(iter(self._finished))]
