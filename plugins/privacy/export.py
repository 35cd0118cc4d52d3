"""Everything that is kept about a person, as an archive for people and for programs."""

from bot.api import Attachment, Context
from plugins.privacy.overview import Host, person_in_private


async def export(context: Context[Host]) -> None:
    """Send the person all that is kept about them."""
    content, missing = await context.state.privacy.archive(person_in_private(context))
    file = Attachment("my-data.zip", "application/zip", content, size=len(content))
    text = context.gettext(
        "Here is everything that I keep about you: my-data.md to read, my-data.json for programs."
    )
    if missing:
        text += "\n" + context.gettext(
            "Something is missing in it, though: the file says under “failures” what and why."
        )
    await context.reply(text, attachments=[file])
