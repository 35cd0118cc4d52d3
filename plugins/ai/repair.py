"""The copy of a stored conversation that a provider will take, whatever is stored."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from bot.api import Entry, Json, Role
from plugins.ai.providers.provider import ToolCall, Turn
from plugins.ai.utterance import Utterance

NO_RESULT: Final = '{"error": "the tool did not run to its end"}'


def turns(entries: Iterable[Entry]) -> list[Turn]:
    """Return the turns of a conversation in an order that every provider accepts.

    It begins with a person's turn; people's turns that follow each other are one; each tool call
    is answered once, right behind it; empty and unreadable ones are left out.
    """
    readable = [turn for entry in entries if (turn := _turn(entry)) is not None]
    answered = _answered(readable)
    joined: list[Turn] = []
    for role, group in groupby(answered, key=lambda turn: turn.role):
        same = list(group)
        joined += [_joined(same)] if role is Role.USER else same
    first = next((i for i, turn in enumerate(joined) if turn.role is Role.USER), len(joined))
    return joined[first:]


def _turn(entry: Entry) -> Turn | None:
    said = Utterance.read(entry.content)
    if said is None:
        return None
    fields = entry.content if isinstance(entry.content, Mapping) else {}
    match entry.role:
        case Role.USER:
            text = said.prompt()
            return Turn(Role.USER, text) if text.strip() else None
        case Role.ASSISTANT:
            calls = tuple(_calls(fields.get("calls")))
            return Turn(Role.ASSISTANT, said.text, calls) if said.text.strip() or calls else None
        case Role.TOOL:
            return Turn(Role.TOOL, said.text, call=str(fields.get("call", "")))
        case _:
            return None


def _calls(stored: Json) -> Iterator[ToolCall]:
    for call in stored if isinstance(stored, list | tuple) else ():
        if isinstance(call, Mapping) and call.get("id") and call.get("name"):
            arguments = call.get("arguments")
            yield ToolCall(
                str(call["id"]), str(call["name"]), arguments if isinstance(arguments, str) else ""
            )


def _answered(all_turns: Sequence[Turn]) -> Iterator[Turn]:
    for index, turn in enumerate(all_turns):
        if turn.role is not Role.TOOL:
            yield turn
        if turn.calls:
            results = _results(all_turns[index + 1 :])
            for call in turn.calls:
                yield results.get(call.id) or Turn(Role.TOOL, NO_RESULT, call=call.id)


def _results(following: Iterable[Turn]) -> dict[str, Turn]:
    results: dict[str, Turn] = {}
    for turn in following:
        if turn.role is not Role.TOOL:
            break
        results.setdefault(turn.call or "", turn)
    return results


def _joined(group: Sequence[Turn]) -> Turn:
    return Turn(Role.USER, "\n\n".join(turn.text for turn in group))
