"""What the text of a message asks of the bot: whether it is meant, and by which command."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from bot.api import Command, Quote

Entity = Mapping[str, Any]

AFTER_MENTION: Final = " \t\r\n,:;"


@dataclass(frozen=True, slots=True)
class Hearer:
    """Who the bot is and what it listens to; ``mention`` is its ``@name`` in lower case."""

    id: int
    mention: str
    answer_all: bool = False
    caption_commands: bool = False


class Speech(NamedTuple):
    """A text without the mention that it begins with, and what it asks."""

    text: str
    addressed: bool
    command: Command | None


def heard(raw: Mapping[str, Any], bot: Hearer, quote: Quote | None, *, forwarded: bool) -> Speech:
    """Return what a message says to the bot; ``raw`` is a Message of the Bot API.

    Only entities count, which Telegram measures in UTF-16 units, and a reply to the bot. What was
    forwarded is somebody else's, so that it neither commands nor mentions.
    """
    text = raw.get("text")
    entities = raw.get("entities")
    commands = True
    if text is None:
        text = raw.get("caption", "")
        entities = raw.get("caption_entities")
        commands = bot.caption_commands
    addressed = bot.answer_all or (quote is not None and quote.own)
    if not entities or forwarded:
        return Speech(text, addressed, None)
    command = _command_entity(entities) if commands else None
    if command is None:
        return _mentioned(text, entities, bot, addressed=addressed)
    return _commanded(text, command, bot, quote, addressed=addressed)


def cut(text: str, offset: int, length: int) -> str:
    """Return a piece of a text that is measured in UTF-16 units."""
    if text.isascii():
        return text[offset : offset + length]
    units = text.encode("utf-16-le", "surrogatepass")
    return units[2 * offset : 2 * (offset + length)].decode("utf-16-le", "replace")


def _command_entity(entities: Sequence[Entity]) -> Entity | None:
    for entity in entities:
        if entity["type"] == "bot_command" and entity["offset"] == 0:
            return entity
    return None


def _commanded(
    text: str, entity: Entity, bot: Hearer, quote: Quote | None, *, addressed: bool
) -> Speech:
    word = text[: entity["length"]]  # the letters of a command are ASCII
    name, at, target = word[1:].partition("@")
    own = f"@{target.lower()}" == bot.mention
    if not own and (at or _by_other_bot(quote)):
        return Speech(text, addressed=False, command=None)
    command = Command(name.lower(), text[len(word) :].strip())
    return Speech(text, own or addressed, command)


def _by_other_bot(quote: Quote | None) -> bool:
    return quote is not None and not quote.own and quote.sender is not None and quote.sender.is_bot


def _mentioned(text: str, entities: Sequence[Entity], bot: Hearer, *, addressed: bool) -> Speech:
    for entity in entities:
        if _means(text, entity, bot):
            addressed = True
            if entity["offset"] == 0 and entity["type"] != "bot_command":
                rest = text[len(cut(text, 0, entity["length"])) :].lstrip(AFTER_MENTION)
                return Speech(rest or text, addressed, None)
    return Speech(text, addressed, None)


def _means(text: str, entity: Entity, bot: Hearer) -> bool:
    kind = entity["type"]
    if kind == "text_mention":
        return bool(entity["user"]["id"] == bot.id)
    if kind not in {"mention", "bot_command"}:
        return False
    word = cut(text, entity["offset"], entity["length"]).lower()
    return word == bot.mention if kind == "mention" else word.endswith(bot.mention)
