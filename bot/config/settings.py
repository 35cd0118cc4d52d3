"""What the configuration says, apart from what platforms and plugins have in theirs."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator

from bot.api import Duration, LocalPath, parse_duration, parse_key
from bot.negotiation import parse


class Strict(BaseModel):
    """Options that stay as they are, without unknown ones."""

    model_config = ConfigDict(extra="forbid", frozen=True, validate_default=True)


class Logging(Strict):
    """The block ``log``."""

    level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="what is worth a line; debug also shows the texts of errors"
    )
    format: Literal["text", "json"] = Field(
        default="text", description="lines for people, or one JSON object a line"
    )


class Dispatching(Strict):
    """The block ``dispatch``."""

    timeout: Duration = Field(
        default=parse_duration("60s"), description="the longest that an answer may take"
    )
    queue: int = Field(
        default=100, ge=1, le=100_000, description="messages of one chat that may wait"
    )
    drain: Duration = Field(
        default=parse_duration("10s"),
        description="how long answers under way may go on when the bot is stopped",
    )
    edits: Literal["redo", "ignore"] = Field(
        default="redo",
        description="what an edit does while the answer is made: answer anew, or nothing",
    )


class Settings(Strict):
    """Everything at the top of the file but ``platforms`` and ``plugins``."""

    language: str = Field(
        default="en",
        description="default language; a person's own choice and their client's come first",
    )
    data: LocalPath = Field(
        default=Path("data"), description="folder of the database, beside this file unless absolute"
    )
    store: Literal["sqlite", "memory"] = Field(
        default="sqlite", description="where everything is kept; memory forgets it at the end"
    )
    data_key: SecretStr | None = Field(
        default=None,
        description="encrypts what people said: 32 random bytes in base64, as ${TERTULIA_KEY}",
    )
    data_on_encrypted_volume: bool = Field(
        default=False, description="says that the disk encrypts already, so that check is content"
    )
    log: Logging = Field(default=Logging(), description="what is logged, and how")
    dispatch: Dispatching = Field(
        default=Dispatching(), description="how messages reach their handlers"
    )
    messages: Mapping[str, Mapping[str, str]] = Field(
        default={},
        description="wordings of your own: language, then the English message, then the new text",
    )

    @field_validator("language")
    @classmethod
    def _is_language(cls, value: str) -> str:
        if parse(value) is None:
            raise ValueError("names no language; write en, es, pt-BR, zh-Hans …")
        return value

    @field_validator("data_key")
    @classmethod
    def _is_key(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            parse_key(value.get_secret_value())
        return value


@dataclass(frozen=True)
class Config:
    """The whole configuration, validated.

    ``platforms`` and ``plugins`` hold the validated model of each block in the order of the file,
    None where a plugin has no options. ``data`` is absolute.
    """

    path: Path
    language: str
    data: Path
    store: str
    data_key: SecretStr | None
    data_on_encrypted_volume: bool
    log: Logging
    dispatch: Dispatching
    messages: Mapping[str, Mapping[str, str]]
    platforms: Mapping[str, Any]
    plugins: Mapping[str, Any]

    @property
    def key(self) -> str | None:
        """The key of the data."""
        return None if self.data_key is None else self.data_key.get_secret_value()

    @property
    def readable(self) -> bool:
        """Whether whoever gets hold of the disk can read what people said."""
        plain = self.data_key is None and not self.data_on_encrypted_volume
        return self.store == "sqlite" and plain
