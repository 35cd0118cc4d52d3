"""The copy of a stored conversation that a provider will take, whatever is stored."""

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from bot.api import Entry, Json, Role
from plugins.ai.providers.provider import ToolCall, Turn
from plugins.ai.utterance import Utterance

NAME: Final = re.compile(r"[^A-Za-z0-9_-]+")
"""What no provider has in a tool's name, nor in more than 64 characters."""

NO_RESULT: Final = '{"error": "the tool did not run to its end"}'


def turns(entries: Iterable[Entry], person: str | None) -> list[Turn]:
    """Return the turns of a conversation in an order that every provider accepts.

    It begins with a person's turn; turns of one side that follow each other are one; each tool call
    is answered once, right behind it; empty and unreadable ones are left out. So is what tools
    found for anybody but ``person``: they ran with the rights of whoever asked.
    """
    readable = [turn for entry in entries if (turn := _turn(entry, person)) is not None]
    answered = _answered(readable)
    joined: list[Turn] = []
    for role, group in groupby(answered, key=lambda turn: turn.role):
        same = list(group)
        joined += same if role is Role.TOOL else [_joined(same)]
    first = next((i for i, turn in enumerate(joined) if turn.role is Role.USER), len(joined))
    return joined[first:]


def numbered(all_turns: Iterable[Turn]) -> Iterator[Turn]:
    """Yield the turns with calls that have ids of their own and names that providers take.

    Some servers give no ids, or the same ones in each answer, and models make names up.
    """
    count = 0
    ids: dict[str, deque[str]] = {}
    for turn in all_turns:
        if turn.role is Role.TOOL:
            given = ids.get(turn.call or "")
            yield replace(turn, call=given.popleft()) if given else turn
            continue
        ids = defaultdict(deque)
        calls = []
        for call in turn.calls:
            count += 1
            name = NAME.sub("_", call.name)[:64] or "unnamed"
            calls.append(replace(call, id=f"call-{count}", name=name))
            ids[call.id].append(calls[-1].id)
        yield replace(turn, calls=tuple(calls))


def _turn(entry: Entry, person: str | None) -> Turn | None:
    said = Utterance.read(entry.content)
    if said is None:
        return None
    fields = entry.content if isinstance(entry.content, Mapping) else {}
    match entry.role:
        case Role.USER:
            text = said.prompt()
            return Turn(Role.USER, text) if text.strip() else None
        case Role.ASSISTANT:
            own = person is not None and entry.person == person
            calls = tuple(_calls(fields.get("calls"))) if own else ()
            return Turn(Role.ASSISTANT, said.text, calls) if said.text.strip() or calls else None
        case Role.TOOL:
            return Turn(Role.TOOL, said.text, call=str(fields.get("call", "")))
        case _:
            return None


def _calls(stored: Json) -> Iterator[ToolCall]:
    for call in stored if isinstance(stored, list | tuple) else ():
        if isinstance(call, Mapping) and call.get("id"):
            arguments = call.get("arguments")
            yield ToolCall(
                str(call["id"]),
                str(call.get("name", "")),
                arguments if isinstance(arguments, str) else "",
                str(call.get("signature", "")),
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
    """Return one turn for several of one role; only the last one can have calls."""
    text = "\n\n".join(turn.text for turn in group if turn.text)
    return Turn(group[0].role, text, group[-1].calls)
