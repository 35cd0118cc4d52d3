"""A conversation from elsewhere, given to a chat."""

import asyncio
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.api import Account, Entry, Role
from bot.cli import command
from bot.store import open_store
from plugins.ai.history.files import FileLog
from plugins.ai.history.seeding import entries, parse

TALK: list[Any] = [
    {"role": "system", "content": "Be a pirate."},
    {"role": "user", "content": "What's the weather?", "time": "2026-01-31T12:00:00+01:00"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "sky", "arguments": "{}"}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "rain"},
    {"role": "assistant", "content": [{"type": "text", "text": "Rain."}]},
]


async def test_a_seeded_chat_goes_on(chatting: Any, server: Any, answered: Any, sse: Any) -> None:
    server.script = [answered([sse("Yes.")])]
    async with chatting(model=True) as bot:
        assistant = bot.runtime.offers.get("ai", object)
        await assistant.seed("test:ana", TALK, person="test:ana")
        with pytest.raises(ValueError, match="already"):
            await assistant.seed("test:ana", TALK, person="test:ana")
        await bot.say("still?")
        with pytest.raises(ValueError, match="message 2"):
            await assistant.seed(
                "test:ana", [TALK[1], {"role": "king"}], person="test:ana", append=True
            )
        assert "6 messages" in (await bot.say("/reset"))[0].text
    sent = server.asked[0].body["messages"]
    assert "pirate" not in str(sent)
    assert [message["role"] for message in sent[1:]] == [
        "user",
        "assistant",
        "tool",
        "assistant",
        "user",
    ]
    assert sent[1]["content"] == "What's the weather?"
    assert sent[3]["content"] == "rain"


@pytest.mark.parametrize(
    ("message", "complaint"),
    [
        ("hi", "should be like"),
        ({"content": "hi"}, "role"),
        ({"role": "user", "content": 3}, "content"),
        ({"role": "tool", "content": "x"}, "tool_call_id"),
        ({"role": "assistant", "tool_calls": [{"id": 3}]}, "tool_calls"),
        ({"role": "assistant", "tool_calls": {"id": 3}}, "tool_calls"),
        ({"role": "user", "content": "x", "time": "noon"}, "time"),
        ({"role": "user", "content": "x", "time": "2026-01-31T12:00:00"}, "offset"),
        ({"role": "user", "content": "x", "person": 3}, "an id like"),
        ({"role": "user", "content": "x", "person": "ana"}, "an id like"),
        (None, "should be like"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(message: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=f"message 2: .*{complaint}"):
        list(entries([TALK[1], message], "test:1"))


def test_each_turn_is_of_whoever_asked() -> None:
    asked = [{"role": "user", "content": "x", "person": f"test:{n}"} for n in range(2)]
    reply = {"role": "assistant", "content": "y"}
    made = list(entries([asked[0], reply, asked[1], reply], None))
    assert [entry.person for entry in made] == ["test:0", "test:0", "test:1", "test:1"]
    with pytest.raises(ValueError, match=r"message 1: .*an id like"):
        list(entries([reply], None))


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(TALK),
        json.dumps({"messages": TALK}),
        "\n\n".join(map(json.dumps, TALK)),
    ],
)
def test_all_common_forms_are_read(text: str) -> None:
    assert list(parse(text)) == TALK


def test_one_line_is_one_message() -> None:
    assert parse(json.dumps(TALK[1])) == [TALK[1]]


OPTIONS = ["--chat", "test:ana", "--person", "test:ana"]


def kept(chat: str = "test:ana") -> Sequence[Entry]:
    async def read() -> Sequence[Entry]:
        store = await open_store("sqlite", Path("data"), clock=lambda: datetime.now(UTC))
        try:
            return await store.messages.latest(chat, 99)
        finally:
            await store.close()

    return asyncio.run(read())


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("bot.yaml").write_text("plugins:\n  ai: {}\n")
    Path("talk.json").write_text(json.dumps(TALK))
    return tmp_path


def test_the_command_imports_all_or_nothing(here: Path, capsys: Any) -> None:
    kept()
    Path("wrong.jsonl").write_text('{"role": "user", "content": "hi"}\n{"role": "user"\n')
    assert command(["ai", "import", "wrong.jsonl", "--chat", "test:ana"]) != 0
    assert "wrong.jsonl: line 2" in capsys.readouterr().err
    assert command(["ai", "import", "none.json", "--chat", "test:ana"]) != 0
    assert not kept()
    assert command(["ai", "import", "talk.json", *OPTIONS]) == 0
    assert "imported 4 messages into test:ana" in capsys.readouterr().out
    assert command(["ai", "import", "talk.json", *OPTIONS]) != 0
    assert "has a conversation already" in capsys.readouterr().err
    assert command(["ai", "import", "talk.json", *OPTIONS, "--append"]) == 0
    roles = [Role.USER, Role.ASSISTANT, Role.TOOL, Role.ASSISTANT]
    assert [entry.role for entry in kept()] == roles * 2
    assert {entry.person for entry in kept()} == {"test:ana"}
    assert command(["people", "erase", "test:ana", "--yes"]) == 0
    assert not kept()


def test_the_command_imports_where_the_history_is_kept(here: Path, capsys: Any) -> None:
    kept()
    Path("bot.yaml").write_text("plugins:\n  ai: {history: {store: file, folder: talks}}\n")
    assert command(["ai", "import", "talk.json", *OPTIONS]) == 0
    assert not kept()
    assert FileLog(here / "talks", None).path("test:ana").is_file()  # type: ignore[arg-type]
    Path("bot.yaml").write_text("plugins:\n  ai: {history: {store: memory}}\n")
    assert command(["ai", "import", "talk.json", "--chat", "test:ana"]) != 0
    assert "out of reach" in capsys.readouterr().err


async def test_turns_of_a_linked_account_are_the_persons(chatting: Any) -> None:
    async with chatting() as bot:
        for account in (Account("test", "ana"), Account("other", "9")):
            await bot.store.people.resolve(account)
        await bot.store.people.link("test:ana", "other:9")
        assistant = bot.runtime.offers.get("ai", object)
        await assistant.seed("other:9", TALK, person="other:9")
        entries = await bot.store.messages.latest("other:9", 9)
        assert {entry.person for entry in entries} == {"test:ana"}
