"""The ``history`` block of the configuration."""

from datetime import timedelta
from inspect import iscoroutinefunction
from typing import Annotated, Final, Self

from pydantic import AfterValidator, Field, model_validator

from bot.api import Duration, LocalPath
from plugins.ai.block import Block
from plugins.ai.modules import named

STORE: Final = "sql"
PASSING: Final = "memory"
PLACES: Final = (STORE, "file", PASSING)


def _checked_place(place: str) -> str:
    if place == "sqlite":
        return STORE
    if place in PLACES:
        return place
    if ":" not in place:
        raise ValueError(f"should be one of {', '.join(PLACES)}, or a function as module:function")
    made = named(place)
    if not callable(made) or iscoroutinefunction(made):
        raise ValueError("names no plain function of that module; it takes a folder, returns a log")
    return place


class HistoryConfig(Block):
    """What is kept of a chat, where, and how much of it the model sees.

    ``window`` is in tokens. ``store`` is ``sql`` (the bot's own store, encrypted where that is),
    ``file`` (one a chat in ``folder``, in the clear), ``memory`` (forgotten with the process), or a
    function of the operator's that returns a log. ``keep`` is for how long one of these holds what
    was said; for the bot's store the privacy plugin says that. ``summarize`` lets the model sum up
    what falls out of the window.
    """

    window: int = Field(default=16_000, ge=256)
    store: Annotated[str, AfterValidator(_checked_place)] = STORE
    folder: LocalPath | None = None
    summarize: bool = False
    keep: Annotated[Duration, Field(gt=timedelta(0))] | None = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.folder is not None and self.store != "file":
            raise ValueError("history.folder goes with `store: file`")
        if self.keep is not None and self.store == STORE:
            raise ValueError(
                "history.keep is for the other stores; use the privacy plugin's for sql"
            )
        return self
