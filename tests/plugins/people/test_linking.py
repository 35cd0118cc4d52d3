"""Accounts become one person when both say so, and not otherwise."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.api import ChatKind, Entry, Reply, Role, person_scope
from bot.testing import Bot, RememberingAdapter, talking_to
from plugins.people import plugin
from plugins.people.codes import TRIES

ANA, BOB, EVE = "test:ana", "test:bob", "test:eve"


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def bot(clock: Clock) -> AsyncIterator[Bot]:
    async with talking_to(plugin, clock=clock) as bot:
        for name in ("ana", "bob", "eve"):
            person = await bot.store.people.resolve(bot.message("hi", sender=name).sender)
            await bot.store.documents.put(person_scope(person.id), "notes", name, name)
            await bot.store.messages.append("test:c", [Entry(Role.USER, name, person.id)])
        yield bot


async def code_of(bot: Bot, sender: str = "ana") -> str:
    [reply] = await bot.say("/link", sender=sender)
    return reply.text.split("`/link ")[1].split("`")[0]


def pressed(reply: Reply, label: str) -> str:
    return "/" + next(button.command for button in reply.buttons if button.label == label)


async def offered(bot: Bot) -> tuple[Reply, Reply]:
    """Return what ana and bob are asked once bob has sent ana's code."""
    to_ana, to_bob = await bot.say(f"/link {await code_of(bot)}", sender="bob")
    assert bot.adapter.chats[f"sent-{len(bot.adapter.shown) - 1}"] == "test:ana"
    return to_ana, to_bob


async def people(bot: Bot) -> list[str]:
    return [person.id for person in await bot.store.people.all()]


YES = "Yes, both are mine"


async def test_two_accounts_are_joined_once_both_said_yes(bot: Bot) -> None:
    to_ana, to_bob = await offered(bot)
    for asked in (to_ana, to_bob):
        assert "Test (ana): " in asked.text
        assert "Test (bob)" in asked.text
    [waiting] = await bot.say(pressed(to_bob, YES), sender="bob")
    assert "other account" in waiting.text
    assert await people(bot) == [ANA, BOB, EVE]
    done = await bot.say(pressed(to_ana, YES), sender="ana")
    assert [reply.text for reply in done] == [done[0].text] * 2
    assert await people(bot) == [ANA, EVE]
    assert (await bot.store.kept(ANA))["accounts"] == 2
    assert (await bot.store.kept(ANA))["messages"] == 2


async def test_one_side_alone_joins_nothing_however_often(bot: Bot) -> None:
    _, to_bob = await offered(bot)
    for _ in range(3):
        await bot.say(pressed(to_bob, YES), sender="bob")
    assert await people(bot) == [ANA, BOB, EVE]


async def test_a_third_person_can_neither_agree_nor_decline(bot: Bot) -> None:
    to_ana, to_bob = await offered(bot)
    await bot.say(pressed(to_bob, YES), sender="bob")
    for label in (YES, "No"):
        [refused] = await bot.say(pressed(to_ana, label), sender="eve")
        assert "not for you" in refused.text
    assert await people(bot) == [ANA, BOB, EVE]
    await bot.say(pressed(to_ana, YES), sender="ana")
    assert await people(bot) == [ANA, EVE]


@pytest.mark.parametrize("who", ["ana", "bob"])
async def test_a_no_ends_it_for_both(bot: Bot, who: str) -> None:
    to_ana, to_bob = await offered(bot)
    told = await bot.say(pressed(to_ana, "No"), sender=who)
    assert [reply.text for reply in told] == ["Nothing was joined."] * 2
    for asked, sender in ((to_ana, "ana"), (to_bob, "bob")):
        [over] = await bot.say(pressed(asked, YES), sender=sender)
        assert "answered already" in over.text
    assert await people(bot) == [ANA, BOB, EVE]


async def test_a_code_is_good_for_one_time_and_ten_minutes(bot: Bot, clock: Clock) -> None:
    code = await code_of(bot)
    await bot.say(f"/link {code}", sender="bob")
    [used] = await bot.say(f"/link {code}", sender="eve")
    assert "used up" in used.text
    code = await code_of(bot)
    clock.now += timedelta(minutes=10)
    [old] = await bot.say(f"/link {code}", sender="bob")
    assert "used up" in old.text


