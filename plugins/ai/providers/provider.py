"""What every provider takes and gives."""

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from bot.api import BotError, Json, Passage, Role


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to run a tool; ``arguments`` is JSON as the model wrote it.

    ``signature`` is what the provider wants back with the call.
    """

    id: str
    name: str
    arguments: str
    signature: str = ""

    def parsed(self) -> dict[str, Json]:
        """Return the arguments, none where the model wrote no JSON object."""
        try:
            found = json.loads(self.arguments or "{}")
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model is told of it; ``parameters`` is a JSON Schema."""

    name: str
    description: str
    parameters: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Image:
    """A picture; ``media_type`` is what its bytes say."""

    media_type: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a request.

    ``calls`` are those of an assistant's turn; ``call`` names the one that a tool's turn answers.
    ``images`` are for models that take them.
    """

    role: Role
    text: str
    calls: tuple[ToolCall, ...] = ()
    call: str | None = None
    images: tuple[Image, ...] = ()


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a provider.

    ``question`` and ``passages`` stand in the last turn already; they are here for a provider that
    has no model. ``language`` is the one to answer in. ``schema`` is a JSON Schema that the answer
    has to follow. ``tools`` may be called, unless ``last``: then the answer has to be text.
    """

    system: str
    turns: Sequence[Turn]
    question: str = ""
    passages: Sequence[Passage] = ()
    language: str = "en"
    schema: Mapping[str, Json] | None = None
    tools: Sequence[ToolSpec] = ()
    last: bool = False

    @property
    def names(self) -> Mapping[str, str]:
        """The names of the tools that were called, by the calls' ids."""
        return {call.id: call.name for turn in self.turns for call in turn.calls}


class Stop(StrEnum):
    """Why an answer ended."""

    DONE = "done"
    TOOLS = "tools"
    LENGTH = "length"
    FILTER = "filter"
    UNKNOWN = "unknown"
    """The provider looked and does not know."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of the answer's text, without anything of the model's reasoning."""

    text: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counted them."""

    prompt: int
    answer: int

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(self.prompt + other.prompt, self.answer + other.answer)


@dataclass(frozen=True, slots=True)
class End:
    """The answer's end; an answer without one was cut."""

    stop: Stop


@dataclass(frozen=True, slots=True)
class Replaced:
    """Another provider answers, since the first is out of order."""

    name: str


Event = Piece | ToolCall | Usage | End | Replaced


class Fault(StrEnum):
    """How a provider fails, by what can be done about it."""

    UNREACHABLE = "unreachable"
    TIMEOUT = "timeout"
    BUSY = "busy"
    DOWN = "down"
    QUOTA = "quota"
    DENIED = "denied"
    REFUSED = "refused"
    TOO_LONG = "too long"
    BROKEN = "broken"


class ProviderError(BotError):
    """A provider failed; the text is for the operator and holds nothing that anybody wrote.

    ``passing`` says that the same request may well succeed soon; ``retry_after`` is the wait in
    seconds that the provider asked for.
    """

    def __init__(
        self,
        fault: Fault,
        message: str,
        *,
        passing: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.fault = fault
        self.passing = passing
        self.retry_after = retry_after


class Provider(Protocol):
    """Something that answers."""

    @property
    def name(self) -> str:
        """How the operator knows it."""
        ...

    def stream(self, request: Request) -> AsyncGenerator[Event, None]:
        """Yield the answer as it comes, ended by an `End`; raises `ProviderError` only."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...
