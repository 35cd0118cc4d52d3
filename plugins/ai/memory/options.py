"""The ``memory`` block of the plugin's configuration."""

from collections.abc import Callable
from datetime import timedelta
from inspect import iscoroutinefunction
from typing import Annotated, Final, Literal, Self, cast

from pydantic import AfterValidator, Field, model_validator

from bot.api import Duration
from plugins.ai.block import Block
from plugins.ai.modules import named

Type = Literal["preference", "fact", "context"]
Select = Literal["relevant", "newest", "all"]
Review = Literal["auto", "required", "off"]

TYPES: Final[tuple[Type, ...]] = ("preference", "fact", "context")
LONGEST: Final = timedelta(days=36_500)


def _checked_life(life: timedelta) -> timedelta:
    if not timedelta(0) < life <= LONGEST:
        raise ValueError("should be longer than no time, and 36500d at the most")
    return life


Life = Annotated[Duration, AfterValidator(_checked_life)]
NAMESPACE: Final = r"[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)*"


def load_filter(path: str) -> Callable[[str], object]:
    """Return the function that ``module:function`` names; ValueError where there is none."""
    found = named(path)
    if not callable(found) or iscoroutinefunction(found):
        raise ValueError("names no plain function of that module; it takes the text of a candidate")
    return cast("Callable[[str], object]", found)


def _checked_filter(path: str) -> str:
    load_filter(path)
    return path


class Extracting(Block):
    """How facts are found in what people write.

    ``model`` and ``max_tokens`` are those of the extraction, the conversation's model and 1024
    (none for Ollama) unless they are given. ``instructions`` are added to the prompt. ``filter``
    names a function that takes a candidate's text and drops it by returning False.
    """

    model: str | None = Field(default=None, min_length=1)
    max_tokens: int | None = Field(default=None, ge=16)
    max_facts_per_turn: int = Field(default=5, ge=1, le=50)
    instructions: str = ""
    filter: Annotated[str, AfterValidator(_checked_filter)] | None = None


class MemoryConfig(Block):
    """What is remembered about people, for how long, and where it is used.

    ``ttl`` is the life of a fact, which stating it again renews; ``pending_ttl`` how long a
    candidate waits for its review. Lengths are in characters.
    """

    type: Literal["per-user"] = "per-user"
    max_facts: int = Field(default=50, ge=1, le=10_000)
    ttl: Life | None = None
    max_fact_length: int = Field(default=300, ge=10, le=4000)
    inject: bool = True
    inject_in_groups: bool | Literal["all"] = False
    select: Select = "relevant"
    max_inject_chars: int = Field(default=1000, ge=50, le=100_000)
    auto_extract: bool | Extracting = False
    review: Review = "auto"
    typed: bool = False
    pending_ttl: Life = timedelta(days=7)
    types: tuple[Type, ...] = Field(default=TYPES, min_length=1)
    min_confidence: float = Field(default=0.0, ge=0, le=1)
    namespace: str = Field(default="ai.memory", pattern=f"^{NAMESPACE}$", max_length=60)

    @property
    def extracting(self) -> Extracting | None:
        """How facts are extracted of the bot's own accord, None where they are not."""
        if isinstance(self.auto_extract, Extracting):
            return self.auto_extract
        return Extracting() if self.auto_extract else None

    @model_validator(mode="after")
    def _can_work(self) -> Self:
        asked = {"types", "min_confidence"} & self.model_fields_set
        if asked and not self.typed:
            raise ValueError(f"{' and '.join(sorted(asked))} need `typed: true`")
        if self.max_inject_chars < self.max_fact_length:
            raise ValueError(
                f"max_inject_chars is {self.max_inject_chars}, but one fact may have"
                f" {self.max_fact_length} (max_fact_length)"
            )
        return self
