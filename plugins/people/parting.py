"""Taking an account out of a person."""

from bot.api import Button, Context, UserError
from plugins.people.telling import Host, mine_in_private, named


async def part(context: Context[Host], *, sure: bool) -> None:
    """Say what goes apart and ask, or do it."""
    people = context.store.people
    accounts = await people.accounts(mine_in_private(context))
    here = context.message.sender
    others = [account for account in accounts if account != here]
    if not others:
        raise UserError("This is the only account of yours that I know, so nothing can go apart.")
    if not sure:
        text = context.gettext(
            "{account} would be on its own again, with what I learned there. These stay together:"
            " {others}."
        )
        await context.reply(
            text.format(account=named([here]), others=named(others)),
            buttons=[Button(context.gettext("Take it out"), "unlink yes", danger=True)],
        )
        return
    await people.unlink(here)
    await context.reply(context.gettext("Done. This account is on its own again."))
