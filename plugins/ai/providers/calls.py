"""Putting tool calls together from the pieces in which they stream."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from plugins.ai.providers.provider import ToolCall


@dataclass(slots=True)
class Growing:
    """A call that is not whole yet."""

    id: str
    name: str
    arguments: str = ""


class Calls:
    """Collects pieces of calls.

    A piece belongs to the call with its id, else to the one with its index, else to the latest:
    servers number calls alike, number them wrongly, or not at all.
    """

    def __init__(self) -> None:
        self._calls: list[Growing] = []
        self._by_index: dict[object, Growing] = {}

    def __bool__(self) -> bool:
        return bool(self._calls)

    def __iter__(self) -> Iterator[ToolCall]:
        for number, call in enumerate(self._calls, 1):
            yield ToolCall(call.id or f"call-{number}", call.name, call.arguments)

    def take(self, piece: Mapping[str, Any]) -> None:
        """Add a piece as chat completions have it."""
        function = piece.get("function")
        function = function if isinstance(function, Mapping) else {}
        name, arguments = function.get("name") or "", function.get("arguments")
        call = self._of(piece.get("id") or "", piece.get("index"), name)
        if call is not None:
            call.name = call.name or name
            call.arguments += arguments if isinstance(arguments, str) else ""

    def _of(self, call_id: str, index: object, name: str) -> Growing | None:
        if call_id:
            known = next((call for call in self._calls if call.id == call_id), None)
            return known or self._begin(call_id, index, name)
        if index is not None and index in self._by_index:
            return self._by_index[index]
        if name:
            return self._begin("", index, name)
        return self._calls[-1] if self._calls else None

    def _begin(self, call_id: str, index: object, name: str) -> Growing:
        unnamed = None if index is None else self._by_index.get(index)
        if unnamed is not None and not unnamed.id:
            unnamed.id = call_id
            return unnamed
        call = Growing(call_id, name)
        self._calls.append(call)
        if index is not None:
            self._by_index[index] = call
        return call
