"""What an answer came from, shown to whom it concerns."""

from typing import Any

import pytest

from bot.api import BUTTON_BYTES, ChatKind, Passage, Quote
from plugins.ai.result import CHATS, PER_CHAT, Results, TurnResult

ANA = "test:ana"
GROUP: dict[str, Any] = {"chat": "g", "kind": ChatKind.GROUP, "addressed": True}
REMEMBERING = {"memory": {"inject_in_groups": "all"}}
PASSAGES = (
    Passage("Parcels take two days.", "faq.md › Shipping", 2.0, 0.9),
    Passage("Returns are free.", "faq.md › Returns", 1.0, 0.5),
)
USAGE = {"choices": [], "usage": {"prompt_tokens": 12, "completion_tokens": 3}}
LOST = "I don't know any more what that answer came from."


def result(chat: str = "test:c", message: str = "1", person: str = ANA) -> TurnResult:
    return TurnResult(chat, message, person, 0, "m")


async def test_everything_behind_an_answer_is_shown(
    chatting: Any, library: Any, server: Any, answered: Any, sse: Any
) -> None:
    library.passages = PASSAGES
    server.script = [answered([sse("Two days [1].", USAGE)])]
    async with chatting(model=True, block=REMEMBERING) as bot:
        await bot.say("/remember I live in Lugo")
        await bot.say("how long do parcels take?")
        (reply,) = await bot.say("/why")
        shipping, returns = "[1] faq.md › Shipping", "[2] faq.md › Returns (not cited)"
        assert f"{shipping}\n> Parcels take two days.\n{returns}\n> Returns" in reply.text
        assert "took into account:\n1. I live in Lugo" in reply.text
        assert "Model: openai (m)\nTokens: 12 read, 3 written\nTime: " in reply.text
        (forget,) = reply.buttons
        assert forget.label == "Forget 1"
        await bot.say(f"/{forget.command}")
        assert await bot.runtime.offers.ai.memory(ANA) == []
        (after,) = await bot.say("/why")
        assert "Lugo" not in after.text
        assert not after.buttons


async def test_an_older_answer_is_found_by_replying_to_it(chatting: Any, library: Any) -> None:
    async with chatting() as bot:
        library.passages = PASSAGES[:1]
        await bot.say("how long do parcels take?")
        library.passages = PASSAGES[1:]
        await bot.say("are returns free?")
        (by_answer,) = await bot.say("/why", reply_to=Quote("sent-1", own=True))
        (by_question,) = await bot.say("/why", reply_to=Quote("1"))
        (latest,) = await bot.say("/why")
    assert "Shipping" in by_answer.text
    assert "Shipping" in by_question.text
    assert "Returns" in latest.text


async def test_the_button_asks_about_its_own_answer(chatting: Any, library: Any) -> None:
    library.passages = PASSAGES[:1]
    async with chatting(block={"why_button": True}) as bot:
        (answer,) = await bot.say("how long do parcels take?")
        (button,) = answer.buttons
        library.passages = PASSAGES[1:]
        await bot.say("are returns free?")
        (reply,) = await bot.say(f"/{button.command}")
        assert "Shipping" in reply.text
        (long,) = await bot.say("how long?", message_id="9" * BUTTON_BYTES)
        assert not long.buttons


@pytest.mark.parametrize("asker", ["ana", "ben"])
async def test_a_group_sees_passages_but_nobodys_facts(
    chatting: Any, library: Any, server: Any, answered: Any, sse: Any, asker: str
) -> None:
    library.passages = PASSAGES
    server.script = [answered([sse("Two days [1].")])]
    async with chatting(model=True, block=REMEMBERING) as bot:
        await bot.say("/remember I live in Lugo")
        await bot.say("how long do parcels take?", **GROUP)
        assert "Lugo" in server.asked[-1].body["messages"][0]["content"]
        (reply,) = await bot.say("/why", sender=asker, reply_to=Quote("2", own=True), **GROUP)
    assert "Shipping" in reply.text
    assert "Lugo" not in reply.text
    assert not reply.buttons
    assert ("/memory in private shows it" in reply.text) == (asker == "ana")


async def test_another_persons_latest_answer_is_not_mine(chatting: Any, library: Any) -> None:
    library.passages = PASSAGES
    async with chatting() as bot:
        await bot.say("how long do parcels take?", **GROUP)
        (reply,) = await bot.say("/why", sender="ben", **GROUP)
    assert reply.text.startswith(LOST)


async def test_no_answer_from_another_chat_is_shown(chatting: Any, library: Any) -> None:
    library.passages = PASSAGES
    async with chatting() as bot:
        await bot.say("how long do parcels take?")
        (reply,) = await bot.say("/why 1", sender="ben")
    assert reply.text.startswith(LOST)


@pytest.mark.parametrize("ending", ["/reset", "erase"])
async def test_what_was_cleared_or_erased_is_not_shown(
    chatting: Any, library: Any, ending: str
) -> None:
    library.passages = PASSAGES
    async with chatting() as bot:
        await bot.say("how long do parcels take?")
        if ending == "erase":
            await bot.store.erase(ANA)
        else:
            await bot.say(ending)
        (reply,) = await bot.say("/why 1")
    assert reply.text.startswith(LOST)


async def test_a_model_that_stood_in_is_named(
    chatting: Any, server: Any, answered: Any, sse: Any
) -> None:
    server.script = [answered([b"{}"], status="503 No"), answered([sse("Hello.")])]
    other = {"provider": "openai", "base_url": server.url, "model": "other", "api_key": "sk"}
    async with chatting(model=True, block={"fallback": [other]}) as bot:
        await bot.say("hi")
        (reply,) = await bot.say("/why")
    assert "No passage of a document went into this answer." in reply.text
    assert "Model: openai (other)\nIt stood in for openai (m)." in reply.text


async def test_a_turn_returns_what_it_came_from(chatting: Any, library: Any) -> None:
    library.passages = PASSAGES
    async with chatting() as bot:
        await bot.say("how long do parcels take?")
        found = bot.runtime.offers.ai.results.last(ANA, ANA)
    assert tuple(found.passages) == PASSAGES
    assert found.ids == ("sent-1",)
    assert found.facts == ()


def test_only_the_latest_answers_are_kept() -> None:
    results = Results()
    for number in range(PER_CHAT + 1):
        results.add(result(message=str(number)))
    assert results.find("test:c", "0") is None
    assert results.find("test:c", str(PER_CHAT)) is not None
    for number in range(CHATS):
        results.add(result(chat=f"test:{number}"))
    assert results.last("test:c", ANA) is None


def test_one_persons_answers_are_forgotten_and_others_stay() -> None:
    results = Results()
    results.add(result())
    results.add(result(message="2", person="test:ben"))
    results.forget("test:c", ANA)
    assert results.last("test:c", ANA) is None
    assert results.last("test:c", "test:ben") is not None
    results.forget("test:c")
    assert results.last("test:c", "test:ben") is None
