import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.api import (
    AdapterError,
    Chat,
    Draft,
    Features,
    RateLimited,
    Reply,
    Sent,
    Unavailable,
)
from bot.testing import RememberingAdapter

CHAT = Chat("test", "ana")


async def written(adapter: RememberingAdapter, pieces: Sequence[str], pause: float = 0) -> str:
    async with Draft(adapter, CHAT, reply_to="1") as draft:
        for piece in pieces:
            await draft.append(piece)
            await asyncio.sleep(pause)
    return draft.text


async def test_a_draft_grows_and_ends_whole() -> None:
    adapter = RememberingAdapter()
    await written(adapter, ["It ", "takes ", "3 days."], pause=0.01)
    assert [reply.text for reply in adapter.shown.values()] == ["It takes 3 days."]
    assert [reply.partial for reply in adapter.history][-1] is False
    assert len(adapter.history) > 2


@pytest.mark.parametrize("pieces", [[], [""], ["\n\n"], [" ", "\n", ""]])
async def test_nothing_is_sent_where_there_is_nothing_to_see(pieces: list[str]) -> None:
    adapter = RememberingAdapter()
    await written(adapter, pieces, pause=0.001)
    assert adapter.history == []


async def test_blank_first_pieces_wait_for_something_to_see() -> None:
    adapter = RememberingAdapter()
    await written(adapter, ["", "\n\n", "word"], pause=0.005)
    assert all(reply.text.strip() for reply in adapter.history)
    assert adapter.history[-1].text == "\n\nword"


async def test_pieces_that_come_faster_than_the_pace_are_shown_together() -> None:
    adapter = RememberingAdapter(features=Features(edit_interval=30))
    await asyncio.wait_for(written(adapter, list("many small pieces"), pause=0.001), 5)
    assert len(adapter.history) == 2
    assert adapter.history[-1].text == "many small pieces"


async def test_without_edits_only_the_whole_is_sent() -> None:
    adapter = RememberingAdapter(features=Features(edits=False))
    await written(adapter, ["a", "b"], pause=0.005)
    assert [(reply.text, reply.partial) for reply in adapter.history] == [("ab", False)]


@dataclass
class Failing:
    """Fails as it is told to, one error a call."""

    errors: list[AdapterError | None] = field(default_factory=list)

    def __call__(self, reply: Reply) -> None:
        error = self.errors.pop(0) if self.errors else None
        if error is not None:
            raise error


@given(st.lists(st.sampled_from(["ok", "limit", "down"]), max_size=6))
def test_the_whole_text_arrives_once_whatever_fails_on_the_way(outcomes: list[str]) -> None:
    made = {"ok": None, "limit": RateLimited("slow down", 0), "down": Unavailable("down")}
    adapter = RememberingAdapter(before_send=Failing([made[o] for o in outcomes]))
    adapter.before_send = Failing([made[o] for o in outcomes])

    async def scenario() -> None:
        async with Draft(adapter, CHAT) as draft:
            for piece in ("one ", "two ", "three"):
                await draft.append(piece)
                await asyncio.sleep(0.001)
            adapter.before_send = lambda _: None

    asyncio.run(scenario())
    assert [reply.text for reply in adapter.shown.values()] == ["one two three"]


async def test_a_limit_at_the_end_is_waited_for() -> None:
    adapter = RememberingAdapter(features=Features(edits=False))
    adapter.before_send = Failing([RateLimited("slow down", 0.001), RateLimited("again", 0.001)])
    await written(adapter, ["whole"])
    assert [reply.text for reply in adapter.history] == ["whole"]


async def test_a_failure_at_the_end_is_told() -> None:
    adapter = RememberingAdapter(features=Features(edits=False))
    adapter.before_send = Failing([Unavailable("down")])
    with pytest.raises(Unavailable):
        await written(adapter, ["whole"])


async def test_what_was_shown_is_completed_when_the_writer_fails() -> None:
    adapter = RememberingAdapter()
    with pytest.raises(RuntimeError):
        async with Draft(adapter, CHAT) as draft:
            await draft.append("half")
            raise RuntimeError("the model went away")
    assert [(reply.text, reply.partial) for reply in adapter.shown.values()] == [("half", False)]


class SlowAdapter(RememberingAdapter):
    async def send(self, chat: Chat, reply: Reply) -> Sent:
        await asyncio.sleep(0.02)
        return await super().send(chat, reply)

    async def edit(self, sent: Sent, reply: Reply) -> Sent:
        await asyncio.sleep(0.02)
        return replace(await super().edit(sent, reply))


async def test_a_send_under_way_at_the_end_is_not_repeated() -> None:
    adapter = SlowAdapter()
    await written(adapter, ["a", "b"], pause=0.001)
    assert [reply.text for reply in adapter.shown.values()] == ["ab"]


async def test_a_cancelled_writer_leaves_one_complete_message() -> None:
    adapter = SlowAdapter()
    writing = asyncio.create_task(written(adapter, ["a"] * 100, pause=0.005))
    await asyncio.sleep(0.06)
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    assert [reply.partial for reply in adapter.shown.values()] == [False]
