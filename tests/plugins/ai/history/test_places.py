"""A bot whose conversations are kept elsewhere keeps its word on personal data."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from bot.api.messages import ChatKind
from bot.testing import Bot
from plugins.ai.config import AiConfig
from plugins.privacy import plugin as privacy

GROUP: dict[str, Any] = {"chat": "g", "kind": ChatKind.GROUP, "addressed": True}


@pytest.fixture(params=["memory", "file"])
def place(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def contents(bot: Bot, chat: str) -> list[Any]:
    history: Any = bot.runtime.offers.get("ai", object)
    entries = await history.history.own.latest(chat, 99, archived=True)
    return [entry.content["text"] for entry in entries]


@pytest.fixture
def talking(chatting: Any, server: Any, answered: Any, sse: Any, place: str) -> Any:
    server.script = [answered([sse("Yes.")])]
    block = {"history": {"store": place}}
    return lambda: chatting(privacy, model=True, block=block)


async def test_it_is_there_and_nowhere_else(talking: Any, server: Any) -> None:
    async with talking() as bot:
        await bot.say("one")
        await bot.say("two")
        assert await contents(bot, "test:ana") == ["one", "Yes.", "two", "Yes."]
        assert not await bot.store.messages.latest("test:ana", 9)
        assert "4 messages" in (await bot.say("/reset"))[0].text
        await bot.say("three")
        assert await contents(bot, "test:ana") == ["three", "Yes."]
    said = [message["content"] for message in server.asked[1].body["messages"][1:]]
    assert said == ["one", "Yes.", "two"]


async def test_erasure_and_export_reach_it(talking: Any) -> None:
    async with talking() as bot:
        await bot.say("mine", **GROUP)
        await bot.say("hers", sender="bea", **GROUP)
        (button,) = (await bot.say("/privacy erase"))[0].buttons
        receipt = (await bot.say(f"/{button.command}"))[0].text
        assert "could not" not in receipt
        assert await contents(bot, "test:g") == ["hers", "Yes."]


async def test_nothing_is_kept_while_nothing_is_to_be(talking: Any, server: Any) -> None:
    async with talking() as bot:
        await bot.say("kept")
        await bot.say("/privacy pause")
        await bot.say("unseen")
        assert await contents(bot, "test:ana") == ["kept", "Yes."]
        await bot.say("again")
        assert "unseen" in str(server.asked[-1].body)
        assert "cleared" in (await bot.say("/reset"))[0].text
        assert await contents(bot, "test:ana") == ["kept", "Yes."]


@pytest.mark.parametrize(
    ("history", "complaint"),
    [
        ({"store": "redis"}, "sql, file, memory"),
        ({"store": "no.such.module:Log"}, "cannot be imported"),
        ({"store": "json:nothing"}, "names no plain function"),
        ({"store": "memory", "folder": "x"}, "goes with `store: file`"),
        ({"keep": "90d"}, "privacy plugin"),
        ({"store": "file", "keep": "0s"}, "should be greater"),
    ],
)
def test_a_wrong_place_is_told(history: Any, complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        AiConfig.model_validate({"history": history})


def test_the_folder_lies_beside_the_configuration(tmp_path: Path) -> None:
    block = {"history": {"store": "file", "folder": "talks"}}
    config = AiConfig.model_validate(block, context={"folder": tmp_path})
    assert config.history.folder == tmp_path / "talks"
    assert AiConfig.model_validate({"history": {"store": "sqlite"}}).history.store == "sql"
