"""``/why``: what an answer came from."""

from collections.abc import Sequence
from typing import Any, Final

from bot.api import BUTTON_BYTES, Button, Context, UserError
from plugins.ai.memory import Memory
from plugins.ai.memory.fact import key_of
from plugins.ai.naming import plain
from plugins.ai.result import Results, TurnResult
from plugins.ai.tools import Outcome

EXCERPT: Final = 200
"""How much of a passage is shown, in characters."""


async def why(context: Context[Any], results: Results, memory: Memory) -> None:
    """Show what the answer that is replied to, or the sender's latest one, came from."""
    result = _meant(context, results)
    known, buttons = await _facts(context, result, memory)
    parts = (_passages(context, result), known, _run(context, result))
    await context.reply("\n\n".join(filter(None, parts)), buttons=buttons)


def button(context: Context[Any]) -> Button | None:
    """Return the button that asks about the answer to a message; None where its id is too long."""
    command = f"why {context.message.id}"
    fits = len(command.encode()) <= BUTTON_BYTES
    return Button(context.gettext("Why?"), command) if fits else None


def _meant(context: Context[Any], results: Results) -> TurnResult:
    quote = context.message.reply_to
    named = context.arguments.strip() or ("" if quote is None else quote.id)
    if named:
        result = results.find(context.chat, named)
    else:
        result = results.last(context.chat, context.sender)
    if result is None or not _there(context, result):
        raise UserError(
            "I don't know any more what that answer came from. I remember it for a chat's latest"
            " answers only, and until I am restarted."
        )
    return result


def _there(context: Context[Any], result: TurnResult) -> bool:
    """Tell whether a result is from before its person's data were erased."""
    own = context.person is not None and context.person.id == result.person
    return not own or context.person is None or context.person.epoch == result.epoch


def _passages(context: Context[Any], result: TurnResult) -> str:
    if not result.passages:
        return context.gettext("No passage of a document went into this answer.")
    lines = []
    for number, passage in enumerate(result.passages, 1):
        unused = result.cited and number not in result.cited
        note = f" {context.gettext('(not cited)')}" if unused else ""
        lines.append(f"[{number}] {plain(passage.label, None)}{note}\n> {_excerpt(passage.text)}")
    heading = context.gettext("The passages that this answer was written from:")
    return "\n".join([heading, *lines])


def _excerpt(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= EXCERPT else f"{line[:EXCERPT].rstrip()}…"


async def _facts(
    context: Context[Any], result: TurnResult, memory: Memory
) -> tuple[str, Sequence[Button]]:
    """Return the facts behind an answer, to the one whom they are about and to nobody else."""
    own = context.sender is not None and context.sender == result.person
    if not own or not result.facts:
        return "", ()
    if not context.private:
        say = context.gettext
        return say("It took into account what I know about you; /memory in private shows it."), ()
    present = {key_of(text) for text in await memory.memory(result.person or "")}
    facts = [text for text in result.facts if key_of(text) in present]
    if not facts:
        return "", ()
    label = context.gettext("Forget {number}")
    heading = context.gettext("What I know about you and took into account:")
    return (
        "\n".join([heading, *(f"{number}. {fact}" for number, fact in enumerate(facts, 1))]),
        [
            Button(label.format(number=number), f"memory forget {key_of(fact)}", danger=True)
            for number, fact in enumerate(facts, 1)
        ],
    )


def _tool(context: Context[Any], outcome: Outcome) -> str:
    name = plain(outcome.call.name)
    return context.gettext("{tool} (failed)").format(tool=name) if outcome.failed else name


def _run(context: Context[Any], result: TurnResult) -> str:
    say = context.gettext
    lines = [say("Model: {name}").format(name=result.fallback or result.model)]
    if result.fallback is not None:
        lines.append(say("It stood in for {name}.").format(name=result.model))
    if result.tools:
        named = ", ".join(_tool(context, outcome) for outcome in result.tools)
        lines.append(say("Tools: {list}").format(list=named))
    if result.usage is not None:
        lines.append(
            say("Tokens: {prompt} read, {answer} written").format(
                prompt=result.usage.prompt, answer=result.usage.answer
            )
        )
    lines.append(say("Time: {seconds} s").format(seconds=f"{result.seconds:.1f}"))
    return "\n".join(lines)