async def test_an_answer_that_comes_too_late_joins_nothing(bot: Bot, clock: Clock) -> None:
    to_ana, to_bob = await offered(bot)
    await bot.say(pressed(to_bob, YES), sender="bob")
    clock.now += timedelta(minutes=10)
    [late] = await bot.say(pressed(to_ana, YES), sender="ana")
    assert "older" in late.text
    assert await people(bot) == [ANA, BOB, EVE]


async def test_five_wrong_tries_end_a_code(bot: Bot) -> None:
    code = await code_of(bot)
    wrong = code[:-1] + ("A" if code[-1] != "A" else "B")
    for _ in range(TRIES - 1):
        await bot.say(f"/link {wrong}", sender="eve")
    await bot.say(f"/link {code[:4]}", sender="eve")
    [void] = await bot.say(f"/link {code}", sender="bob")
    assert "wrong" in void.text
    assert await people(bot) == [ANA, BOB, EVE]


async def test_four_wrong_tries_do_not(bot: Bot) -> None:
    code = await code_of(bot)
    wrong = code[:-1] + ("A" if code[-1] != "A" else "B")
    for _ in range(TRIES - 1):
        await bot.say(f"/link {wrong}", sender="eve")
    assert len(await bot.say(f"/link {code.lower()}", sender="bob")) == 2


async def test_a_code_is_nowhere_but_with_its_owner(bot: Bot) -> None:
    code = await code_of(bot)
    found = await bot.store.export(ANA)
    assert code not in str(found)
    assert code.replace("-", "") not in str(found)


async def test_ones_own_code_joins_nothing(bot: Bot) -> None:
    [refused] = await bot.say(f"/link {await code_of(bot)}", sender="ana")
    assert "already" in refused.text


@pytest.mark.parametrize("command", ["/link", "/link ABCD", "/unlink", "/unlink yes"])
async def test_in_a_group_it_is_refused_with_the_reason(bot: Bot, command: str) -> None:
    [refused] = await bot.say(command, kind=ChatKind.GROUP, chat="g", addressed=True)
    assert "private chat" in refused.text
    [nobody] = await bot.say(command, anonymous=True)
    assert "anonymously" in nobody.text


async def test_who_was_erased_meanwhile_is_not_joined(bot: Bot) -> None:
    to_ana, to_bob = await offered(bot)
    await bot.say(pressed(to_ana, YES), sender="ana")
    await bot.store.erase(BOB)
    [refused] = await bot.say(pressed(to_bob, YES), sender="bob")
    assert "meanwhile" in refused.text
    assert ANA in await people(bot)
    assert (await bot.store.kept(ANA))["accounts"] == 1


async def test_an_owner_who_cannot_be_told_joins_nothing(clock: Clock) -> None:
    from bot.api import Forbidden  # noqa: PLC0415 - this test alone

    class Deaf(RememberingAdapter):
        async def send(self, chat: Any, reply: Reply) -> Any:
            if chat.id == "ana" and "would be" in reply.text:
                raise Forbidden("blocked")
            return await super().send(chat, reply)

    async with talking_to(plugin, clock=clock, adapter=Deaf()) as bot:
        await bot.say("/link", sender="bob")
        [refused] = await bot.say(f"/link {await code_of(bot)}", sender="bob")
        assert "can't reach" in refused.text


async def test_an_account_is_taken_out_with_what_came_from_it(bot: Bot) -> None:
    to_ana, to_bob = await offered(bot)
    await bot.say(pressed(to_bob, YES), sender="bob")
    await bot.say(pressed(to_ana, YES), sender="ana")
    [asked] = await bot.say("/unlink", sender="bob")
    assert "Test (bob) would be on its own" in asked.text
    assert await people(bot) == [ANA, EVE]
    await bot.say(pressed(asked, "Take it out"), sender="bob")
    assert await people(bot) == [ANA, BOB, EVE]
    notes = await bot.store.documents.scan("notes", scope=person_scope(BOB))
    assert [note.value for note in notes] == ["bob"]
    [alone] = await bot.say("/unlink", sender="bob")
    assert "only account" in alone.text


async def test_names_are_no_identity(bot: Bot) -> None:
    await bot.say("/link", sender="mallory", name="ana")
    assert "test:mallory" in await people(bot)
    assert (await bot.store.kept(ANA))["accounts"] == 1
