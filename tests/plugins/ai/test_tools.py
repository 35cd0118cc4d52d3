"""Tools: what a model is offered, with whose rights they run, and what comes of a call."""

import asyncio
import json
import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from bot.api import ChatKind, Context, Plugin, Reply, UserError

GROUP: dict[str, Any] = {"chat": "g", "kind": ChatKind.GROUP, "addressed": True}
Make = Callable[..., Plugin[None]]


def call(name: str, arguments: str | None = "{}", number: str = "c1") -> dict[str, Any]:
    """Return a chunk with a whole call."""
    function = {"name": name, "arguments": arguments}
    piece = {"index": int(number[1:]), "id": number, "function": function}
    return {"choices": [{"index": 0, "delta": {"tool_calls": [piece]}, "finish_reason": None}]}


@pytest.fixture
def answers(server: Any, answered: Any, sse: Any) -> Callable[..., None]:
    """Let the model answer so, request by request: texts and calls."""

    def script(*steps: list[Any] | str) -> None:
        server.script = [
            answered([sse(*([step] if isinstance(step, str) else step))]) for step in steps
        ]

    return script


def shop(**options: Any) -> tuple[Plugin[None], list[tuple[str, str | None]]]:
    """Return a plugin with one tool, and the list of its runs."""
    plugin: Plugin[None] = Plugin("shop", "Sells.")
    runs: list[tuple[str, str | None]] = []

    @plugin.tool(**options)
    async def stock(context: Context[None], article: str, size: int = 40) -> dict[str, Any]:
        """Say how many of an article are there.

        Args:
            article: What it is called.
            size: In European sizes.
        """
        runs.append((f"{article} {size}", context.sender))
        return {"there": 7}

    return plugin, runs


def results(server: Any, asked: int = -1) -> list[str]:
    messages = server.asked[asked].body["messages"]
    return [message["content"] for message in messages if message["role"] == "tool"]


def offered(server: Any) -> list[str]:
    return [tool["function"]["name"] for tool in server.asked[-1].body.get("tools", [])]


def text(replies: list[Reply]) -> str:
    return replies[-1].text


