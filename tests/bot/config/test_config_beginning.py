"""What `tertulia init` asks and writes."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.api import BotError, ConfigError
from bot.config import load
from bot.config.beginning import begin
from bot.config.questions import answered
from bot.config.starter import Answers, starter
from bot.loader import Catalog


def typing(*lines: str) -> tuple[Callable[[str], str], list[str]]:
    """Return what answers with these lines, then nothing, and the questions it was asked."""
    questions: list[str] = []
    left: Iterator[str] = iter(lines)

    def ask(question: str) -> str:
        questions.append(question)
        return next(left, "")

    return ask, questions


def test_without_questions_there_are_defaults_and_what_is_given() -> None:
    assert answered({}, None) == Answers()
    given = {"platforms": ["discord,telegram"], "language": "pt-BR", "api_key": "-"}
    assert answered(given, None) == Answers(("telegram", "discord"), language="pt-BR", api_key="")


def test_only_what_matters_is_asked() -> None:
    ask, questions = typing()
    assert answered({}, ask) == Answers()
    assert len(questions) == 4
    ask, questions = typing(
        "telegram", "", "openai", "http://localhost:9/v1", "m", "-", "docs", "es"
    )
    found = answered({"discord_token": "D"}, ask)
    assert found == Answers(
        ("telegram",),
        "TELEGRAM_TOKEN",
        "D",
        "openai",
        "http://localhost:9/v1",
        "m",
        "",
        "docs",
        "es",
    )
    assert len(questions) == 8


def test_what_is_given_is_not_asked() -> None:
    ask, questions = typing()
    given = {"platforms": ["console"], "provider": "offline", "documents": "d", "language": "en"}
    assert answered(given, ask).documents == "d"
    assert questions == []


def test_what_cannot_be_is_asked_again_and_a_secret_is_not_repeated() -> None:
    secret = "8214906357:AAHk-Qw_zX9"
    ask, questions = typing("irc", "telegram", secret, "MY_TOKEN", "", "", "klingon-x", "es")
    found = answered({}, ask)
    assert (found.platforms, found.telegram_token, found.language) == (
        ("telegram",),
        "MY_TOKEN",
        "es",
    )
    assert secret not in "".join(questions)
    assert "never the secret itself" in "".join(questions)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("platforms", ["irc"], "there are the platforms telegram, discord, console"),
        ("provider", "magic", "there are the providers offline, openai"),
        ("telegram_token", "123:abc", "telegram token: this is the name of a variable"),
        ("api_key", "sk-abc", "api key: this is the name of a variable"),
        ("language", "klingon-x", "language: write a language as en"),
        ("documents", " ", "this cannot be empty"),
        ("documents", "~nobody-of-this-name/docs", "there is no such user"),
        ("model", "a\nb", "or hold control characters"),
    ],
)
def test_what_cannot_be_given(field: str, value: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        answered({field: value}, None)


def test_a_server_that_needs_a_key_gets_one() -> None:
    with pytest.raises(ValueError, match="needs a key"):
        answered({"provider": "openai", "api_key": "-"}, None)


PLATFORMS = ["telegram", "console"]
LINE = st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Z"]) | st.just(" "),
    min_size=1,
    max_size=20,
).filter(str.strip)
ANSWERS = st.builds(
    Answers,
    platforms=st.lists(st.sampled_from(PLATFORMS), min_size=1, unique=True),
    telegram_token=st.from_regex(r"[A-Z][A-Z0-9_]{0,9}", fullmatch=True),
    provider=st.sampled_from(["offline", "openai"]),
    base_url=st.sampled_from(["http://127.0.0.1:8080/v1", "https://models.example:8443/v1"]),
    model=LINE,
    api_key=st.sampled_from(["", "KEY"]),
    documents=LINE.filter(lambda line: not line.startswith("~")),
    language=st.sampled_from(["en", "es", "pt-BR", "zh-Hans", "no"]),
)


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(answers=ANSWERS)
def test_check_accepts_whatever_is_written(write: Callable[[str], Path], answers: Answers) -> None:
    path = write(starter(answers))
    token = "123456:abc-def"
    environment = {**dict.fromkeys(answers.variables, token), "DISCORD_TOKEN": token}
    config = load(path, Catalog(), environment)
    assert list(config.platforms) == [
        n for n in ("telegram", "discord", "console") if n in answers.platforms
    ]
    assert config.language == answers.language
    assert list(config.plugins) == ["core", "people", "privacy", "rag", "ai"]
    if answers.provider == "openai":
        assert config.plugins["ai"].model == answers.proposed.replace("$${", "${")


def said_by(path: Path, **options: Any) -> Sequence[str]:
    said: list[str] = []
    begin(path, options.pop("given", {}), ask=options.pop("ask", None), say=said.append, **options)
    return said


def test_the_file_and_the_folder_are_made_and_said(tmp_path: Path) -> None:
    path = tmp_path / "bot.yaml"
    said = said_by(path, given={"platforms": "telegram", "documents": "my/docs"})
    assert (tmp_path / "my" / "docs").is_dir()
    assert said[0] == f"wrote {path}"
    assert said[1].startswith(
        f"made the folder {tmp_path / 'my' / 'docs'}; put the documents there"
    )
    assert said[2] == "set TELEGRAM_TOKEN in the environment"
    assert "tertulia run" in said[3]


def test_a_folder_that_is_there_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "faq.md").write_text("# Hello")
    assert not any("made" in line for line in said_by(tmp_path / "bot.yaml"))
    assert (tmp_path / "docs" / "faq.md").read_text() == "# Hello"


def test_a_file_that_is_there_is_kept_unless_forced(tmp_path: Path) -> None:
    path = tmp_path / "bot.yaml"
    path.write_text("language: es\n")
    ask, questions = typing()
    with pytest.raises(BotError, match="is there already; --force writes over it"):
        said_by(path, ask=ask)
    assert (path.read_text(), questions) == ("language: es\n", [])
    said_by(path, force=True)
    assert path.read_text() == starter(Answers())


def test_a_faulty_answer_writes_nothing(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="language: write a language"):
        said_by(tmp_path / "bot.yaml", given={"language": "klingon-x"})
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_refuses_is_told(tmp_path: Path) -> None:
    with pytest.raises(BotError, match=r"absent/bot\.yaml: cannot be written: No such file"):
        said_by(tmp_path / "absent" / "bot.yaml")


@pytest.mark.parametrize("field", ["data", "plugins.rag.documents"])
def test_a_home_that_is_not_there_is_told_with_its_place(tmp_path: Path, field: str) -> None:
    path = tmp_path / "bot.yaml"
    where = "~nobody-of-this-name/x"
    lines = {
        "data": f"data: {where}\n",
        "plugins.rag.documents": f"plugins: {{rag: {{documents: {where}}}}}\n",
    }
    path.write_text(lines[field])
    with pytest.raises(ConfigError, match=f"bot.yaml:1:.* {field}.*there is no such user"):
        load(path, Catalog(), {})
