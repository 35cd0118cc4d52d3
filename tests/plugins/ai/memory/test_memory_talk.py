"""/memory, /remember and /forget over real dispatch and store."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.api import Account, ChatKind, Quote, Reply
from bot.testing import Bot
from plugins.ai.memory.intake import Work
from plugins.ai.memory.parsing import Candidate

ANA = "test:ana"
GROUP: dict[str, Any] = {"chat": "g", "kind": ChatKind.GROUP, "addressed": True}
EVE = Account("test", "eve", "Eve")


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


async def only(bot: Bot, text: str, **options: Any) -> Reply:
    (reply,) = await bot.say(text, **options)
    return reply


def commands(reply: Reply) -> dict[str, str]:
    return {button.label: f"/{button.command}" for button in reply.buttons}


async def propose(bot: Bot, text: str) -> None:
    """Let a candidate wait for Ana's word."""
    memory = bot.runtime.offers.ai.facts
    await memory._intake.propose(Work(ANA, 0, 0), Candidate(text), "required")


async def test_what_is_to_be_remembered_is_confirmed_once_it_is_there(chatting: Any) -> None:
    async with chatting(block={"memory": True}) as bot:
        seen = []
        bot.adapter.before_send = lambda reply: seen.append(
            (
                reply.text,
                len(bot.store.documents._rows.documents.get(("person:test:ana", "ai.memory"), ())),
            )
        )
        reply = await only(bot, "/remember I like tea")
        assert reply.text == "I'll remember that: I like tea"
        assert seen == [(reply.text, 1)]
        assert "knew that already" in (await only(bot, "/remember i LIKE tea!")).text
        assert await bot.runtime.offers.ai.memory(ANA) == ["I like tea"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("/remember", "Tell me what to remember"),
        ("/remember …", "Tell me what to remember"),
        ("/remember " + "x" * 301, "300 characters"),
        ("/remember my PIN is 1234", "a password"),
        ("/remember 4111 1111 1111 1111", "a password"),
        ("/forget", "Tell me what to forget"),
        ("/forget tea", "nothing like that"),
        ("/memory explode", "/memory auto"),
        ("/memory forget", "press the button"),
        ("/memory forget 0123456789abcdef", "no such fact"),
        ("/memory approve 0123456789abcdef", "no such fact"),
        ("/memory edit 0123456789abcdef x", "no such fact"),
    ],
)
async def test_what_cannot_be_done_is_told_and_changes_nothing(
    chatting: Any, text: str, told: str
) -> None:
    async with chatting(block={"memory": True}) as bot:
        assert told in (await only(bot, text)).text
        assert await bot.store.documents.scan("ai.memory") == []


@pytest.mark.parametrize("text", ["/memory", "/remember I like tea", "/forget tea", "/memory off"])
async def test_all_of_it_is_private(chatting: Any, text: str) -> None:
    async with chatting(block={"memory": True}) as bot:
        await bot.runtime.offers.ai.remember(ANA, ["Has a cat"])
        reply = await only(bot, text, **GROUP)
        assert "in a private chat" in reply.text
        assert "cat" not in reply.text
        assert reply.buttons == ()
        assert "anonymously" in (await only(bot, text, anonymous=True)).text
        assert await bot.runtime.offers.ai.memory(ANA) == ["Has a cat"]


async def test_without_memory_nothing_is_promised(chatting: Any) -> None:
    async with chatting() as bot:
        assert "turned off" in (await only(bot, "/remember I like tea")).text
        await bot.runtime.offers.ai.remember(ANA, ["Has a cat"])
        assert "1. Has a cat" in (await only(bot, "/memory")).text
        assert "forgotten" in (await only(bot, "/forget has a cat")).text


async def test_the_words_of_others_are_kept_as_theirs(chatting: Any) -> None:
    own, eve = Account("test", "ana"), Account("test", "eve", 'Eve\n"x')
    async with chatting(block={"memory": True}) as bot:
        for quote, kept in (
            (Quote("1", "I am vegan", eve), 'Eve "x said: I am vegan'),
            (Quote("1", "I am\nvegan", own), "I am vegan"),
            (Quote("1", "Tea is good", None), "Somebody said: Tea is good"),
            (Quote("1", "Tea is bad", own=True), "The bot said: Tea is bad"),
        ):
            reply = await only(bot, "/remember", reply_to=quote)
            assert reply.text.endswith(f": {kept}")
        quote = Quote("1", "my PIN is 1234", eve)
        assert "a password" in (await only(bot, "/remember", reply_to=quote)).text
        assert "said: x" in (await only(bot, "/remember x", forwarded="Eve")).text
        assert len(await bot.runtime.offers.ai.memory(ANA)) == 5