async def test_a_model_is_told_of_a_tool_calls_it_and_answers(
    chatting: Any, server: Any, answers: Any
) -> None:
    plugin, runs = shop()
    answers(["I'll look.", call("stock", '{"article": "boots"}')], "Seven pairs.", "Bye.")
    async with chatting(plugin, model=True) as bot:
        assert text(await bot.say("any boots?")) == "I'll look.\n\nSeven pairs."
        assert runs == [("boots 40", "test:ana")]
        assert results(server) == ['{"there":7}']
        [tool] = server.asked[0].body["tools"]
        assert tool["function"]["description"] == "Say how many of an article are there."
        assert tool["function"]["parameters"] == {
            "type": "object",
            "properties": {
                "article": {"type": "string", "description": "What it is called."},
                "size": {"type": "integer", "default": 40, "description": "In European sizes."},
            },
            "required": ["article"],
            "additionalProperties": False,
        }
        (why,) = await bot.say("/why")
        assert "Tools: stock" in why.text
        await bot.say("thanks")
    roles = [message["role"] for message in server.asked[2].body["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "user"]


async def test_several_calls_of_one_step_run_at_once(
    chatting: Any, server: Any, answers: Any
) -> None:
    plugin: Plugin[None] = Plugin("slow", "Waits.")
    both = asyncio.Barrier(2)

    @plugin.tool()
    async def meet(_: Context[None], name: str) -> str:
        """Wait for the other one."""
        await both.wait()
        return f"met {name}"

    calls = [call("meet", f'{{"name": "{n}"}}', f"c{n}") for n in (1, 2)]
    answers(calls, "Both came.")
    async with chatting(plugin, model=True) as bot:
        assert text(await bot.say("go")) == "Both came."
    assert results(server) == ["met 1", "met 2"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (None, "article: Field required"),
        ("", "article: Field required"),
        ("null", "article: Field required"),
        ("[]", "no JSON object"),
        ('"x"', "no JSON object"),
        ('{"article": "a"}{"article": "b"}', "no JSON object"),
        ('{"article": "a", "colour": "red"}', "colour: Extra inputs"),
        ('{"article": "a", "size": "big"}', "size: Input should be a valid integer"),
        (json.dumps({"article": "a" * 200_000}), "longer than 32000"),
    ],
    ids=lambda value: str(value)[:20],
)
async def test_bad_arguments_never_run_and_are_told_to_the_model(
    chatting: Any, server: Any, answers: Any, arguments: str | None, told: str
) -> None:
    plugin, runs = shop()
    answers([call("stock", arguments)], "Sorry.")
    async with chatting(plugin, model=True) as bot:
        assert text(await bot.say("boots?")) == "Sorry."
    assert not runs
    (result,) = results(server)
    assert told in json.loads(result)["error"]
    assert len(json.dumps(server.asked[-1].body)) < 20_000


@pytest.mark.parametrize("arguments", ["", "null", None, "{}", " "])
async def test_a_tool_without_parameters_takes_none(
    chatting: Any, server: Any, answers: Any, arguments: str | None
) -> None:
    plugin: Plugin[None] = Plugin("clock", "Knows the time.")

    @plugin.tool()
    async def now(_: Context[None]) -> str:
        """Say what time it is."""
        return "noon"

    answers([call("now", arguments)], "Noon.")
    async with chatting(plugin, model=True) as bot:
        assert text(await bot.say("time?")) == "Noon."
    assert results(server) == ["noon"]


async def test_failures_are_data_for_the_model(
    chatting: Any, server: Any, answers: Any, caplog: pytest.LogCaptureFixture
) -> None:
    plugin: Plugin[None] = Plugin("bad", "Fails.")

    @plugin.tool()
    async def broken(_: Context[None]) -> str:
        """Fail."""
        raise RuntimeError("inside")

    @plugin.tool()
    async def refusing(_: Context[None]) -> str:
        """Refuse."""
        raise UserError("That shop is closed.")

    @plugin.tool(timeout=timedelta(seconds=0.05))
    async def slow(_: Context[None]) -> str:
        """Hang."""
        await asyncio.Event().wait()
        return ""

    @plugin.tool()
    async def odd(_: Context[None]) -> object:
        """Return what JSON cannot carry."""
        return object()

    @plugin.tool()
    async def long(_: Context[None]) -> str:
        """Return much."""
        return "x" * 50_000

    names = ["broken", "refusing", "slow", "odd", "long", "unheard"]
    answers([call(name, "{}", f"c{n}") for n, name in enumerate(names)], "So it is.")
    block = {"tools": {"max_result": 1000}}
    with caplog.at_level(logging.WARNING):
        async with chatting(plugin, model=True, block=block) as bot:
            assert text(await bot.say("all of it")) == "So it is."
            assert "broken (failed)" in text(await bot.say("/why"))
    told = results(server)
    assert "failed" in json.loads(told[0])["error"]
    assert "inside" not in told[0]
    assert json.loads(told[1])["error"] == "That shop is closed."
    assert "too long" in json.loads(told[2])["error"]
    assert "failed" in json.loads(told[3])["error"]
    assert told[4].startswith("x" * 1000)
    assert "49000 more" in told[4]
    assert json.loads(told[5])["error"] == "there is no such tool"
    assert "tool broken failed" in caplog.text
    assert "tool odd failed" in caplog.text


async def test_at_the_limit_of_steps_the_model_is_asked_once_to_finish(
    chatting: Any, server: Any, answers: Any
) -> None:
    plugin, runs = shop()
    answers([call("stock", '{"article": "boots"}')])
    async with chatting(plugin, model=True, block={"tools": {"steps": 3}}) as bot:
        assert "gave no answer" in text(await bot.say("boots?"))
    assert len(runs) == 3
    choices = [asked.body.get("tool_choice") for asked in server.asked]
    assert choices == [None, None, None, "none", "none"], "and an empty answer once more"
    assert "cannot call tools any more" in server.asked[-1].body["messages"][0]["content"]


async def test_the_same_failure_ends_it_after_three(
    chatting: Any, server: Any, answers: Any
) -> None:
    plugin, _ = shop()
    wrong = [call("stock", "[]")]
    answers(wrong, wrong, wrong, "I can't.")
    async with chatting(plugin, model=True) as bot:
        assert text(await bot.say("boots?")) == "I can't."
    assert server.asked[3].body["tool_choice"] == "none"


async def test_results_never_fill_more_than_half_of_the_window(
    chatting: Any, server: Any, answers: Any
) -> None:
    plugin: Plugin[None] = Plugin("big", "Returns much.")

    @plugin.tool()
    async def read(_: Context[None]) -> str:
        """Return much."""
        return "word " * 100_000

    step = [call("read", "{}", f"c{n}") for n in range(4)]
    answers(step, "Done.", step, "Done.")
    async with chatting(plugin, model=True, block={"history": {"window": 2000}}) as bot:
        await bot.say("earlier " * 200)
        await bot.say("read it")
    sizes = [len(json.dumps(asked.body["messages"])) / 3.6 for asked in server.asked]
    assert max(sizes) < 2600, "the window, and the JSON around the texts"
    choices = [asked.body.get("tool_choice") for asked in server.asked]
    assert choices == [None, "none", None, "none"]


@pytest.mark.parametrize(
    ("options", "place", "sender", "may"),
    [
        ({"private": True}, {}, "ana", True),
        ({"private": True}, GROUP, "ana", False),
        ({"admins": True}, {}, "ana", True),
        ({"admins": True}, GROUP, "ana", False),
        ({"admins": True}, GROUP, "boss", True),
        ({"chats": ["test:g"]}, GROUP, "ana", True),
        ({"chats": ["test:g"]}, {}, "ana", False),
        ({"confirm": True}, {**GROUP, "anonymous": True}, "g", False),
    ],
    ids=str,
)
async def test_a_tool_has_the_rights_of_whoever_asks(
    chatting: Any,
    server: Any,
    answers: Any,
    options: Any,
    place: Any,
    sender: str,
    may: Any,
) -> None:
    plugin, runs = shop(**options)
    answers([call("stock", '{"article": "boots"}')], "So.")
    async with chatting(plugin, model=True) as bot:
        bot.adapter.admins = {"boss"}
        await bot.say("boots?", sender=sender, **place)
    assert offered(server) == (["stock"] if may else [])
    assert bool(runs) is may
    if not may:
        assert results(server) == ['{"error": "there is no such tool"}']


async def test_what_a_tool_found_for_one_stays_out_of_the_next_persons_request(
    chatting: Any, server: Any, answers: Any
) -> None:
    plugin, _ = shop()
    answers([call("stock", '{"article": "boots"}')], "Yes.", "Hello.", "Hi.")
    async with chatting(plugin, model=True) as bot:
        await bot.say("boots?", sender="ana", **GROUP)
        await bot.say("hi", sender="bea", **GROUP)
        assert results(server) == []
        await bot.say("and now?", sender="ana", **GROUP)
        assert results(server) == ['{"there":7}']


async def test_tools_can_be_switched_off(chatting: Any, server: Any, answers: Any) -> None:
    answers("Hello.")
    for block in ({"tools": False}, {"tools": {"off": ["stock"]}}):
        async with chatting(shop()[0], model=True, block=block) as bot:
            await bot.say("hi")
        assert offered(server) == []
