from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationInfo,
    field_validator,
    model_validator,
)

from bot.api import ConfigError, Duration, Id, PluginError, Size
from bot.config import Config, load

Load = Callable[..., Config]
Faults = Callable[..., list[str]]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Telegram(Strict):
    token: SecretStr
    chats: tuple[Id, ...] = ()
    answer: Literal["all", "addressed"] = "addressed"


class Memory(Strict):
    ttl: Duration | Literal["never"] = "never"
    max_facts: int = Field(default=50, ge=1)
    auto_extract: bool = True


class Server(Strict):
    url: str
    headers: dict[str, SecretStr] = {}


class Named(Strict):
    path: Path
    visible_to: list[str] = []

    @field_validator("path")
    @classmethod
    def _beside_the_file(cls, value: Path, info: ValidationInfo) -> Path:
        folder: Path = (info.context or {})["folder"]
        return folder / value


def _named(value: object) -> object:
    return {"path": value} if isinstance(value, str) else value


class Inline(Strict):
    id: str
    text: str


class Ai(Strict):
    model: str = "small"
    channel: Id | None = None
    number: int | None = None
    ratio: float = 0.5
    size: Size = 1024
    names: list[str] = []
    flags: dict[str, bool] = {}
    either: int | str = 0
    options: dict[str, Any] = {}
    memory: Memory = Memory()
    servers: dict[str, Server] = {}
    documents: list[Annotated[Named | Inline, BeforeValidator(_named)]] = []
    provider: Literal["offline", "openai"] | Server = "offline"
    api_key: SecretStr | None = None

    @model_validator(mode="after")
    def _complete(self) -> "Ai":
        if self.model == self.provider:
            raise ValueError(f"the model {self.model!r} is named as its provider")
        return self


class Lax(BaseModel):
    """A stranger's model, which ignores what it does not know."""

    words: list[str] = []


class Installed:
    """What would be installed; platform ``silent`` and plugin ``core`` have no options."""

    def platforms(self) -> Sequence[str]:
        return ["console", "silent", "telegram"]

    def plugins(self) -> Sequence[str]:
        return ["ai", "broken", "core", "lax"]

    def platform(self, name: str) -> type[Any] | None:
        return Telegram if name == "telegram" else None

    def plugin(self, name: str, module: str | None) -> type[Any] | None:
        if module == "shop.absent" or name == "broken":
            raise PluginError(f"plugin {name} cannot be imported")
        return Ai if module is not None else {"ai": Ai, "lax": Lax}.get(name)


@pytest.fixture
def installed() -> Installed:
    return Installed()


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str | bytes], Path]:
    def write(content: str | bytes) -> Path:
        path = tmp_path / "bot.yaml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def loaded(write: Callable[[str | bytes], Path], installed: Installed) -> Load:
    """Return a function from a file's content to its configuration."""

    def loaded(content: str | bytes, environment: Mapping[str, str] | None = None) -> Config:
        return load(write(content), installed, environment or {})

    return loaded


@pytest.fixture
def ai(loaded: Load) -> Callable[..., Any]:
    """Return a function from the lines of the block ``plugins.ai`` to its model."""

    def ai(*lines: str, environment: Mapping[str, str] | None = None) -> Any:
        block = "".join(f"    {line}\n" for line in lines)
        return loaded(f"plugins:\n  ai:\n{block}", environment).plugins["ai"]

    return ai


@pytest.fixture
def faults(loaded: Load, tmp_path: Path) -> Faults:
    """Return a function from a faulty file's content to the lines about it."""

    def faults(content: str | bytes, environment: Mapping[str, str] | None = None) -> list[str]:
        with pytest.raises(ConfigError) as caught:
            loaded(content, environment)
        return [fault.replace(f"{tmp_path}/", "") for fault in caught.value.faults]

    return faults
