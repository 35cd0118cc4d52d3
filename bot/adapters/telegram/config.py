"""The options of Telegram."""

import re
from datetime import timedelta
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr

from bot.api import Duration

TOKEN: Final = re.compile(r"[0-9]+:[A-Za-z0-9_-]+")
SHORTEST_POLL: Final = timedelta(seconds=1)
LONGEST_POLL: Final = timedelta(seconds=50)


def _token(value: SecretStr) -> SecretStr:
    if TOKEN.fullmatch(value.get_secret_value()) is None:
        raise ValueError(
            "a token is a number, a colon, then letters and digits, as @BotFather gives it"
        )
    return value


def _address(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query:
        raise ValueError("this must be an address such as https://api.telegram.org")
    return value.rstrip("/")


def _mode(value: object) -> object:
    if value == "webhook":
        raise ValueError("webhooks are not there yet; leave this out, or write polling")
    return value


def _poll(value: timedelta) -> timedelta:
    if not SHORTEST_POLL <= value <= LONGEST_POLL:
        raise ValueError("Telegram holds a poll for 1s to 50s")
    return value


Address = Annotated[str, AfterValidator(_address)]


class TelegramConfig(BaseModel):
    """The block ``platforms.telegram``."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    token: Annotated[SecretStr, AfterValidator(_token)] = Field(
        description="the bot's token from @BotFather, as ${TELEGRAM_TOKEN}"
    )
    base_url: Address = Field(
        default="https://api.telegram.org", description="the Bot API server to use"
    )
    base_file_url: Address | None = Field(
        default=None, description="where files are fetched from; as base_url unless given"
    )
    mode: Annotated[Literal["polling"], BeforeValidator(_mode)] = Field(
        default="polling", description="how updates come in"
    )
    answer: Literal["addressed", "all"] = Field(
        default="addressed",
        description="in groups, answer who mentions the bot or replies to it, or everybody",
    )
    caption_commands: bool = Field(
        default=False, description="whether the caption of a picture or file can be a command"
    )
    poll_timeout: Annotated[Duration, AfterValidator(_poll)] = Field(
        default=timedelta(seconds=30), description="how long Telegram holds a poll without news"
    )

    def address(self, kind: Literal["api", "file"]) -> str:
        """Return what stands before the token in the server's addresses."""
        if kind == "api":
            return f"{self.base_url}/bot"
        return f"{self.base_file_url or self.base_url}/file/bot"
