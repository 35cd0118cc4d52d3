"""The whole chain from outside: the real command, JSON lines in, JSON events out."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

DOCUMENTS = Path(str(files("bot"))) / "sample" / "docs"
CONFIGURATION = """
store: sqlite
platforms:
  console: {{format: jsonl}}
plugins:
  core: {{}}
  privacy: {{}}
  rag: {{documents: ["{documents}"]}}
  ai: {{provider: offline, rag: {{retriever: rag}}}}
"""
Event = dict[str, Any]
Converse = Callable[..., list[Event]]


def said(text: str, chat: str = "c", sender: str = "ana", **more: Any) -> str:
    return json.dumps({"chat": chat, "kind": "private", "sender": sender, "text": text, **more})


def final(events: Sequence[Event], chat: str | None = None) -> list[str]:
    wanted = [e for e in events if e["event"] == "reply" and chat in (None, e["chat"])]
    return [event["text"] for event in wanted]


@pytest.fixture
def configuration(tmp_path: Path) -> Path:
    path = tmp_path / "bot.yaml"
    path.write_text(CONFIGURATION.format(documents=DOCUMENTS))
    return path


def command(configuration: Path) -> list[str]:
    return [sys.executable, "-m", "bot", "run", "--config", str(configuration)]


def converse(configuration: Path, *lines: str) -> list[Event]:
    done = subprocess.run(
        command(configuration),
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": str(configuration.parent)},
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_answers_come_with_their_source_in_the_readers_language(configuration: Path) -> None:
    events = converse(
        configuration,
        said("how long does shipping take?", "en", language="en"),
        said("¿cuánto tarda el envío?", "es", "eva", language="es"),
        said("who won the football world cup in 1998?", "en2", "tom", language="en"),
        said("¿quién ganó el mundial de fútbol de 1998?", "es2", "leo", language="es"),
    )
    [english], [spanish] = final(events, "en"), final(events, "es")
    answer, _, sources = english.rpartition("\n\n")
    assert "[1]" in answer
    assert "working days" in answer
    assert sources == "Sources: [1] faq.md › Shipping"
    answer, _, sources = spanish.rpartition("\n\n")
    assert "[1]" in answer
    assert "días" in answer
    assert sources.startswith("Fuentes: [1] ")
    assert sources.endswith("› Envíos")
    [unknown], [desconocido] = final(events, "en2"), final(events, "es2")
    assert "Sources" not in unknown
    assert "know" in unknown
    assert "Fuentes" not in desconocido
    assert unknown != desconocido


def test_in_a_group_it_speaks_when_it_is_spoken_to(configuration: Path) -> None:
    question = "how long does shipping take?"
    events = converse(
        configuration,
        said(question, "g1", kind="group", addressed=False),
        said(question, "g2", kind="group", addressed=True),
        said("/ping", "g3", kind="group"),
    )
    assert final(events, "g1") == []
    assert "Shipping" in final(events, "g2")[0]
    assert len(final(events, "g3")) == 1


def test_reset_says_what_it_cleared_and_what_it_left(configuration: Path) -> None:
    events = converse(configuration, said("how long does shipping take?"), said("/reset"))
    reset = final(events)[-1]
    assert re.search("cleared this chat's context: [12] message", reset)
    assert "memory" in reset


def test_chats_keep_their_order_side_by_side(configuration: Path) -> None:
    lines = [
        said("/help", chat, chat, id=f"{chat}{n}") for n in range(8) for chat in ("a", "b", "c")
    ]
    events = [e for e in converse(configuration, *lines) if e["event"] == "reply"]
    for chat in ("a", "b", "c"):
        mine = [event["reply_to"] for event in events if event["chat"] == chat]
        assert mine == [f"{chat}{n}" for n in range(8)]


def test_a_faulty_line_is_told_with_its_number_and_the_rest_goes_on(configuration: Path) -> None:
    events = converse(configuration, "{oops", said("/ping"), '{"chat": 5}')
    faults = [event for event in events if event["event"] == "error"]
    assert [fault["line"] for fault in faults] == [1, 3]
    assert len(final(events)) == 1


SLOW = """
import asyncio
from contextlib import asynccontextmanager
from bot.api import Plugin

class Slow:
    async def retrieve(self, query, *, top_k=3, audience=()):
        await asyncio.sleep(3600)

@asynccontextmanager
async def setup(services):
    services.offer(Slow())
    yield None

plugin = Plugin("slow", "Never finds anything.", setup=setup)
"""


def test_a_retriever_that_is_too_slow_is_done_without(configuration: Path) -> None:
    (configuration.parent / "slow_plugin.py").write_text(SLOW)
    block = "  rag: {retriever: slow, timeout: 200ms}"
    text = configuration.read_text()
    head, _, _ = text.partition("  rag:")
    plugins = "  slow: {module: slow_plugin}\n  ai:\n    provider: offline\n  " + block + "\n"
    configuration.write_text(head + plugins)
    events = converse(configuration, said("how long does shipping take?"))
    [answer] = final(events)
    assert answer
    assert "Sources" not in answer


def test_killed_and_started_again_it_remembers_and_indexes_nothing_twice(
    configuration: Path,
) -> None:
    process = subprocess.Popen(
        command(configuration), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(said("how long does shipping take?") + "\n")
    process.stdin.flush()
    while json.loads(process.stdout.readline())["event"] != "reply":
        pass
    # History is written before the lane takes the next message.
    process.stdin.write(said("/ping") + "\n")
    process.stdin.flush()
    process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=10)
    index = next((configuration.parent / "data" / "rag").glob("*.db"))
    before = _passages(index)
    events = converse(configuration, said("/reset"))
    assert "2" in final(events)[0]
    assert _passages(index) == before


def _passages(index: Path) -> list[tuple[Any, ...]]:
    import sqlite3  # noqa: PLC0415 - looks into the file behind the plugin's back

    with closing(sqlite3.connect(index)) as database:
        tables = {row[0] for row in database.execute("SELECT name FROM sqlite_master")}
        name = next(name for name in ("passages", "chunks") if name in tables)
        return database.execute(f"SELECT rowid FROM {name} ORDER BY rowid").fetchall()  # noqa: S608
