"""What is used is booked on who asks, and nobody gets beyond their budget."""

import asyncio
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.api import GLOBAL, ChatKind, UserError, chat_scope, person_scope
from bot.cli import command
from plugins.ai.budgets.account import Account, Amount
from plugins.ai.budgets.options import Limits, RateConfig
from plugins.ai.budgets.rate import Rate
from plugins.ai.config import AiConfig

GROUP = {"chat": "g", "kind": ChatKind.GROUP, "addressed": True}
PRICES = {"m": {"prompt": 1.0, "answer": 10.0}}


def usage(prompt: int, answer: int) -> dict[str, Any]:
    return {"choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": answer}}


async def month(bot: Any, scope: str) -> Amount:
    documents = await bot.store.documents.scan("ai.usage", scope=scope)
    assert len(documents) <= 1
    return sum((Account.read(document.value).month for document in documents), Amount())


async def test_a_turn_is_booked_on_all_who_pay(
    chatting: Any, server: Any, answered: Any, sse: Any
) -> None:
    server.script = [answered([sse("Fine.", usage(100, 20))])]
    async with chatting(model=True, block={"prices": PRICES}) as bot:
        await bot.say("hi", sender="ana")
        await bot.say("hi", sender="ana", **GROUP)
        await bot.say("hi", sender="bea", **GROUP)
        await bot.say("hi", sender="bea", anonymous=True, **GROUP)
        one = Amount(1, 120, 300)
        assert await month(bot, person_scope("test:ana")) == one + one
        assert await month(bot, person_scope("test:bea")) == one
        assert await month(bot, chat_scope("test:g")) == one + one + one
        assert await month(bot, GLOBAL) == one + one + one + one
        assert not await bot.store.documents.scan("ai.usage", scope=chat_scope("test:ana"))
        everything = await bot.store.documents.scan("ai.usage")
        assert {d.scope: d.origin for d in everything if not d.scope.startswith("person")} == {
            chat_scope("test:g"): None,
            GLOBAL: None,
        }, "these tell nothing of whose message it was"
        await bot.say("/privacy erase", sender="ana")


@pytest.mark.parametrize(
    ("who", "told"),
    [("person", "answer you for now"), ("chat", "in this chat"), ("installation", "anybody")],
)
async def test_a_spent_budget_is_told_with_its_end(
    chatting: Any, server: Any, answered: Any, sse: Any, who: str, told: str
) -> None:
    server.script = [answered([sse("Fine.", usage(100, 20))])]
    block = {"budgets": {who: {"requests": {"day": 2}}}}
    async with chatting(model=True, block=block) as bot:
        replies = [(await bot.say("hi", **GROUP))[0].text for _ in range(4)]
        assert replies[:2] == ["Fine."] * 2
        assert all(told in reply and "UTC" in reply for reply in replies[2:])
        assert len(server.asked) == 2
        assert (await month(bot, GLOBAL)).requests == 2, "what was refused is not booked"
        told_of = (await bot.say("/usage", **GROUP))[0].text
        assert (
            "Messages: 2 of 2 today" in told_of if who == "chat" else "Messages: 2 today" in told_of
        )


async def test_another_person_has_their_own(
    chatting: Any, server: Any, answered: Any, sse: Any
) -> None:
    server.script = [answered([sse("Fine.", usage(100, 20))])]
    async with chatting(model=True, block={"budgets": {"person": {"requests": {"day": 1}}}}) as bot:
        assert (await bot.say("hi", sender="ana"))[0].text == "Fine."
        assert "UTC" in (await bot.say("hi", sender="ana"))[0].text
        assert "UTC" in (await bot.say("hi", sender="ana", **GROUP))[0].text
        assert (await bot.say("hi", sender="bea"))[0].text == "Fine."
        shown = (await bot.say("/usage", sender="ana"))[0].text
        assert "Messages: 1 of 1 today, 1 this month" in shown
        assert "Tokens: 120 today, 120 this month" in shown
        assert "Costs" not in shown


async def test_the_offline_provider_reads_no_tokens(chatting: Any) -> None:
    async with chatting() as bot:
        await bot.say("hi")
        assert await month(bot, GLOBAL) == Amount(1)


async def test_many_at_once_do_not_overspend(
    chatting: Any, server: Any, answered: Any, sse: Any
) -> None:
    server.script = [answered([sse("Fine.", usage(100, 20))], wait=0.05)]
    block = {"budgets": {"installation": {"requests": {"day": 3}}}}
    async with chatting(model=True, block=block) as bot:
        said = (bot.say("hi", sender=f"p{n}", chat=f"p{n}") for n in range(10))
        await asyncio.gather(*said)
        assert len(server.asked) == 3
        assert await month(bot, GLOBAL) == Amount(3, 360, 0)


async def test_what_gave_nothing_costs_nothing(chatting: Any, server: Any, answered: Any) -> None:
    server.script = [answered([b"{}"], status="500 Internal Server Error")]
    async with chatting(
        model=True, block={"budgets": {"person": {"tokens": {"day": 9000}}}}
    ) as bot:
        await bot.say("hi")
        assert await month(bot, person_scope("test:ana")) == Amount()
        assert await month(bot, GLOBAL) == Amount()


