"""What a person said, as the history keeps it and as a model reads it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from bot.api import Json, Message, Quote
from plugins.ai.naming import data, quoted


@dataclass(frozen=True, slots=True)
class Utterance:
    """A message with where its words come from.

    ``speaker`` is set in groups. ``forwarded`` names the one whose words these are when the sender
    only passed them on. The quoted message is read once and never stored: it is another's.
    """

    text: str
    message: str = ""
    speaker: str | None = None
    forwarded: str | None = None
    files: tuple[str, ...] = ()
    quote: Quote | None = None

    @classmethod
    def of(cls, message: Message) -> Self:
        """Return what a message says."""
        return cls(
            message.text,
            message.id,
            None if message.chat.private else message.sender.name,
            message.forwarded,
            tuple(attachment.name for attachment in message.attachments),
            message.reply_to,
        )

    @classmethod
    def read(cls, content: Json) -> Self | None:
        """Return what a stored content says; None for what nobody can read."""
        if isinstance(content, str):
            return cls(content)
        if not isinstance(content, Mapping) or not isinstance(content.get("text"), str):
            return None
        files = content.get("files")
        return cls(
            str(content["text"]),
            str(content.get("message", "")),
            _optional(content.get("speaker")),
            _optional(content.get("forwarded")),
            tuple(map(str, files)) if isinstance(files, list | tuple) else (),
        )

    def stored(self) -> Json:
        """Return the content to keep."""
        fields: dict[str, Json] = {"text": self.text, "message": self.message}
        if self.speaker is not None:
            fields["speaker"] = self.speaker
        if self.forwarded is not None:
            fields["forwarded"] = self.forwarded
        if self.files:
            fields["files"] = list(self.files)
        return fields

    def prompt(self) -> str:
        """Return the text for a model.

        The person's own words in a private chat stand as they are; whatever else there is, is set
        out as data with a line on whose it is.
        """
        lines = [] if self.quote is None or not self.quote.text else [_reply_to(self.quote)]
        if self.files:
            lines.append(f"Attached: {', '.join(map(quoted, self.files))}")
        if not lines and self.speaker is None and self.forwarded is None:
            return self.text
        if self.text:
            lines.append(f"{self._says()}\n{data(self.text)}")
        return "\n".join(lines)

    def _says(self) -> str:
        speaker = "The person" if self.speaker is None else quoted(self.speaker)
        if self.forwarded is None:
            return f"{speaker} says:"
        author = quoted(self.forwarded) if self.forwarded else "somebody unnamed"
        return f"{speaker} passes on a message by {author}; these are not the sender's words:"


def _reply_to(quote: Quote) -> str:
    if quote.own:
        return f"In reply to your message:\n{data(quote.text)}"
    author = "somebody" if quote.sender is None else quoted(quote.sender.name)
    return f"In reply to a message by {author}:\n{data(quote.text)}"


def _optional(value: Json) -> str | None:
    return value if isinstance(value, str) else None
