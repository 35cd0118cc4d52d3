"""The options of the terminal."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class ConsoleConfig(BaseModel):
    """The block ``platforms.console``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal["text", "jsonl"] = Field(
        default="text", description="a chat for a person, or one JSON object a line for scripts"
    )
    sender: str = Field(
        default="you", min_length=1, description="id of the account that types in the text format"
    )
    language: str | None = Field(
        default=None, description="language of who types; the environment's unless given"
    )
