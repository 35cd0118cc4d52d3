"""``tertulia memory`` over the store of a bot."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.api import Account
from bot.background import Background
from bot.cli import command
from bot.store import open_store
from plugins.ai.memory import Memory, MemoryConfig
from plugins.ai.memory.fact import Fact, Origin
from plugins.ai.memory.intake import Work
from plugins.ai.memory.parsing import Candidate

ANA, BO = "test:ana", "test:bo"
FILE = "plugins:\n  ai:\n    memory: {typed: true}\n"


def with_memory(act: Callable[[Memory], Awaitable[Any]]) -> Any:
    """Do something with the memory as the bot does, in the same store."""

    async def run() -> Any:
        store = await open_store("sqlite", Path("data"), clock=lambda: datetime.now(UTC))
        log = logging.getLogger("plugins.ai")
        try:
            for name in ("ana", "bo"):
                await store.people.resolve(Account("test", name))
            memory = Memory(
                MemoryConfig(typed=True),
                store,
                lambda: None,  # type: ignore[arg-type,return-value]
                tasks=Background(log),
                clock=lambda: datetime.now(UTC),
                log=log,
            )
            return await act(memory)
        finally:
            await store.close()

    return asyncio.run(run())


def statuses() -> dict[tuple[str, str], str]:
    async def read(memory: Memory) -> dict[tuple[str, str], str]:
        facts = [*await memory.memory_facts(ANA), *await memory.memory_facts(BO)]
        return {(fact.person, fact.text): fact.status.value for fact in facts}

    found: dict[tuple[str, str], str] = with_memory(read)
    return found


@pytest.fixture(autouse=True)
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, str], str]:
    """Four pending facts and an approved one, with their keys."""
    monkeypatch.chdir(tmp_path)
    Path("bot.yaml").write_text(FILE)

    async def fill(memory: Memory) -> list[Fact]:
        for person, text, kind in (
            (ANA, "Likes tea", "preference"),
            (ANA, "Likes green tea", "preference"),
            (ANA, "Has a cat", "fact"),
            (BO, "Likes tea", "preference"),
        ):
            work = Work(person, 0, 0, Origin(person, "7", f"well, {text.lower()}"))
            await memory._intake.propose(work, Candidate(text, kind, 0.8), "required")
        await memory.remember(BO, ["Plays chess"])
        return [*await memory.memory_facts(ANA), *await memory.memory_facts(BO)]

    return {(fact.person, fact.text): fact.key for fact in with_memory(fill)}


def test_what_waits_is_shown_with_its_origin(capsys: pytest.CaptureFixture[str], keys: Any) -> None:
    assert command(["memory", "pending", "--person", ANA]) == 0
    out = capsys.readouterr().out
    assert f"{keys[ANA, 'Likes tea']}  {ANA}  pending  preference 0.80" in out
    assert f"from message 7 in {ANA}\n    > well, likes tea" in out
    assert out.endswith("3 facts\n")
    assert "chess" not in out


def test_facts_are_listed_by_filter(capsys: pytest.CaptureFixture[str]) -> None:
    def listed(*options: str) -> set[tuple[str, str]]:
        assert command(["memory", "list", "--json", *options]) == 0
        found = json.loads(capsys.readouterr().out)
        return {(fact["person"], fact["text"]) for fact in found}

    assert len(listed()) == 5
    assert listed("--status", "approved") == {(BO, "Plays chess")}
    assert listed("--match", "TEA") == {
        (ANA, "Likes tea"),
        (ANA, "Likes green tea"),
        (BO, "Likes tea"),
    }
    assert listed("--type", "fact") == {(ANA, "Has a cat")}
    assert listed("--person", "test:an") == set()


def test_one_is_approved_and_only_once(capsys: pytest.CaptureFixture[str], keys: Any) -> None:
    key = keys[ANA, "Has a cat"]
    assert command(["memory", "approve", key]) == 0
    assert capsys.readouterr().out == "1 done\n"
    before = statuses()
    assert before[ANA, "Has a cat"] == "approved"
    assert command(["memory", "approve", key]) == 1
    assert f"{key}: That was approved already" in capsys.readouterr().err
    assert statuses() == before


def test_many_are_reviewed_by_filter() -> None:
    assert command(["memory", "reject", "--match", "green"]) == 0
    assert command(["memory", "approve", "--person", ANA]) == 0
    assert statuses() == {
        (ANA, ""): "rejected",
        (ANA, "Likes tea"): "approved",
        (ANA, "Has a cat"): "approved",
        (BO, "Likes tea"): "pending",
        (BO, "Plays chess"): "approved",
    }
    assert command(["memory", "approve", "--all"]) == 0
    assert statuses()[BO, "Likes tea"] == "approved"


def test_facts_are_forgotten(keys: Any) -> None:
    assert command(["memory", "forget", keys[BO, "Plays chess"]]) == 0
    assert command(["memory", "forget", "--person", ANA]) == 0
    assert statuses() == {(BO, "Likes tea"): "pending"}


@pytest.mark.parametrize("action", ["approve", "reject", "forget"])
def test_nothing_named_is_never_everything(capsys: pytest.CaptureFixture[str], action: str) -> None:
    before = statuses()
    for options in ([], ["--person", ""], ["--match", ""]):
        assert command(["memory", action, *options]) == 1
        assert "which facts?" in capsys.readouterr().err
    assert statuses() == before


def test_a_key_that_is_wrong_or_that_of_two_people_changes_nothing(
    capsys: pytest.CaptureFixture[str], keys: Any
) -> None:
    before, key = statuses(), keys[ANA, "Likes tea"]
    assert command(["memory", "approve", keys[ANA, "Has a cat"], "0000"]) == 1
    assert "0000: there is no such fact" in capsys.readouterr().err
    assert command(["memory", "approve", key]) == 1
    assert "say whose with --person" in capsys.readouterr().err
    assert statuses() == before
    assert command(["memory", "approve", key, "--person", BO]) == 0
    assert statuses()[ANA, "Likes tea"] == "pending"


def test_a_store_in_memory_is_out_of_reach(capsys: pytest.CaptureFixture[str]) -> None:
    Path("bot.yaml").write_text(f"store: memory\n{FILE}")
    assert command(["memory", "list"]) == 1
    assert "out of reach" in capsys.readouterr().err


def test_it_works_while_the_bot_runs(keys: Any) -> None:
    async def meanwhile(memory: Memory) -> list[str]:
        key = keys[ANA, "Has a cat"]
        assert await asyncio.to_thread(command, ["memory", "approve", key]) == 0
        return await memory.memory(ANA)

    assert with_memory(meanwhile) == ["Has a cat"]
