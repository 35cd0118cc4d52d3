"""Asks an operator what the new bot is to be."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from bot.api import beside
from bot.config.starter import KEYLESS, OPENAI, PLATFORMS, PROVIDERS, VARIABLE, Answers
from bot.negotiation import parse

Ask = Callable[[str], str]
"""Shows a line and returns what was typed."""


class Question(NamedTuple):
    """A question about one field; ``fits`` tells whether it arises with the answers so far."""

    field: str
    text: str
    fits: Callable[[Answers], bool] = lambda _: True


QUESTIONS: Final = (
    Question("platforms", f"Platforms, of {', '.join(PLATFORMS)}"),
    Question(
        "telegram_token",
        "Environment variable that will hold the Telegram token",
        lambda answers: "telegram" in answers.platforms,
    ),
    Question(
        "discord_token",
        "Environment variable that will hold the Discord token",
        lambda answers: "discord" in answers.platforms,
    ),
    Question("provider", f"Provider of answers, of {', '.join(PROVIDERS)}"),
    Question("base_url", "Address of the model server", lambda a: a.provider == "openai"),
    Question("model", "Model", lambda a: a.provider != "offline"),
    Question(
        "api_key",
        "Environment variable that will hold the key (`-` for none)",
        lambda a: a.provider not in KEYLESS,
    ),
    Question("documents", "Folder of the documents to answer from"),
    Question("language", "Language of the bot where a reader has no choice"),
)


def answered(given: Mapping[str, Any], ask: Ask | None) -> Answers:
    """Return the answers: those given, then those asked for, then the defaults.

    Without ``ask`` nothing is asked. ValueError for a given answer that cannot be, with what can.
    """
    answers = Answers()
    for field, value in given.items():
        try:
            answers = _with(answers, field, value)
        except ValueError as error:
            raise ValueError(f"{field.replace('_', ' ')}: {error}") from error
    for question in QUESTIONS:
        if ask is not None and question.field not in given and question.fits(answers):
            answers = _asked(answers, question, ask)
    own = answers.provider != "openai" or answers.base_url == OPENAI
    if answers.provider not in KEYLESS and own and not answers.key:
        place = OPENAI if answers.provider == "openai" else answers.provider
        raise ValueError(f"{place} needs a key; name the environment variable that holds it")
    return answers


def _asked(answers: Answers, question: Question, ask: Ask) -> Answers:
    default = _default(answers, question.field)
    shown = default if isinstance(default, str) else " ".join(default)
    prompt = f"{question.text} [{shown}]: "
    while True:
        typed = ask(prompt).strip()
        if not typed:
            return answers
        try:
            return _with(answers, question.field, typed)
        except ValueError as error:
            prompt = f"{error}\n{question.text} [{shown}]: "


def _default(answers: Answers, field: str) -> str | Sequence[str]:
    found: str | Sequence[str] | None = getattr(answers, field)
    if found is None:
        found = answers.proposed if field == "model" else answers.key
    return found


def _with(answers: Answers, field: str, value: str | Sequence[str]) -> Answers:
    return replace(answers, **{field: CHECKS.get(field, _some)(value)})


def _some(value: str) -> str:
    if not value.strip() or not value.isprintable():
        raise ValueError("this cannot be empty or hold control characters")
    return value.strip()


def _folder(value: str) -> str:
    folder = _some(value)
    beside(Path(), Path(folder))
    return folder


def _chosen_platforms(value: str | Sequence[str]) -> Sequence[str]:
    text = value if isinstance(value, str) else " ".join(value)
    names = text.replace(",", " ").split()
    if not names or not set(names) <= set(PLATFORMS):
        raise ValueError(f"there are the platforms {', '.join(PLATFORMS)}")
    return tuple(name for name in PLATFORMS if name in names)


def _chosen_provider(value: str) -> str:
    if value not in PROVIDERS:
        raise ValueError(f"there are the providers {', '.join(PROVIDERS)}")
    return value


def _variable(value: str) -> str:
    # What is no name might be the secret itself, so it is not shown.
    if not VARIABLE.fullmatch(value):
        raise ValueError(
            "this is the name of a variable, such as MY_TOKEN, never the secret itself"
        )
    return value


def _variable_or_none(value: str) -> str:
    return "" if value in ("", "-") else _variable(value)


def _known_language(value: str) -> str:
    if parse(value) is None:
        raise ValueError("write a language as en, es, pt-BR or zh-Hans")
    return value


CHECKS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "platforms": _chosen_platforms,
    "telegram_token": _variable,
    "discord_token": _variable,
    "provider": _chosen_provider,
    "api_key": _variable_or_none,
    "documents": _folder,
    "language": _known_language,
}
