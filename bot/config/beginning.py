"""Begins a configuration: the file, and the folder for the documents."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bot.api import BotError, ConfigError, beside
from bot.config.questions import Ask, answered
from bot.config.starter import Answers, starter


def begin(
    path: Path,
    given: Mapping[str, Any],
    *,
    ask: Ask | None,
    say: Callable[[str], None],
    force: bool = False,
) -> None:
    """Write a configuration of what is given and, unless ``ask`` is None, asked for.

    Raises `BotError` where there is a file already and ``force`` is not set, and where the disk
    refuses.
    """
    if path.exists() and not force:
        raise BotError(f"{path} is there already; --force writes over it")
    try:
        answers = answered(given, ask)
    except ValueError as error:
        raise ConfigError(str(error)) from error
    try:
        path.write_text(starter(answers), encoding="utf-8")
        say(f"wrote {path}")
        _make_documents(beside(path.parent, Path(answers.documents)), say)
    except OSError as error:
        raise BotError(f"{error.filename}: cannot be written: {error.strerror}") from error
    _say_what_next(answers, say)


def _make_documents(folder: Path, say: Callable[[str], None]) -> None:
    if not folder.exists():
        folder.mkdir(parents=True)
        say(f"made the folder {folder}; put the documents there that the bot answers from")


def _say_what_next(answers: Answers, say: Callable[[str], None]) -> None:
    if answers.variables:
        say(f"set {' and '.join(answers.variables)} in the environment")
    say("then `tertulia check` looks for mistakes and `tertulia run` starts the bot")
