"""``/memory`` with an action, ``/remember`` and ``/forget``: the person's hand on their facts."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from bot.api import Button, Context, Message, UserError, gettext_noop
from plugins.ai.matching import Matcher
from plugins.ai.memory.fact import Fact, Status, cleaned, folded
from plugins.ai.memory.listing import person_in_private, policy, show
from plugins.ai.memory.memory import Memory
from plugins.ai.memory.options import Review as Policy
from plugins.ai.memory.refusing import check
from plugins.ai.naming import plain

CHOICES: Final[Mapping[str, Policy]] = {"auto": "auto", "ask": "required", "off": "off"}
MOST_ALIKE: Final = 5
CHANGES: Final[Mapping[str, str]] = {
    "approve": gettext_noop("I'll remember that: {fact}"),
    "reject": gettext_noop("I won't remember that, nor propose it again."),
    "forget": gettext_noop("I have forgotten that."),
    "keep": gettext_noop("I'll remember that for ever: {fact}"),
    "expire": gettext_noop("I'll remember that until {date}: {fact}"),
    "edit": gettext_noop("I'll remember that: {fact}"),
}


async def manage(context: Context[Any], memory: Memory) -> None:
    """Show the sender's facts, or do with them what the command's first word says."""
    person = person_in_private(context)
    action, _, rest = context.arguments.partition(" ")
    action = action.lower()
    if action in {"", "page"}:
        await show(context, memory, int(rest) if rest.strip().isdecimal() else 1)
    elif action in CHOICES:
        await memory.choose(person, CHOICES[action], epoch=_epoch(context))
        await context.reply(await policy(context, memory))
    elif action in CHANGES:
        await _change(context, memory, action, rest.strip())
    else:
        raise UserError(
            "/memory shows what I remember about you. /memory auto, /memory ask and /memory off"
            " say whether I may note facts by myself, ask you first, or note none."
        )


async def remember(context: Context[Any], memory: Memory) -> None:
    """Keep what the sender says; what others said is kept as their words."""
    person = person_in_private(context)
    if not memory.on:
        raise UserError("My long-term memory is turned off here, so I can't remember that.")
    text = _stated(context)
    check(text, memory.options.max_fact_length)
    added = await memory.remember(person, [text], epoch=_epoch(context))
    if added:
        said = context.gettext("I'll remember that: {fact}")
    else:
        said = context.gettext("I knew that already, and remember it afresh: {fact}")
    await context.reply(said.format(fact=cleaned(text)))


async def forget(context: Context[Any], memory: Memory) -> None:
    """Forget the fact with the given words, or show those that are like it."""
    person = person_in_private(context)
    text = context.arguments.strip()
    if not folded(text):
        raise UserError("Tell me what to forget: `/forget I work on Tuesdays`.")
    if await memory.forget(person, text):
        await context.reply(context.gettext(CHANGES["forget"]))
        return
    alike = _alike(await memory.memory_facts(person), text)
    if not alike:
        raise UserError("I remember nothing like that. /memory shows all that I remember.")
    lines = [context.gettext("I know nothing in just these words. Do you mean one of these?")]
    lines += [f"{number}. {fact.text}" for number, fact in enumerate(alike, 1)]
    label = context.gettext("Forget {number}")
    buttons = [
        Button(label.format(number=number), f"memory forget {fact.key}", danger=True)
        for number, fact in enumerate(alike, 1)
    ]
    await context.reply("\n".join(lines), buttons=buttons)


async def _change(context: Context[Any], memory: Memory, action: str, rest: str) -> None:
    person, epoch, review = person_in_private(context), _epoch(context), memory.review
    key, _, text = rest.partition(" ")
    if not key:
        raise UserError("Which one? Send /memory and press the button beside it.")
    fact: Fact | None = None
    match action:
        case "approve":
            fact = await review.approve(person, key, epoch=epoch)
        case "reject":
            await review.reject(person, key, epoch=epoch)
        case "forget":
            await review.get(person, key)
            await review.forget(person, key, epoch=epoch)
        case "edit" if not text.strip():
            await _ask_for_words(context, await review.get(person, key))
            return
        case "edit":
            fact = await review.edit(person, key, text, epoch=epoch)
        case _:
            fact = await review.keep(person, key, for_ever=action == "keep", epoch=epoch)
    expires = None if fact is None else fact.expires
    date = "" if expires is None else f"{expires:%Y-%m-%d}"
    said = context.gettext(CHANGES[action])
    await context.reply(said.format(fact="" if fact is None else fact.text, date=date))


async def _ask_for_words(context: Context[Any], fact: Fact) -> None:
    how = context.gettext("Now it says: {fact}\nSend me this with the new words behind it:")
    await context.reply(f"{how.format(fact=fact.text)}\n`/memory edit {fact.key}`")


def _stated(context: Context[Any]) -> str:
    """Return what is to be kept: the sender's words, or those of another as that one's."""
    message, text = context.message, context.arguments.strip()
    if message.forwarded is not None:
        return _said(context, message.forwarded, text)
    quote = message.reply_to
    if text or quote is None or not quote.text:
        return text
    if quote.sender is not None and quote.sender.key == message.sender.key:
        return quote.text
    return _said(context, _author(context, message), quote.text)


def _author(context: Context[Any], message: Message) -> str:
    quote = message.reply_to
    if quote is not None and quote.own:
        return context.gettext("The bot")
    return "" if quote is None or quote.sender is None else quote.sender.name


def _said(context: Context[Any], name: str, text: str) -> str:
    if not text.strip():
        return ""
    author = plain(name) or context.gettext("Somebody")
    return context.gettext("{name} said: {text}").format(name=author, text=cleaned(text))


def _alike(facts: Sequence[Fact], text: str) -> list[Fact]:
    usable = [fact for fact in facts if fact.status in {Status.APPROVED, Status.PENDING}]
    matcher = Matcher(text, [fact.text for fact in usable])
    scored = [(matcher.coverage(fact.text), fact) for fact in usable]
    scored = [pair for pair in scored if pair[0] > 0 or folded(text) in folded(pair[1].text)]
    return [fact for _, fact in sorted(scored, key=lambda pair: -pair[0])[:MOST_ALIKE]]


def _epoch(context: Context[Any]) -> int | None:
    return None if context.person is None else context.person.epoch
