"""The command line as an operator meets it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from ruamel.yaml import YAML

from bot.cli import BUILT_IN, command

GOOD = "plugins:\n  core: {}\n  rag: {documents: [./docs]}\n  ai: {rag: {retriever: rag}}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    return tmp_path


def test_a_good_file_is_summed_up_in_a_line(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "bot.yaml").write_text(GOOD)
    assert command(["check"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("bot.yaml: ok")
    assert "core, rag, ai" in out


def test_every_fault_is_told_at_once_with_its_place(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "my.yaml").write_text(
        "lanugage: es\nplugins:\n  core: {}\n  ai:\n    provider: opnai\n    histroy: {}\n"
    )
    assert command(["check", "--config", "my.yaml"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(" ")[0] for line in lines] == ["my.yaml:1:1", "my.yaml:5:15", "my.yaml:6:5"]
    assert "language" in lines[0]
    assert "history" in lines[2]


@pytest.mark.parametrize("arguments", [["check"], ["run"], ["rag", "status"]])
def test_a_file_that_was_named_and_is_not_there_is_a_fault(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command([*arguments, "--config", "none.yaml"]) == 2
    assert "none.yaml" in capsys.readouterr().err


def test_a_plugin_that_needs_another_one_says_so(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "bot.yaml").write_text("plugins:\n  ai: {rag: {retriever: library}}\n")
    assert command(["check"]) == 2
    assert "plugins.ai: needs the plugin 'library'" in capsys.readouterr().err


def test_the_schema_is_one_and_takes_what_check_takes(capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["schema"]) == 0
    schema = json.loads(capsys.readouterr().out)
    Draft202012Validator.check_schema(schema)
    checker = Draft202012Validator(schema)
    assert checker.is_valid(YAML(typ="safe", pure=True).load(GOOD))
    assert not checker.is_valid({"plugins": {"ai": {"histroy": {}}}})


def test_what_init_writes_is_accepted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["init", "--yes", "--platform", "telegram", "--language", "es"]) == 0
    assert "TELEGRAM_TOKEN" in capsys.readouterr().out
    assert command(["check"]) == 2  # the variable is not set
    assert "TELEGRAM_TOKEN" in capsys.readouterr().err
    written = (folder / "bot.yaml").read_text()
    assert command(["init", "--yes"]) == 1  # nothing is written over
    assert (folder / "bot.yaml").read_text() == written


def test_plugins_are_listed_with_what_is_on(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "bot.yaml").write_text("plugins:\n  core: {}\n  broken: {module: no_such_module}\n")
    assert command(["plugins"]) == 0
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()}
    assert lines["core"].split()[1] == "on"
    assert lines["ai"].split()[1] == "off"
    assert "no_such_module" in lines["broken"]


def test_health_of_what_does_not_run_is_a_failure(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "bot.yaml").write_text(GOOD)
    assert command(["health"]) == 1
    assert capsys.readouterr().out == "not running\n"


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_code:
        command([name, "--help"])
    assert exit_code.value.code == 0
    assert "--config" in capsys.readouterr().out


def test_an_unknown_command_names_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_code:
        command(["chekc"])
    assert exit_code.value.code == 2
    assert "check" in capsys.readouterr().err


def test_a_reader_that_has_seen_enough_is_no_fault() -> None:
    program = f"{sys.executable} -m bot schema | head -c 10"
    done = subprocess.run(
        ["/bin/sh", "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stderr == ""
