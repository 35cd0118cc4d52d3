"""The ``ai`` block of the configuration."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from ipaddress import ip_address
from typing import Annotated, Final, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr, model_validator

from bot.api import Duration
from plugins.ai.block import Block
from plugins.ai.budgets.options import BudgetsConfig, Price, RateConfig
from plugins.ai.history.options import HistoryConfig
from plugins.ai.memory.options import Extracting, MemoryConfig

OPENAI: Final = "https://api.openai.com/v1"
ADDRESSES: Final[Mapping[str, str]] = {
    "openai": OPENAI,
    "anthropic": "https://api.anthropic.com",
    "gemini": "https://generativelanguage.googleapis.com",
    "ollama": "http://127.0.0.1:11434",
}
"""Where each provider is unless ``base_url`` says otherwise."""

KEYLESS: Final = frozenset({"offline", "ollama"})
Kind = Literal["offline", "openai", "anthropic", "gemini", "ollama"]

EXTRACTION_TOKENS: Final = 1024
"""What a list of facts may take where nothing else is set."""

UNCAPPED: Final[frozenset[str]] = frozenset({"ollama"})
"""Providers that get no limit unless one is set: their models stop by themselves."""

Pause = Annotated[Duration, Field(ge=timedelta(0), le=timedelta(seconds=10))]
Positive = Annotated[Duration, Field(gt=timedelta(0), le=timedelta(minutes=10))]


def is_loopback(url: str) -> bool:
    """Tell whether a URL's host is this machine."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def checked_url(url: str) -> str:
    """Return a base URL without its last slash; ValueError unless a key may be sent there."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        message = "give the whole URL, like https://host/v1"
        raise ValueError(message)
    if parts.scheme == "http" and not is_loopback(url):
        message = "use https://; plain http:// is for servers on this machine only"
        raise ValueError(message)
    if parts.username is not None or parts.query or parts.fragment:
        message = "leave user names, keys and everything after ? out; the key belongs in api_key"
        raise ValueError(message)
    return url.rstrip("/")


def checked_key(key: SecretStr) -> SecretStr:
    """Return the key without blanks around it; ValueError when no header can carry it."""
    text = key.get_secret_value().strip()
    if not (text.isascii() and text.isprintable()):
        message = "the key holds characters that no key has; copy it again"
        raise ValueError(message)
    return SecretStr(text)


class RagConfig(Block):
    """Where answers come from: another plugin that offers a retriever, by its name.

    ``timeout`` includes the first build of an index. Passages below ``min_confidence`` are left
    out. ``strict`` shows no answer but one that stands on passages, and asks no model without any.
    """

    retriever: str = Field(default="rag", min_length=1)
    top_k: int = Field(default=3, ge=1, le=20)
    append_sources: bool = True
    timeout: Positive = timedelta(seconds=10)
    min_confidence: float = Field(default=0.0, ge=0, le=1)
    strict: bool = False


class Timeouts(Block):
    """How long to wait for a provider: to connect, for the first piece, the next one, for all."""

    connect: Positive = timedelta(seconds=10)
    first_token: Positive = timedelta(seconds=60)
    between: Positive = timedelta(seconds=30)
    whole: Positive = timedelta(minutes=3)


class HttpConfig(Block):
    """How providers are reached; the proxy is the environment's unless named here."""

    proxy: str | None = Field(default=None, pattern=r"^(https?|socks5h?)://")


class LinksConfig(Block):
    """Hosts, with all below them, whose links the model may show of its own accord."""

    allow: tuple[str, ...] = ()


class ToolsConfig(Block):
    """What a model may do with the tools of the plugins; ``off`` names those that it has not.

    ``steps`` is how often it may call some before it has to answer. ``timeout`` is for a tool that
    sets none. ``max_result`` is in characters.
    """

    steps: int = Field(default=10, ge=1, le=100)
    timeout: Positive = timedelta(seconds=30)
    confirm_timeout: Positive = timedelta(minutes=2)
    max_result: int = Field(default=8000, ge=100, le=100_000)
    off: tuple[str, ...] = ()


