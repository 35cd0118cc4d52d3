"""A long conversation with tools keeps to its window and to every provider's rules."""

import json
import random
import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.api import ChatKind, Context, Entry, Json, Plugin, Role
from plugins import ai
from plugins.ai.config import AiConfig, ToolsConfig
from plugins.ai.prompt import request as made
from plugins.ai.providers import anthropic, gemini, ollama, openai
from plugins.ai.providers.provider import End, Event, Piece, Request, Stop, ToolCall, Usage
from plugins.ai.said import Said
from plugins.ai.steps import Steps
from plugins.ai.tokens import of_request
from plugins.ai.utterance import Utterance

WINDOW = 1500
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def config(kind: str) -> AiConfig:
    return AiConfig.model_validate({"provider": kind, "model": "m", "api_key": "k"})


def check_openai(body: Any) -> None:
    """Check chat completions: each call is answered behind it, and nothing else is."""
    system, *messages = body["messages"]
    assert system["role"] == "system"
    assert messages[0]["role"] == "user"
    waiting: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            waiting.remove(message["tool_call_id"])
            continue
        assert not waiting
        assert message["content"] or message.get("tool_calls")
        calls = message.get("tool_calls", [])
        assert all(isinstance(json.loads(c["function"]["arguments"]), dict) for c in calls)
        waiting = [call["id"] for call in calls]
        assert len(waiting) == len(set(waiting))
        assert all(NAME.fullmatch(call["function"]["name"]) for call in calls)
    assert not waiting
    assert messages[-1]["role"] in {"user", "tool"}


