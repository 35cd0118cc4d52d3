"""Joining two people once both have said yes."""

import secrets
from dataclasses import dataclass
from typing import Any, Final

from bot.api import Button, Context, Document, Json, UserError, person_scope
from plugins.people.codes import VALID, Side, give, take
from plugins.people.telling import Host, preview, tell

KEY: Final = "offer"


@dataclass(frozen=True, slots=True)
class Offer:
    """What both sides are asked, as it is stored with the one that keeps its id."""

    document: Document
    keep: Side
    join: Side

    def other(self, person: str) -> Side:
        """Return the side that is not this person's; refuse who is neither."""
        sides = {self.keep.person: self.join, self.join.person: self.keep}
        if person not in sides:
            raise UserError("That question was not for you.")
        return sides[person]


async def propose(context: Context[Host], code: str) -> None:
    """Give a code, or ask both sides about what a code leads to."""
    if not code:
        text = context.gettext(
            "Send me this on your other account within {minutes} minutes:\n\n`/link {code}`\n\n"
            "Give it to nobody: whoever has it could join their account with yours."
        )
        await context.reply(text.format(minutes=_minutes(), code=await give(context)))
        return
    keep, join = await take(context, code), Side.of(context)
    if keep.person == join.person:
        raise UserError("That code is of an account that is joined with this one already.")
    await _ask(context, keep, join)


async def accept(context: Context[Host], token: str) -> None:
    """Note one side's yes; with the other's, join them."""
    offer = await _find(context, token)
    me, other = context.sender or "", offer.other(context.sender or "")
    place = (offer.document.scope, offer.document.namespace, offer.document.key)
    noted: Any = await context.store.documents.update(*place, lambda value: _agreed(value, me))
    if noted is None or set(noted.value["agreed"]) != {me, other.person}:
        await context.reply(context.gettext("Thank you. Now the other account has to say yes."))
        return
    if not await context.store.documents.delete(*place):
        raise _over()
    await _join(context, offer, other)


async def decline(context: Context[Host], token: str) -> None:
    """Let everything be as it is."""
    offer = await _find(context, token)
    other = offer.other(context.sender or "")
    await context.store.documents.delete(
        offer.document.scope, offer.document.namespace, offer.document.key
    )
    text = "Nothing was joined."
    await context.reply(context.gettext("Nothing was joined."))
    await tell(context.state, other, context.state.speak(other.language).gettext(text))


async def _ask(context: Context[Host], keep: Side, join: Side) -> None:
    token = secrets.token_urlsafe(12)
    host = context.state
    await context.store.documents.put(
        person_scope(keep.person),
        context.plugin,
        KEY,
        {"keep": keep.stored(), "join": join.stored(), "agreed": []},
        tag=f"offer-{token}",
        expires=host.clock() + VALID,
        epoch=keep.epoch,
    )
    say = host.speak(keep.language).gettext
    if not await tell(host, keep, await preview(host, keep, join, say), _buttons(say, token)):
        raise UserError("I can't reach the account that made the code, so nothing was joined.")
    text = await preview(host, keep, join, context.gettext)
    await context.reply(text, buttons=_buttons(context.gettext, token))


async def _join(context: Context[Host], offer: Offer, other: Side) -> None:
    people = context.store.people
    for side in (offer.keep, offer.join):
        person = await people.get(side.person)
        if person is None or person.epoch != side.epoch:
            raise UserError("Something about these accounts changed meanwhile; nothing was joined.")
    await people.link(offer.keep.person, offer.join.person)
    text = "Done. These accounts are one person now. /unlink takes one out again."
    await context.reply(
        context.gettext("Done. These accounts are one person now. /unlink takes one out again.")
    )
    await tell(context.state, other, context.state.speak(other.language).gettext(text))


async def _find(context: Context[Host], token: str) -> Offer:
    if token:
        for found in await context.store.documents.scan(context.plugin, tag=f"offer-{token}"):
            value: Any = found.value
            return Offer(found, Side.read(value["keep"]), Side.read(value["join"]))
    raise _over()


def _agreed(value: Any, person: str) -> Json:
    return None if value is None else {**value, "agreed": sorted({*value["agreed"], person})}


def _over() -> UserError:
    return UserError(
        "That question is answered already or older than {minutes} minutes.", minutes=_minutes()
    )


def _buttons(say: Any, token: str) -> list[Button]:
    return [
        Button(say("Yes, both are mine"), f"link yes {token}"),
        Button(say("No"), f"link no {token}"),
    ]


def _minutes() -> int:
    return int(VALID.total_seconds() // 60)
