"""Writes the first configuration of a new bot, with comments."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from json import dumps
from typing import Final

SIMPLE: Final = re.compile(r"[A-Za-z./][A-Za-z0-9./_-]*|https?://[A-Za-z0-9./:_-]*[A-Za-z0-9./_-]")
MEANINGFUL: Final = re.compile(r"null|true|false", re.IGNORECASE)
VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
OPENAI: Final = "https://api.openai.com/v1"

PLATFORMS: Final = ("telegram", "discord", "console")
MODELS: Final = {
    "openai": "gpt-5-mini",
    "anthropic": "claude-sonnet-4-5",
    "gemini": "gemini-2.5-flash",
    "ollama": "llama3.2",
}
"""Providers with the model that is proposed for each."""

PROVIDERS: Final = ("offline", *MODELS)
KEYLESS: Final = frozenset({"offline", "ollama"})


@dataclass(frozen=True, slots=True)
class Answers:
    """What a new bot is to be; tokens and keys are named by their environment variables."""

    platforms: Sequence[str] = ("console",)
    telegram_token: str = "TELEGRAM_TOKEN"  # noqa: S105 - a variable's name
    discord_token: str = "DISCORD_TOKEN"  # noqa: S105 - a variable's name
    provider: str = "offline"
    base_url: str = OPENAI
    model: str | None = None
    api_key: str | None = None
    documents: str = "./docs"
    language: str = "en"

    @property
    def variables(self) -> Sequence[str]:
        """The environment variables that the configuration asks for."""
        names = {"telegram": self.telegram_token, "discord": self.discord_token}
        found = [names[platform] for platform in self.platforms if platform in names]
        return [*found, *([self.key] if self.key else ())]

    @property
    def key(self) -> str:
        """The variable of the provider's key, "" for none."""
        if self.provider in KEYLESS:
            return ""
        return f"{self.provider.upper()}_API_KEY" if self.api_key is None else self.api_key

    @property
    def proposed(self) -> str:
        """The model's name."""
        return self.model or MODELS.get(self.provider, "")


def starter(answers: Answers) -> str:
    """Return the file's text."""
    return "\n".join(
        (
            "# The configuration of a Tertulia bot.",
            "# `tertulia check` names every fault in it, `tertulia schema` describes every option.",
            "# Secrets never stand here: ${NAME} takes the environment variable NAME.",
            "",
            f"language: {_text(answers.language)}   # unless a person or their client choose",
            "data: ./data   # the database and the index, beside this file",
            "store: sqlite   # or memory, which forgets everything at the end",
            "# data_key: ${TERTULIA_KEY}   # encrypts what people say: openssl rand -base64 32",
            "# data_on_encrypted_volume: true   # where the disk does that",
            "",
            "platforms:",
            *_platforms(answers),
            "",
            "plugins:   # the order is the priority; a plugin that is not named here is off",
            "  core: {}   # /start /help /language /ping",
            "  people: {}   # /link: one person with accounts on several platforms",
            "  privacy: {}   # /privacy: what is kept about a person, export, erasure",
            "  rag:   # finds the passages that may answer a question",
            f"    documents: {_listed(answers.documents)}",
            "  ai:",
            *_provider(answers),
            "    rag: {retriever: rag}   # answers come from the documents, with their sources",
            "",
        )
    )


def _platforms(answers: Answers) -> Iterator[str]:
    if "telegram" in answers.platforms:
        yield "  telegram:"
        yield f"    token: ${{{answers.telegram_token}}}   # from @BotFather"
    if "discord" in answers.platforms:
        yield "  discord:"
        yield f"    token: ${{{answers.discord_token}}}   # from the developer portal, under Bot"
    if "console" in answers.platforms:
        yield "  console: {}   # a chat in this terminal"


def _provider(answers: Answers) -> Iterator[str]:
    if answers.provider == "offline":
        yield "    provider: offline   # quotes the documents; no model, no network"
        return
    yield f"    provider: {answers.provider}"
    if answers.provider == "openai":
        yield f"    base_url: {_text(answers.base_url)}   # any server that speaks its protocol"
    yield f"    model: {_text(answers.proposed)}"
    if answers.key:
        yield f"    api_key: ${{{answers.key}}}"


def _listed(text: str) -> str:
    return f"[{_text(text)}]"


def _text(text: str) -> str:
    """Return a text as YAML; a JSON string is one."""
    plain = SIMPLE.fullmatch(text) and not MEANINGFUL.fullmatch(text)
    return text if plain else dumps(text, ensure_ascii=False)