def check_anthropic(body: Any) -> None:
    """Check messages: roles take turns, results come first and answer the turn before."""
    messages = body["messages"]
    roles = [message["role"] for message in messages]
    assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"], "an answer is wanted"
    wanted: set[str] = set()
    used: set[str] = set()
    for message in messages:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        assert all(b["text"].strip() for b in blocks if b["type"] == "text")
        results = [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"]
        assert [b["type"] for b in blocks[: len(results)]] == ["tool_result"] * len(results)
        assert set(results) == wanted
        assert len(results) == len(set(results))
        uses = [b for b in blocks if b["type"] == "tool_use"]
        assert all(isinstance(use["input"], dict) for use in uses)
        wanted = {use["id"] for use in uses}
        assert len(wanted) == len(uses)
        assert not wanted & used, "an id is used once in a conversation"
        used |= wanted
        assert all(NAME.fullmatch(use["id"]) and NAME.fullmatch(use["name"]) for use in uses)
    assert not wanted


def check_gemini(body: Any) -> None:
    """Check contents: as many results as calls, in the next content, by the same names."""
    wanted: list[str] = []
    for content in body["contents"]:
        assert content["parts"]
        results = [p["functionResponse"] for p in content["parts"] if "functionResponse" in p]
        assert [result["name"] for result in results] == wanted
        calls = [p["functionCall"] for p in content["parts"] if "functionCall" in p]
        wanted = [call["name"] for call in calls]
        assert all(isinstance(call["args"], dict) for call in calls)
        assert content["role"] == ("model" if calls else content["role"])
    assert not wanted
    assert body["contents"][0]["role"] == body["contents"][-1]["role"] == "user"


def check_ollama(body: Any) -> None:
    """Check chat: arguments are objects, and each result names its tool."""
    for message in body["messages"]:
        assert isinstance(message["content"], str)
        if message["role"] == "tool":
            assert NAME.fullmatch(message["tool_name"])
        for call in message.get("tool_calls", []):
            assert isinstance(call["function"]["arguments"], dict)


PAYLOAD: Mapping[
    str, tuple[Callable[[Request, AiConfig], Any], Callable[[Any], None], AiConfig]
] = {
    "openai": (openai.payload, check_openai, config("openai")),
    "anthropic": (anthropic.payload, check_anthropic, config("anthropic")),
    "gemini": (gemini.payload, check_gemini, config("gemini")),
    "ollama": (ollama.payload, check_ollama, config("ollama")),
}


def check(request: Request) -> None:
    for payload, rules, options in PAYLOAD.values():
        rules(payload(request, options))


class Erratic:
    """A provider that checks what it is asked, and calls, talks, stalls and breaks at random."""

    name = "erratic"

    def __init__(self, seed: int) -> None:
        self.sizes: list[int] = []
        self.calls = 0
        self._dice = random.Random(seed)  # noqa: S311 - no secret

    async def stream(self, request: Request) -> AsyncGenerator[Event, None]:
        check(request)
        self.sizes.append(of_request(request))
        assert request.turns[-1].role is Role.TOOL or "latest: " in request.turns[-1].text
        for piece in "word " * self._dice.choice([0, 0, 1, 5, 60]):
            yield Piece(piece)
        if not request.last and self._dice.random() < 0.4:
            for _ in range(self._dice.randint(1, 3)):
                self.calls += 1
                arguments = self._dice.choice(['{"n": 3}', '{"n": 900}', "{}", "[", '{"m": 1}'])
                name = self._dice.choice(["look"] * 9 + ["löök up", "x" * 99])
                yield ToolCall(f"c{self.calls % 7}", name, arguments)
            yield Usage(3, 3)
            yield End(Stop.TOOLS)
        else:
            yield End(self._dice.choice([Stop.DONE, Stop.DONE, Stop.LENGTH]))

    async def close(self) -> None:
        pass


async def test_two_thousand_turns_with_tools(
    chatting: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    erratic = Erratic(7)
    monkeypatch.setattr(ai, "make", lambda *_: erratic)
    plugin: Plugin[None] = Plugin("look", "Looks.")

    @plugin.tool()
    async def look(_: Context[None], n: int) -> str:
        """Look at something."""
        return "seen " * n

    dice = random.Random(3)  # noqa: S311 - no secret
    async with chatting(plugin, block={"history": {"window": WINDOW}, "rate": False}) as bot:
        for _ in range(2000):
            words = dice.choice(["hi", "and then? " * 20, "北京在哪里" * 10])
            place = {"chat": "g", "kind": ChatKind.GROUP, "addressed": True}
            sender = dice.choice(["ana", "bea"])
            replies = await bot.say(f"latest: {words}", sender=sender, **place)
            assert replies
            assert not any("went wrong" in reply.text for reply in replies)
        kept = await bot.store.messages.latest("test:g", 100_000, archived=True)
    assert len(kept) > 4000, "what leaves the window is archived"
    assert max(erratic.sizes) <= WINDOW
    assert sorted(erratic.sizes)[len(erratic.sizes) // 2] > WINDOW / 2, "and it is made use of"


odd: st.SearchStrategy[Json] = st.one_of(
    st.none(), st.text(max_size=3), st.just({"text": 5}), st.just({"text": " "})
)
call: st.SearchStrategy[Any] = st.builds(
    lambda number, name, arguments: {"id": number, "name": name, "arguments": arguments},
    st.sampled_from("abc"),
    st.sampled_from(["look", "look", "", "löök up", "x" * 99]),
    st.sampled_from(["{}", "", "[", "null", '"x"', None, 5]),
)
stored: st.SearchStrategy[Sequence[Entry]] = st.lists(
    st.builds(
        Entry,
        st.sampled_from(list(Role)),
        st.one_of(
            odd,
            st.builds(lambda t: {"text": t}, st.sampled_from(["", "yes", "no"])),
            st.builds(
                lambda t, calls: {"text": t, "calls": calls},
                st.sampled_from(["", "I look"]),
                st.lists(call, max_size=3),
            ),
            st.builds(lambda c: {"text": "found", "call": c}, st.sampled_from("abcd")),
        ),
        st.sampled_from(["ana", "ana", None]),
        st.integers(0, 50),
    ),
    max_size=12,
)


@given(stored)
def test_whatever_is_stored_every_provider_takes_the_request(past: Sequence[Entry]) -> None:
    steps = Steps(ToolsConfig(), 5000)
    said = Said([Utterance("and now?", "1")])
    check(made(said, past, [], person="ana", language="en", instructions=[], steps=steps))
