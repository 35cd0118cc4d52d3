"""What an operator does to the store by hand, while the bot runs and while it does not."""

import asyncio
import json
import subprocess
import sys
import zipfile
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.api import Account, Entry, Role, person_scope
from bot.cli import command
from bot.runtime import utc_now
from bot.store import open_store

KEY = b64encode(b"k" * 32).decode()
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot.yaml").write_text(
        "platforms:\n  console: {format: jsonl}\nplugins: {core: {}}\n"
    )
    asyncio.run(filled(tmp_path / "data"))

    def tertulia(*arguments: str) -> tuple[int, str, str]:
        code = command(arguments)
        out, err = capsys.readouterr()
        return code, out, err

    return tertulia


async def filled(data: Path) -> None:
    store = await open_store("sqlite", data, clock=utc_now)
    for name in ("ana", "bob"):
        person = await store.people.resolve(Account("console", name, name.title()))
        await store.documents.put(person_scope(person.id), "notes", "k", f"{name}'s note")
        await store.messages.append("console:c", [Entry(Role.USER, f"{name} says", person.id)])
    await store.close()


def ids(run: Run) -> list[str]:
    return [line.split("\t")[0] for line in run("people", "list")[1].splitlines()]


def test_everybody_is_listed_and_shown(run: Run) -> None:
    assert ids(run) == ["console:ana", "console:bob"]
    code, out, _ = run("people", "show", "console:ana")
    assert code == 0
    assert "Ana" in out
    assert "documents  1" in out


@pytest.mark.parametrize("arguments", [("show",), ("erase", "--yes"), ("export", "--to", "out")])
def test_who_is_not_known_is_told(run: Run, arguments: tuple[str, ...]) -> None:
    name, *rest = arguments
    code, _, err = run("people", name, "console:nobody", *rest)
    assert code == 1
    assert "people list" in err


def test_people_are_linked_and_taken_apart(run: Run) -> None:
    assert run("people", "link", "console:ana", "console:bob")[0] == 0
    assert ids(run) == ["console:ana"]
    assert run("people", "link", "console:ana", "console:bob")[0] == 1
    assert run("people", "unlink", "console:bob")[0] == 0
    assert ids(run) == ["console:ana", "console:bob"]
    assert run("people", "unlink", "console:bob")[0] == 1
    assert run("people", "unlink", "bob")[0] == 1


def test_an_export_holds_what_is_erased(run: Run, tmp_path: Path) -> None:
    assert run("people", "export", "console:ana", "--to", "out")[0] == 0
    [file] = (tmp_path / "out").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    with zipfile.ZipFile(file) as archive:
        held = json.loads(archive.read("my-data.json"))
    assert held["documents"][0]["value"] == "ana's note"
    code, out, _ = run("people", "erase", "console:ana", "--yes")
    assert code == 0
    counts = json.loads(out.splitlines()[0].removeprefix("erased "))
    assert counts == {kind: len(rows) for kind, rows in held.items()}
    assert ids(run) == ["console:bob"]


def test_erasing_asks(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins.input", lambda _: "no")
    assert run("people", "erase", "console:ana")[0] == 1
    assert ids(run) == ["console:ana", "console:bob"]
    monkeypatch.setattr("builtins.input", lambda _: "yes")
    assert run("people", "erase", "console:ana")[0] == 0
    assert ids(run) == ["console:bob"]


def test_a_copy_is_made_checked_and_restored_without_the_erased(run: Run) -> None:
    assert run("data", "backup", "copy.db")[0] == 0
    assert run("data", "verify", "copy.db")[1].endswith("whole\n")
    run("people", "erase", "console:ana", "--yes")
    code, out, _ = run("data", "restore", "copy.db")
    assert code == 0
    assert "1 people" in out
    assert ids(run) == ["console:bob"]
    assert run("data", "verify")[0] == 0


def test_what_is_no_copy_is_told(run: Run, tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("hello" * 1000)
    for arguments in (("verify", "none.db"), ("verify", "text.db"), ("restore", "text.db")):
        code, _, err = run("data", *arguments)
        assert code == 1
        assert arguments[1] in err
    assert ids(run) == ["console:ana", "console:bob"]


def test_the_key_is_changed(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("data", "rotate", "--to", "NEW")[0] == 1
    monkeypatch.setenv("NEW", "no key")
    code, _, err = run("data", "rotate", "--to", "NEW")
    assert code == 1
    assert "no key" not in err
    monkeypatch.setenv("NEW", KEY)
    assert run("data", "rotate", "--to", "NEW")[0] == 0
    assert b"ana's note" not in (tmp_path / "data" / "tertulia.db").read_bytes()
    assert run("people", "list")[0] == 1
    config = (tmp_path / "bot.yaml").read_text()
    (tmp_path / "bot.yaml").write_text("data_key: ${NEW}\n" + config)
    assert ids(run) == ["console:ana", "console:bob"]
    assert run("data", "rotate")[0] == 0
    (tmp_path / "bot.yaml").write_text(config)
    assert ids(run) == ["console:ana", "console:bob"]


def test_it_works_while_the_bot_runs(run: Run, tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "bot", "run"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None

    def say(text: str) -> None:
        assert process.stdin is not None
        line = {"chat": "a", "kind": "private", "sender": "ana", "text": text}
        process.stdin.write(json.dumps(line) + "\n")
        process.stdin.flush()

    say("/ping")
    process.stdout.readline()
    assert run("data", "backup", "copy.db")[0] == 0
    assert run("people", "export", "console:ana", "--to", "out")[0] == 0
    assert run("people", "erase", "console:ana", "--yes")[0] == 0
    run("people", "erase", "console:bob", "--yes")
    assert ids(run) == []
    code, out, err = run("data", "restore", "copy.db")
    assert code == 0, err
    assert "2 people" in out
    say("/ping")
    assert process.stdout.readline()
    assert ids(run) == []
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert run("data", "verify")[0] == 0
