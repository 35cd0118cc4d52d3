"""The options of Discord."""

import re
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr

from bot.api import Id

TOKEN: Final = re.compile(r"[!-~]+")
VERSION: Final = 10
"""The version of Discord's API that the SDK speaks."""


def _token(value: SecretStr) -> SecretStr:
    if TOKEN.fullmatch(value.get_secret_value()) is None:
        raise ValueError(
            "a token is one word without blanks, as the developer portal gives it under Bot"
        )
    return value


def _address(value: str, schemes: frozenset[str], example: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in schemes or not parts.hostname or parts.query:
        raise ValueError(f"this must be an address such as {example}")
    return value.rstrip("/")


def _rest(value: str) -> str:
    return _address(value, frozenset({"http", "https"}), "https://discord.com")


def _gateway(value: str) -> str:
    return _address(value, frozenset({"ws", "wss"}), "wss://gateway.discord.gg")


def _guild(value: str) -> str:
    if not value.isdecimal():
        raise ValueError(
            "the id of a server is a whole number; copy it in Discord's developer mode"
        )
    return value


class DiscordConfig(BaseModel):
    """The block ``platforms.discord``."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    token: Annotated[SecretStr, AfterValidator(_token)] = Field(
        description="the bot's token from the developer portal, as ${DISCORD_TOKEN}"
    )
    base_url: Annotated[str, AfterValidator(_rest)] = Field(
        default="https://discord.com", description="the REST server to use"
    )
    gateway_url: Annotated[str, AfterValidator(_gateway)] | None = Field(
        default=None, description="the gateway to use; what the REST server names unless given"
    )
    answer: Literal["addressed", "all"] = Field(
        default="addressed",
        description="in servers, answer who mentions the bot or replies to it, or everybody",
    )
    message_content: bool = Field(
        default=True,
        description="whether to ask for the message content intent; without it the bot reads only"
        " direct messages and messages that mention it",
    )
    dev_guild: Annotated[Id, AfterValidator(_guild)] | None = Field(
        default=None,
        description="id of a server that alone gets the slash commands, at once, while developing",
    )

    @property
    def api(self) -> str:
        """What stands before the paths of REST requests."""
        return f"{self.base_url}/api/v{VERSION}"