class Access(Block):
    """Which model answers, and how its server is reached.

    ``images`` says whether it looks at pictures; unless set, that is told by its name.
    """

    provider: Kind = "offline"
    base_url: Annotated[str, AfterValidator(checked_url)] | None = None
    model: str | None = Field(default=None, min_length=1)
    api_key: Annotated[SecretStr, AfterValidator(checked_key)] = SecretStr("")
    images: bool | None = None

    @property
    def address(self) -> str:
        """The server's address."""
        return self.base_url or ADDRESSES.get(self.provider, "")

    @property
    def label(self) -> str:
        """How the operator knows the provider."""
        return f"{self.provider} ({self.model})"

    @model_validator(mode="after")
    def _can_ask(self) -> Self:
        if self.provider == "offline":
            return self
        if self.model is None:
            message = f"provider {self.provider} needs `model`, the name of a model it serves"
            raise ValueError(message)
        own = self.base_url is None or self.base_url == ADDRESSES[self.provider]
        if own and self.provider not in KEYLESS and not self.api_key.get_secret_value():
            name = f"{self.provider.upper()}_API_KEY"
            raise ValueError(f"this provider needs `api_key`, best as ${{{name}}}")
        return self


class AiConfig(Access):
    """The whole block; ``fallback`` is asked in its order where the provider is out of order.

    What a person writes within ``debounce`` of the last message is one question with it. ``busy``
    says whether a new message waits until the answer is there or interrupts it.
    """

    fallback: tuple[Access, ...] = ()
    system: str = ""
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=1)
    retries: int = Field(default=2, ge=0, le=5)
    timeouts: Timeouts = Timeouts()
    http: HttpConfig = HttpConfig()
    history: HistoryConfig = HistoryConfig()
    memory: bool | MemoryConfig = False
    rag: RagConfig | None = None
    links: LinksConfig = LinksConfig()
    tools: ToolsConfig | Literal[False] = ToolsConfig()
    why_button: bool = False
    debounce: Pause = timedelta(milliseconds=800)
    busy: Literal["queue", "interrupt"] = "queue"
    budgets: BudgetsConfig = BudgetsConfig()
    prices: Mapping[str, Price] = Field(default_factory=dict)
    rate: RateConfig | Literal[False] = RateConfig()

    @property
    def remembering(self) -> MemoryConfig | None:
        """The options of the long-term memory, None where it is off."""
        if isinstance(self.memory, MemoryConfig):
            return self.memory
        return MemoryConfig() if self.memory else None

    @model_validator(mode="after")
    def _complete(self) -> Self:
        extracts = self.remembering is not None and self.remembering.extracting is not None
        if self.provider == "offline" and extracts:
            message = "memory.auto_extract needs a model; the offline provider has none"
            raise ValueError(message)
        for model in self._models if self.budgets.count_money else ():
            if model not in self.prices:
                message = (
                    f"budgets of money need a price of the model {model}:"
                    f" prices: {{{model}: {{prompt: …, answer: …}}}}, for a million tokens"
                )
                raise ValueError(message)
        return self

    @property
    def _models(self) -> Sequence[str]:
        models = [self.model, *(access.model for access in self.fallback), extracting(self).model]
        return [model for model in models if model is not None]

    def with_access(self, access: Access) -> "AiConfig":
        """Return the same options for another provider."""
        return self.model_copy(update={name: getattr(access, name) for name in Access.model_fields})


def extracting(config: AiConfig) -> AiConfig:
    """Return the configuration of the provider that extracts facts."""
    options = (config.remembering and config.remembering.extracting) or Extracting()
    most = options.max_tokens or (None if config.provider in UNCAPPED else EXTRACTION_TOKENS)
    return config.model_copy(update={"model": options.model or config.model, "max_tokens": most})
