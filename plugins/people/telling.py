"""What people are told before and after accounts are joined."""

from collections.abc import Callable, Sequence
from typing import Any

from bot.api import Account, AdapterError, Button, Context, Reply, Services, UserError
from plugins.people.codes import Side

Host = Services[Any]
Say = Callable[[str], str]


def mine_in_private(context: Context[Host]) -> str:
    """Return the sender's id where nobody else reads along; refuse otherwise and say why."""
    if context.sender is None:
        raise UserError("You write anonymously, so I can't tell which accounts are yours.")
    if not context.private:
        raise UserError(
            "Which accounts are yours is nobody else's business: send me the same command in a"
            " private chat."
        )
    return context.sender


async def tell(host: Host, side: Side, text: str, buttons: Sequence[Button] = ()) -> bool:
    """Write to one side; tell whether that was possible."""
    try:
        await host.send(side.chat, Reply(text, buttons=tuple(buttons)))
    except AdapterError as error:
        host.log.warning("one side of a link could not be told: %s", type(error).__name__)
        return False
    return True


async def preview(host: Host, keep: Side, join: Side, say: Say) -> str:
    """Return what would be joined, and whose settings stay."""
    lines = [
        say("These accounts would be one person, with all that I keep about them:"),
        await _described(host, keep, say),
        await _described(host, join, say),
    ]
    kept, lost = await _language(host, keep), await _language(host, join)
    if kept and lost and kept != lost:
        text = say("The language stays {kept}, not {lost}.")
        lines.append(text.format(kept=kept, lost=lost))
    lines.append(
        say(
            "Where both have the same setting, that of the account that made the code stays."
            " Nothing happens until both accounts say yes, within {minutes} minutes."
        ).format(minutes=10)
    )
    return "\n".join(lines)


def named(accounts: Sequence[Account]) -> str:
    """Return accounts as people know them."""
    return ", ".join(
        f"{account.platform.capitalize()} ({account.name or account.id})" for account in accounts
    )


async def _language(host: Host, side: Side) -> str | None:
    person = await host.store.people.get(side.person)
    return None if person is None else person.language


async def _described(host: Host, side: Side, say: Say) -> str:
    accounts = await host.store.people.accounts(side.person)
    kept = await host.store.kept(side.person)
    text = say("- {accounts}: {documents} notes, {messages} messages")
    return text.format(
        accounts=named(accounts), documents=kept["documents"], messages=kept["messages"]
    )