async def test_an_answer_that_is_cut_is_booked_by_estimate(
    chatting: Any, server: Any, answered: Any, sse: Any
) -> None:
    server.script = [answered([sse("word " * 72, stop=None, done=False)], end="cut")]
    async with chatting(model=True) as bot:
        await bot.say("hi", sender="ana")
        booked = await month(bot, person_scope("test:ana"))
        assert booked.requests == 1
        assert booked.tokens > 100


async def test_erasure_takes_the_account_and_a_late_booking_does_not_bring_it_back(
    chatting: Any, server: Any, answered: Any, sse: Any
) -> None:
    held = asyncio.Event()
    server.script = [answered([sse("Fine.", usage(100, 20))], before=held)]
    async with chatting(model=True) as bot:
        turn = asyncio.create_task(bot.say("hi", sender="ana"))
        while not server.asked:
            await asyncio.sleep(0.01)
        await bot.store.erase("test:ana")
        held.set()
        await turn
        assert await bot.store.documents.scan("ai.usage", scope=person_scope("test:ana")) == []
        assert await month(bot, GLOBAL) == Amount(1, 120, 0)


async def test_the_installation_counts_who_is_not_to_be_kept_too(
    chatting: Any, server: Any, answered: Any, sse: Any
) -> None:
    server.script = [answered([sse("Fine.", usage(100, 20))])]
    async with chatting(model=True) as bot:
        await bot.say("hi", sender="ana")
        await bot.store.people.pause("test:ana", paused=True)
        await bot.say("hi", sender="ana")
        assert (await month(bot, person_scope("test:ana"))).requests == 1
        assert (await month(bot, GLOBAL)).requests == 2


def test_a_budget_of_money_needs_prices() -> None:
    block = {
        "provider": "openai",
        "api_key": "k",
        "model": "m",
        "budgets": {"person": {"money": {"day": 1}}},
        "fallback": [{"provider": "ollama", "model": "l"}],
    }
    with pytest.raises(ValueError, match="price of the model m"):
        AiConfig.model_validate(block)
    with pytest.raises(ValueError, match="price of the model l"):
        AiConfig.model_validate(block | {"prices": PRICES})
    AiConfig.model_validate(block | {"prices": {**PRICES, "l": {"prompt": 0, "answer": 0}}})


days = st.dates(datetime(2026, 1, 1).date(), datetime(2028, 12, 31).date())  # noqa: DTZ001


@given(days, st.sampled_from(["day", "month"]), st.sampled_from(["requests", "tokens", "money"]))
def test_there_is_room_again_at_the_next_midnight(day: Any, period: str, kind: str) -> None:
    when = datetime(day.year, day.month, day.day, 23, 59, tzinfo=UTC)
    amount = Amount(2, 2, 2_000_000)
    limits = Limits.model_validate({kind: {period: 1}})
    account = Account({}).plus(when, amount)
    until = account.over(limits, when)
    assert until is not None
    assert until > when
    assert (until.hour, until.minute) == (0, 0)
    assert until.day == 1 if period == "month" else (until - when).total_seconds() == 60
    assert Account.read(json.loads(json.dumps(account.value))) == account
    assert account.over(Limits.model_validate({kind: {period: 2}}), when) is None


@pytest.mark.parametrize("value", [None, 5, "x", [], {"01": 5}, {"01": [1, 2]}, {"01": ["a"] * 3}])
def test_what_is_stored_wrong_blocks_nothing(value: Any) -> None:
    assert Account.read(value).month == Amount()


def test_a_flood_is_told_once_and_then_passed_over() -> None:
    now = iter_of([0.0, 1.0, 2.0, 3.0, 4.0, 60.0, 60.5])
    rate = Rate(RateConfig.model_validate({"messages": 2, "per": "1m"}), lambda: next(now))
    assert rate.admits("ana")
    assert rate.admits("ana")
    with pytest.raises(UserError) as told:
        rate.admits("ana")
    assert told.value.values == {"seconds": 58}
    assert not rate.admits("ana")
    assert rate.admits("bea")
    assert rate.admits("ana")
    with pytest.raises(UserError):
        rate.admits("ana")


def iter_of(numbers: list[float]) -> Iterator[float]:
    return iter(numbers)


async def test_a_flood_reaches_no_model(
    chatting: Any, server: Any, answered: Any, sse: Any
) -> None:
    server.script = [answered([sse("Fine.")])]
    async with chatting(model=True, block={"rate": {"messages": 2, "per": "10m"}}) as bot:
        replies = [await bot.say("hi", sender="ana") for _ in range(5)]
        assert [len(reply) for reply in replies] == [1, 1, 1, 0, 0]
        assert "too fast" in replies[2][0].text
        assert len(server.asked) == 2
        assert (await bot.say("hi", sender="bea"))[0].text == "Fine."


def test_the_operator_sees_what_was_used(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot.yaml").write_text("plugins: {ai: {}}\n")
    assert command(["ai", "usage"]) == 0
    assert "total" in capsys.readouterr().out
    assert command(["ai", "usage", "--json", "--month", "2026-01"]) == 0
    assert json.loads(capsys.readouterr().out) == {"month": "2026-01", "days": {}, "payers": {}}
    assert command(["ai", "usage", "--month", "May"]) != 0
    assert "give a month like" in capsys.readouterr().err
