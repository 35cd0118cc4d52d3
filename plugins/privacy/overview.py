"""What is kept about a person, in words and counts."""

from collections.abc import Mapping
from typing import Any

from bot.api import Button, Context, Services, UserError

Host = Services[Any]


async def overview(context: Context[Host]) -> None:
    """Show who keeps what and why, and to the person alone what there is of theirs."""
    parts = [_statements(context)]
    buttons = []
    if context.sender is None:
        parts.append(context.gettext("You write anonymously, so I keep nothing about you."))
    elif not context.private:
        parts.append(
            context.gettext(
                "What I keep about you is for your eyes only: send me /privacy in a private chat."
            )
        )
    else:
        kept = await context.state.privacy.kept(context.sender)
        parts.insert(
            0, f"{context.gettext('This is what I keep about you:')}\n{counted(context, kept)}"
        )
        buttons = [
            Button(context.gettext("Send it to me"), "privacy export"),
            _discretion(context),
            Button(context.gettext("Erase it"), "privacy erase", danger=True),
        ]
    await context.reply("\n\n".join(parts), buttons=buttons)


def _retention(context: Context[Host]) -> list[str]:
    kept = context.state.config.retention
    texts = {
        context.gettext("- What we say is deleted after {days} days."): kept.messages,
        context.gettext("- What I remember of you is deleted after {days} days."): kept.facts,
    }
    return [
        text.format(days=max(1, round(time.total_seconds() / 86400)))
        for text, time in texts.items()
        if time is not None
    ]


def _discretion(context: Context[Host]) -> Button:
    if context.person is not None and context.person.paused:
        return Button(context.gettext("Keep things again"), "privacy resume")
    return Button(context.gettext("Keep nothing more"), "privacy pause")


def person_in_private(context: Context[Host]) -> str:
    """Return the sender's id where nobody else reads along; refuse otherwise and say what to do."""
    if context.sender is None:
        raise UserError("You write anonymously, so I keep nothing about you.")
    if not context.private:
        raise UserError(
            "That is personal, so I only do it where nobody else reads along:"
            " send me the same command in a private chat."
        )
    return context.sender


def counted(context: Context[Host], counts: Mapping[str, int]) -> str:
    """Return one line of words for each kind that there is something of."""
    lines = [f"- {_words(context, kind, count)}" for kind, count in counts.items() if count]
    return "\n".join(lines) or f"- {context.gettext('nothing')}"


def _words(context: Context[Host], kind: str, count: int) -> str:
    if kind == "accounts":
        text = context.ngettext(
            "{count} account: how a platform knows you, and your settings",
            "{count} accounts: how the platforms know you, and your settings",
            count,
        )
    elif kind == "documents":
        text = context.ngettext(
            "{count} note, such as a fact I remember",
            "{count} notes, such as facts I remember",
            count,
        )
    elif kind == "messages":
        text = context.ngettext(
            "{count} message of our conversations",
            "{count} messages of our conversations",
            count,
        )
    elif kind == "inbox":
        text = context.ngettext(
            "{count} message that I am answering just now",
            "{count} messages that I am answering just now",
            count,
        )
    elif kind.startswith("plugins."):
        text = context.ngettext("{count} entry of {plugin}", "{count} entries of {plugin}", count)
    else:
        text = "{kind}: {count}"
    return text.format(count=count, kind=kind, plugin=kind.removeprefix("plugins."))


def _statements(context: Context[Host]) -> str:
    statements = context.state.privacy.statements()
    lines = [f"- **{name}** – {context.gettext(text)}" for name, text in statements.items()]
    lines += [
        context.gettext("- {recipient} receives what you write, to answer it.").format(
            recipient=recipient
        )
        for recipient in context.state.privacy.recipients()
    ]
    lines += _retention(context)
    text = context.gettext(
        "Your messages reach me through {platform}, which has its own rules."
        " I hand them on to nobody unless a line above says so."
    )
    return "\n".join(
        [
            context.gettext("Which part of me keeps what, and why:"),
            *lines,
            text.format(platform=context.message.chat.platform.capitalize()),
        ]
    )
