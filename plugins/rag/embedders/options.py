"""The ``embeddings`` option."""

from datetime import timedelta
from importlib import import_module
from inspect import isabstract
from ipaddress import ip_address
from typing import Annotated, Any, Final, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, model_validator

from bot.api import Duration

ADDRESSES: Final = {
    "openai": "https://api.openai.com/v1",
    "ollama": "http://127.0.0.1:11434",
    "gemini": "https://generativelanguage.googleapis.com",
}
"""Where each provider is unless ``base_url`` says otherwise."""

Time = Annotated[Duration, Field(gt=timedelta(0), le=timedelta(minutes=10))]


def _checked_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username is not None:
        raise ValueError("give the whole URL, like https://host/v1, without a user name")
    if parts.scheme == "http" and not _is_loopback(parts.hostname):
        raise ValueError("use https://; plain http:// is for servers on this machine only")
    return url.rstrip("/")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def load_function(path: str) -> Any:
    """Return the function that ``module:function`` names; ValueError where there is none."""
    module, colon, name = path.partition(":")
    if not (module and colon and name):
        raise ValueError("name a function as module:function")
    try:
        found = getattr(import_module(module), name, None)
    except ImportError as error:
        raise ValueError("names a module that cannot be imported") from error
    if not callable(found) or isabstract(found):
        raise ValueError("names no function of that module; it takes texts and returns vectors")
    return found


class EmbeddingsConfig(BaseModel):
    """What turns texts into vectors: a server, or a function of the operator's.

    ``dimensions`` is the length of a vector, the model's own unless given. ``batch`` is how many
    texts one request has. ``timeout`` is for one request.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    provider: str
    base_url: Annotated[str, AfterValidator(_checked_url)] | None = None
    model: str | None = Field(default=None, min_length=1)
    api_key: SecretStr = SecretStr("")
    dimensions: int | None = Field(default=None, ge=1, le=20_000)
    batch: int = Field(default=64, ge=1, le=2048)
    timeout: Time = timedelta(seconds=30)
    retries: int = Field(default=2, ge=0, le=5)

    @property
    def address(self) -> str:
        """The server's address."""
        return self.base_url or ADDRESSES[self.provider]

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.provider not in ADDRESSES:
            if ":" not in self.provider:
                known = ", ".join(ADDRESSES)
                raise ValueError(f"provider is one of {known}, or a function as module:function")
            load_function(self.provider)
        elif self.model is None:
            raise ValueError(f"provider {self.provider} needs `model`, the name of an embedder")
        return self


Embeddings = Literal["local"] | EmbeddingsConfig
