"""Keeping nothing, for a person or for a chat."""

from bot.api import Button, Context, UserError
from plugins.privacy.overview import Host, person_in_private


async def pause(context: Context[Host]) -> None:
    """Keep nothing more of the person until they say so."""
    await context.state.privacy.pause(person_in_private(context), paused=True)
    await context.reply(
        context.gettext(
            "From now on I keep nothing about you, in no chat: we can talk, but I forget it when I"
            " am restarted, and what I kept before is not used. It stays until you erase it."
        ),
        buttons=[Button(context.gettext("Keep things again"), "privacy resume")],
    )


async def resume(context: Context[Host]) -> None:
    """Keep things again."""
    await context.state.privacy.pause(person_in_private(context), paused=False)
    await context.reply(
        context.gettext("I keep things again. What you said in between is forgotten.")
    )


async def incognito(context: Context[Host]) -> None:
    """Begin or end a time in which nothing of the chat is kept."""
    if not context.private and not await context.is_admin():
        raise UserError("In a group only its admins decide whether anything is kept.")
    privacy, chat = context.state.privacy, context.message.chat
    if context.arguments not in {"", "on", "off"}:
        raise UserError("/incognito on begins it, /incognito off ends it.")
    on = context.arguments != "off"
    if on and privacy.incognito(chat):
        raise UserError("This chat is incognito already. /incognito off ends it.")
    await privacy.set_incognito(chat, on=on)
    if on:
        text = context.gettext(
            "This chat is incognito: nothing of it is kept, of nobody, until /incognito off."
        )
    else:
        text = context.gettext("This chat is not incognito any more. What was said is forgotten.")
    await context.reply(text)
