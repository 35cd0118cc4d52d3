"""What one turn answers."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Self

from bot.api import Message
from plugins.ai.utterance import Utterance


@dataclass(frozen=True, slots=True)
class Said:
    """A message, or several that came so quickly that they are one question."""

    parts: Sequence[Utterance]

    @classmethod
    def of(cls, message: Message) -> Self:
        """Return what a message says."""
        return cls(tuple(map(Utterance.of, message.parts or (message,))))

    @property
    def text(self) -> str:
        """All the words."""
        return "\n".join(part.text for part in self.parts if part.text)

    @property
    def own(self) -> str:
        """The words that are the sender's own, not passed on."""
        return "\n".join(part.text for part in self.parts if part.forwarded is None)

    @property
    def messages(self) -> Collection[str]:
        """The ids of the messages."""
        return {part.message for part in self.parts}

    def prompt(self) -> str:
        """Return the text for a model."""
        return "\n\n".join(filter(None, (part.prompt() for part in self.parts)))