async def test_the_list_has_a_button_for_everything(chatting: Any) -> None:
    clock = Clock()
    async with chatting(block={"memory": {"ttl": "10d"}}, clock=clock) as bot:
        assert "nothing about you" in (await only(bot, "/memory")).text
        await bot.say("/remember I like tea")
        reply = await only(bot, "/memory")
        assert reply.text.startswith(
            "I know 1 thing about you:\n\n1. I like tea (until 2026-03-11)"
        )
        named = commands(reply)
        assert list(named) == ["Forget 1", "Keep 1 for ever", "Change 1"]
        assert "for ever" in (await only(bot, named["Keep 1 for ever"])).text
        clock.now += timedelta(days=100)
        reply = await only(bot, "/memory")
        assert "1. I like tea (kept for ever)" in reply.text
        assert "until 2026-06-19" in (await only(bot, commands(reply)["Let 1 expire"])).text
        how = await only(bot, named["Change 1"])
        command = how.text.splitlines()[-1].strip("`")
        assert "I'll remember that: I love tea" in (await only(bot, f"{command} I love tea")).text
        assert await bot.runtime.offers.ai.memory(ANA) == ["I love tea"]
        (forget,) = [c for c in commands(await only(bot, "/memory")).values() if " forget " in c]
        assert "forgotten" in (await only(bot, forget)).text
        assert "no such fact" in (await only(bot, forget)).text
        assert await bot.store.documents.scan("ai.memory") == []


async def test_the_buttons_are_the_persons_own(chatting: Any) -> None:
    async with chatting(block={"memory": True}) as bot:
        await bot.say("/remember I like tea")
        named = commands(await only(bot, "/memory"))
        for command in named.values():
            assert "no such fact" in (await only(bot, command, sender="bo")).text
        assert await bot.runtime.offers.ai.memory(ANA) == ["I like tea"]


async def test_what_waits_is_approved_or_rejected(chatting: Any) -> None:
    async with chatting(block={"memory": True}) as bot:
        await bot.say("/remember I like tea")
        await propose(bot, "Has a cat")
        await propose(bot, "Has a dog")
        reply = await only(bot, "/memory")
        assert "2 of them wait for your word" in reply.text
        assert "1. Has a cat (waiting)" in reply.text
        named = commands(reply)
        assert "Has a cat" in (await only(bot, named["Remember 1"])).text
        assert "nor propose it again" in (await only(bot, named["Don't remember 2"])).text
        assert "approved already" in (await only(bot, named["Remember 1"])).text
        assert "rejected already" in (await only(bot, named["Remember 2"])).text
        assert await bot.runtime.offers.ai.memory(ANA) == ["I like tea", "Has a cat"]


async def test_a_long_list_has_pages(chatting: Any) -> None:
    async with chatting(block={"memory": True}) as bot:
        texts = [f"Knows {number}" for number in range(12)]
        await bot.runtime.offers.ai.remember(ANA, texts)
        seen: list[str] = []
        reply = await only(bot, "/memory")
        while True:
            assert len(reply.buttons) <= 25
            seen += [line.partition(". ")[2] for line in reply.text.splitlines() if "Knows" in line]
            if "More" not in commands(reply):
                break
            reply = await only(bot, commands(reply)["More"])
        assert seen == texts
        assert "Back" in commands(reply)
        assert (await only(bot, "/memory page 99")).text == reply.text


@pytest.mark.parametrize(
    ("command", "told", "kept"),
    [("auto", "I note facts", "auto"), ("ask", "I propose", "required"), ("off", "nothing", "off")],
)
async def test_a_person_has_a_policy_of_their_own(
    chatting: Any, command: str, told: str, kept: str
) -> None:
    block = {"memory": {"auto_extract": True}}
    async with chatting(model=True, block=block) as bot:
        assert told in (await only(bot, f"/memory {command}")).text
        assert told in (await only(bot, "/memory")).text
        assert (await bot.runtime.offers.ai.facts.policies.wish(ANA)).review == kept
        assert (await bot.runtime.offers.ai.facts.policies.wish("test:bo")).review is None


async def test_forgetting_offers_what_is_alike(chatting: Any) -> None:
    async with chatting(block={"memory": True}) as bot:
        await bot.runtime.offers.ai.remember(ANA, ["I like green tea", "Has a cat"])
        reply = await only(bot, "/forget tea")
        assert "1. I like green tea" in reply.text
        assert "cat" not in reply.text
        assert "forgotten" in (await only(bot, commands(reply)["Forget 1"])).text
        assert "forgotten" in (await only(bot, "/forget HAS A CAT")).text
        assert await bot.runtime.offers.ai.memory(ANA) == []
