"""What the SDK decodes into messages; pure functions."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

import discord

from bot.api import Account, Attachment, Chat, ChatKind, Command, Message, Quote

PLATFORM: Final = "discord"
UNKNOWN_AUTHOR: Final = "?"
COMMAND: Final = re.compile(r"/([\w-]{1,32})(?:\s+(.*))?\Z", re.DOTALL)
AFTER_MENTION: Final = " \t\r\n,:;"
READABLE: Final = frozenset({discord.MessageType.default, discord.MessageType.reply})


class Ignored(StrEnum):
    """Why an event is no message, as counters name it."""

    OWN = "ignored: the bot's own message"
    SERVICE = "ignored: nothing to read"
    OTHER = "ignored: another kind of event"


@dataclass(frozen=True, slots=True)
class Hearer:
    """Who the bot is, and what it listens to; ``roles`` are those that stand for it alone."""

    id: int
    roles: Collection[int] = ()
    answer_all: bool = False


def incoming(raw: discord.Message, bot: Hearer) -> Message | Ignored:
    """Return what a message says."""
    if raw.author.id == bot.id:
        return Ignored.OWN
    forwarded = bool(raw.flags.forwarded)
    text = raw.message_snapshots[0].content if forwarded else raw.content
    if raw.type not in READABLE or not (text or raw.attachments):
        return Ignored.SERVICE
    chat = place(raw.channel, raw.guild)
    quote = None if forwarded else _quote(raw, bot)
    meant = not forwarded and _meant(raw, bot, quote)
    addressed = chat.private or bot.answer_all or meant
    said = text if forwarded else _without_mention(text, bot)
    return Message(
        str(raw.id),
        chat,
        account(raw.author, webhook=raw.webhook_id is not None),
        said,
        raw.edited_at or raw.created_at,
        addressed=addressed,
        command=_command(said) if addressed and not forwarded else None,
        reply_to=quote,
        attachments=tuple(_files(raw.attachments)),
        forwarded=UNKNOWN_AUTHOR if forwarded else None,
        edited=raw.edited_at is not None,
        update=str(raw.id) if raw.edited_at is None else f"{raw.id}:{raw.edited_at.timestamp()}",
    )


def asked(
    interaction: discord.Interaction[Any], words: Mapping[str, Sequence[str]], now: datetime
) -> Message | Ignored:
    """Return what a slash command or a pressed button says; both are commands.

    ``words`` has the names of each command's arguments in their order.
    """
    command = _of_interaction(interaction.type, interaction.data or {}, words)
    if command is None or interaction.channel is None:
        return Ignored.OTHER
    return Message(
        str(interaction.id),
        place(interaction.channel, interaction.guild),
        account(interaction.user, language=str(interaction.locale)),
        f"/{command.name} {command.arguments}".strip(),
        now,
        addressed=True,
        command=command,
        update=str(interaction.id),
    )


def place(channel: Any, guild: discord.Guild | None) -> Chat:
    """Return a channel, thread or direct message as a chat."""
    key = str(channel.id)
    if isinstance(channel, discord.DMChannel):
        return Chat(PLATFORM, key, ChatKind.PRIVATE)
    language = None if guild is None else str(guild.preferred_locale)
    return Chat(PLATFORM, key, ChatKind.GROUP, title=_title(channel), language=language)


def account(user: Any, *, webhook: bool = False, language: str | None = None) -> Account:
    """Return a user; a webhook is a bot, whoever it says that it is."""
    return Account(
        PLATFORM, str(user.id), user.display_name, language, is_bot=bool(user.bot) or webhook
    )


def _title(channel: Any) -> str | None:
    name = getattr(channel, "name", None)
    return None if name is None else str(name)


def _meant(raw: discord.Message, bot: Hearer, quote: Quote | None) -> bool:
    """Tell whether the bot or a role of its own is mentioned, or it is replied to.

    Discord lists whom a message mentions, without what stands in code; a mention of everybody is
    not among them.
    """
    if quote is not None and quote.own:
        return True
    return any(user.id == bot.id for user in raw.mentions) or any(
        role.id in bot.roles for role in raw.role_mentions
    )


def _without_mention(text: str, bot: Hearer) -> str:
    own = "|".join([rf"<@!?{bot.id}>", *(f"<@&{role}>" for role in bot.roles)])
    rest = re.sub(rf"\A(?:{own})", "", text)
    return text if rest == text else rest.lstrip(AFTER_MENTION) or text


def _command(text: str) -> Command | None:
    found = COMMAND.match(text)
    return None if found is None else Command(found[1].lower(), (found[2] or "").strip())


def _quote(raw: discord.Message, bot: Hearer) -> Quote | None:
    if raw.type is not discord.MessageType.reply or raw.reference is None:
        return None
    replied = raw.reference.resolved
    if not isinstance(replied, discord.Message):
        return Quote(str(raw.reference.message_id))
    webhook = replied.webhook_id is not None
    own = replied.author.id == bot.id
    return Quote(str(replied.id), replied.content, account(replied.author, webhook=webhook), own)


def _files(found: Sequence[discord.Attachment]) -> Iterator[Attachment]:
    for file in found:
        kind = file.content_type or "application/octet-stream"
        yield Attachment(file.filename, kind, id=file.url, size=file.size)


def _of_interaction(
    kind: discord.InteractionType, data: Mapping[str, Any], words: Mapping[str, Sequence[str]]
) -> Command | None:
    if kind is discord.InteractionType.application_command:
        given = {option["name"]: str(option["value"]) for option in data.get("options", ())}
        ordered = (given[name] for name in words.get(data["name"], ()) if given.get(name))
        return Command(data["name"], " ".join(ordered))
    if kind is discord.InteractionType.component and data.get("custom_id"):
        name, _, arguments = data["custom_id"].partition(" ")
        return Command(name.lower(), arguments.strip())
    return None
