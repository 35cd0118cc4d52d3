"""``/memory``: what is known about a person, with all that they can do about it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from bot.api import Button, Context, UserError, gettext_noop
from plugins.ai.memory.fact import Fact, Status
from plugins.ai.memory.memory import Memory
from plugins.ai.memory.options import Review as Policy

PAGE: Final = 5
"""How many facts stand on a page; each has up to three buttons."""

POLICIES: Final[Mapping[Policy, str]] = {
    "auto": gettext_noop(
        "I note facts about you from what you write to me. With `/memory ask` you decide on each"
        " of them, with `/memory off` I stop."
    ),
    "required": gettext_noop(
        "I propose facts about you from what you write to me, and use one only once it is approved."
        " With `/memory off` I stop."
    ),
    "off": gettext_noop("I note nothing about you of my own accord, only what you tell me to."),
}


def person_in_private(context: Context[Any]) -> str:
    """Return the sender's id where nobody else reads along; refuse otherwise and say what to do."""
    if context.sender is None:
        raise UserError("You write anonymously, so I remember nothing about you.")
    if not context.keeps:
        raise UserError(
            "As you wished, I keep nothing at the moment, and what I knew before rests untouched."
            " /privacy shows how to go on."
        )
    if not context.private:
        raise UserError(
            "What I remember about you is for your eyes only:"
            " send me the same command in a private chat."
        )
    return context.sender


async def show(context: Context[Any], memory: Memory, page: int = 1) -> None:
    """List one page of the facts about the sender, those that wait for their word first."""
    facts = await memory.memory_facts(person_in_private(context))
    waiting = [fact for fact in facts if fact.status is Status.PENDING]
    known = waiting + [fact for fact in facts if fact.status is Status.APPROVED]
    last = max(-(-len(known) // PAGE), 1)
    page = min(max(page, 1), last)
    first = (page - 1) * PAGE
    shown = known[first : first + PAGE]
    parts = [
        _heading(context, known, len(waiting)),
        "\n".join(_line(context, n, fact) for n, fact in enumerate(shown, first + 1)),
        await policy(context, memory),
    ]
    await context.reply(
        "\n\n".join(part for part in parts if part),
        buttons=[*_buttons(context, shown, first), *_pages(context, page, last)],
    )


def _heading(context: Context[Any], known: Sequence[Fact], waiting: int) -> str:
    if not known:
        return context.gettext(
            "I remember nothing about you. `/remember TEXT` tells me what I should."
        )
    text = context.ngettext(
        "I know {count} thing about you:", "I know {count} things about you:", len(known)
    ).format(count=len(known))
    if waiting:
        more = context.ngettext(
            "{count} of them waits for your word and is not used before:",
            "{count} of them wait for your word and are not used before:",
            waiting,
        )
        text += " " + more.format(count=waiting)
    return text


def _line(context: Context[Any], number: int, fact: Fact) -> str:
    notes = []
    if fact.status is Status.PENDING:
        notes.append(context.gettext("waiting"))
    if fact.kept:
        notes.append(context.gettext("kept for ever"))
    elif fact.expires is not None:
        until = context.gettext("until {date}")
        notes.append(until.format(date=f"{fact.expires:%Y-%m-%d}"))
    note = f" ({', '.join(notes)})" if notes else ""
    return f"{number}. {fact.text}{note}"


def _buttons(context: Context[Any], facts: Sequence[Fact], first: int) -> list[Button]:
    buttons = []
    for number, fact in enumerate(facts, first + 1):
        if fact.status is Status.PENDING:
            named = {"approve": context.gettext("Remember {number}")}
            named["reject"] = context.gettext("Don't remember {number}")
        else:
            named = {"forget": context.gettext("Forget {number}")}
            if fact.kept or fact.expires is None:
                named["expire"] = context.gettext("Let {number} expire")
            else:
                named["keep"] = context.gettext("Keep {number} for ever")
        named["edit"] = context.gettext("Change {number}")
        buttons += [
            Button(label.format(number=number), f"memory {action} {fact.key}", action == "forget")
            for action, label in named.items()
        ]
    return buttons


def _pages(context: Context[Any], page: int, last: int) -> list[Button]:
    buttons = []
    if page > 1:
        buttons.append(Button(context.gettext("Back"), f"memory page {page - 1}"))
    if page < last:
        buttons.append(Button(context.gettext("More"), f"memory page {page + 1}"))
    return buttons


async def policy(context: Context[Any], memory: Memory) -> str:
    """Return in words what is noted about the sender without their asking."""
    wish = await memory.policies.wish(person_in_private(context))
    return context.gettext(POLICIES[memory.policy(wish)])
