"""Beginning anew: what ``/reset`` does and says."""

from typing import TYPE_CHECKING, Any

from bot.api import Context

if TYPE_CHECKING:
    from plugins.ai.assistant import Assistant


async def reset(context: Context[Any], assistant: "Assistant") -> None:
    """Clear the chat's context, or in a group the sender's own part of it unless they govern it."""
    everything = await context.is_admin()
    if not everything and context.sender is None:
        await context.reply(context.gettext("I can't tell who you are here, so I cleared nothing."))
        return
    person = None if everything else context.sender
    count = await assistant.history.clear(context, person)
    await assistant.summaries.clear(context, person)
    assistant.results.forget(context.chat, person)
    done = _all_cleared(context, count) if everything else _own_cleared(context, count)
    kept = context.gettext("My long-term memory is untouched.")
    await context.reply(f"{done.format(count=count)} {kept}")


def _all_cleared(context: Context[Any], count: int) -> str:
    return context.ngettext(
        "I cleared this chat's context: {count} message.",
        "I cleared this chat's context: {count} messages.",
        count,
    )


def _own_cleared(context: Context[Any], count: int) -> str:
    return context.ngettext(
        "I cleared your part of this chat's context: {count} message."
        " Clearing all of it takes one of the group's admins.",
        "I cleared your part of this chat's context: {count} messages."
        " Clearing all of it takes one of the group's admins.",
        count,
    )
