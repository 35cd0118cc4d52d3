"""Everything that is kept about a person, as a file."""

import json

from bot.api import Attachment, Context
from plugins.privacy.overview import Host, person_in_private


async def export(context: Context[Host]) -> None:
    """Send the person all that is kept about them."""
    held = await context.state.privacy.export(person_in_private(context))
    content = json.dumps(held, ensure_ascii=False, indent=2, default=str).encode()
    file = Attachment("my-data.json", "application/json", content, size=len(content))
    text = context.gettext("Here is everything that I keep about you, as a JSON file.")
    if held.get("failures"):
        text += "\n" + context.gettext(
            "Something is missing in it, though: the file says under “failures” what and why."
        )
    await context.reply(text, attachments=[file])
