"""What falls out of the window becomes a summary, and that goes where its person's data go."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.api.messages import ChatKind
from bot.testing import Bot
from plugins.ai.history.summaries import LONGEST, NAMESPACE
from plugins.privacy import plugin as privacy

GROUP: dict[str, Any] = {"chat": "g", "kind": ChatKind.GROUP, "addressed": True}
LINE = "word " * 150
DOWN = "503 Service Unavailable"


class Script:
    """Answers a request by what it asks for."""

    def __init__(self, server: Any, choose: Callable[[bool], Any]) -> None:
        self.server = server
        self.choose = choose

    def __len__(self) -> int:
        return 1

    def __getitem__(self, _: int) -> Any:
        return self.choose(is_summary(self.server.asked[-1]))


def is_summary(asked: Any) -> bool:
    return str(asked.body["messages"][0]["content"]).startswith("You keep the summary")


@pytest.fixture
def summarizing(chatting: Any, server: Any, answered: Any, sse: Any) -> Any:
    """A bot that summarizes; ``summary`` is what the model makes of it, None for a failure."""

    def make(summary: list[str | None], **options: Any) -> Any:
        def choose(summing: object) -> Any:
            text = summary[0] if summing else "Yes."
            return answered([b"{}"], status=DOWN) if text is None else answered([sse(text)])

        server.script = Script(server, choose)
        block = {"history": {"window": 1500, "summarize": True, **options}}
        return chatting(privacy, model=True, block=block)

    return make


async def talk(bot: Bot, turns: int, **place: Any) -> None:
    for number in range(turns):
        await bot.say(f"{number} {LINE}", **place)


async def kept(bot: Bot) -> list[tuple[str, Any]]:
    return [(d.scope, d.value) for d in await bot.store.documents.scan(NAMESPACE)]


def systems(server: Any) -> list[str]:
    return [a.body["messages"][0]["content"] for a in server.asked if not is_summary(a)]


async def test_what_fell_out_is_in_the_next_request(summarizing: Any, server: Any) -> None:
    async with summarizing(["They spoke of\nwords."]) as bot:
        await talk(bot, 12)
        ((scope, value),) = await kept(bot)
        assert scope == "person:test:ana"
        assert value["text"] == "They spoke of\nwords."
        await bot.say("and?")
    assert "> They spoke of\n> words." in systems(server)[-1]
    assert "They spoke of" not in systems(server)[0]
    sums = [asked for asked in server.asked if is_summary(asked)]
    assert 1 <= len(sums) <= 6, "not one for each turn"
    texts = [asked.body["messages"][1]["content"] for asked in sums]
    assert "The summary so far:\n> They spoke of\n> words." in texts[1]
    for number in range(5):
        assert sum(f"> {number} word" in text for text in texts) == 1, "each turn once"


async def test_a_failed_summary_loses_nothing(summarizing: Any, server: Any) -> None:
    summary: list[str | None] = [None]
    async with summarizing(summary) as bot:
        await talk(bot, 8)
        assert await kept(bot) == []
        entries = await bot.store.messages.latest("test:ana", 99, archived=True)
        assert len(entries) == 16
        tried = len([asked for asked in server.asked if is_summary(asked)])
        assert tried > 1, "it is tried again"
        summary[0] = "All of it."
        await talk(bot, 2)
        assert len(await kept(bot)) == 1
    made = [asked for asked in server.asked if is_summary(asked)][tried:]
    texts = "".join(asked.body["messages"][1]["content"] for asked in made)
    assert all(texts.count(f"> {number} word") == 1 for number in range(4))


@pytest.mark.parametrize(("who", "left"), [("ana", ["bea"]), ("boss", [])])
async def test_a_reset_clears_it_for_those_whom_it_clears(
    summarizing: Any, server: Any, who: str, left: list[str]
) -> None:
    async with summarizing(["Words."]) as bot:
        bot.adapter.admins.add("boss")
        await talk(bot, 8, **GROUP)
        await talk(bot, 8, sender="bea", **GROUP)
        assert len(await kept(bot)) == 2
        await bot.say("/reset", sender=who, **GROUP)
        assert [scope for scope, _ in await kept(bot)] == [f"person:test:{name}" for name in left]
        await bot.say("and?", **GROUP)
        assert "Words." not in systems(server)[-1]


async def test_nobody_gets_anothers_summary(summarizing: Any, server: Any) -> None:
    async with summarizing(["Ana's words."]) as bot:
        await talk(bot, 8, **GROUP)
        for place in ({"sender": "bea", **GROUP}, {"sender": "g", "anonymous": True, **GROUP}, {}):
            await bot.say("and?", **place)
            assert "Ana's words." not in systems(server)[-1]
        await bot.say("and?", **GROUP)
        assert "Ana's words." in systems(server)[-1]


async def test_erasure_takes_it(summarizing: Any) -> None:
    async with summarizing(["Words."]) as bot:
        await talk(bot, 8)
        exported = await bot.store.export("test:ana")
        assert "Words." in str(exported["documents"])
        await bot.store.erase("test:ana")
        assert await kept(bot) == []


async def test_nothing_is_kept_of_who_wishes_so(summarizing: Any) -> None:
    async with summarizing(["Words."]) as bot:
        await bot.say("/privacy pause")
        await talk(bot, 8)
        assert await kept(bot) == []


async def test_what_a_model_writes_too_long_is_cut(summarizing: Any) -> None:
    async with summarizing(["x" * 9000]) as bot:
        await talk(bot, 8)
        ((_, value),) = await kept(bot)
        assert len(value["text"]) == LONGEST


async def test_a_secret_is_not_summed_up(summarizing: Any, server: Any) -> None:
    async with summarizing(["Words."]) as bot:
        await bot.say("my password is hunter2hunter2")
        await talk(bot, 8)
    assert not any("hunter2" in str(asked.body) for asked in server.asked if is_summary(asked))


async def test_it_goes_with_the_oldest_of_what_it_covers(
    chatting: Any, server: Any, answered: Any, sse: Any
) -> None:
    server.script = [answered([sse("Words.")])]
    start = datetime(2026, 1, 1, tzinfo=UTC)
    now = [start]
    block = {"history": {"window": 1500, "summarize": True}}
    config = privacy.config.model_validate({"retention": {"messages": "7d"}})  # type: ignore[union-attr]
    async with chatting(privacy, model=True, block=block, clock=lambda: now[0]) as bot:
        bot.runtime.offers._offers["privacy"] = config.retention
        await talk(bot, 5)
        now[0] = start + timedelta(days=5)
        await talk(bot, 8)
        (found,) = await bot.store.documents.scan(NAMESPACE)
        assert found.expires == start + timedelta(days=7)
        now[0] = start + timedelta(days=8)
        assert await kept(bot) == []
