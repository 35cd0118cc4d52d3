import asyncio
import gc
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from bot.api import Account, Chat, Command, Message
from bot.lanes import Lane, Lanes

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def message(chat: str, number: int, text: str = "") -> Message:
    return Message(str(number), Chat("test", chat), Account("test", "ana"), text, NOW)


@given(st.lists(st.sampled_from("abc"), max_size=60), st.integers(1, 4))
def test_each_chat_keeps_its_order_whatever_the_others_do(chats: list[str], room: int) -> None:
    handled: list[tuple[str, int]] = []

    async def handle(item: Message, _: Lane) -> None:
        await asyncio.sleep(0 if item.chat.id == "a" else 0.0001 * (int(item.id) % 3))
        handled.append((item.chat.id, int(item.id)))

    async def scenario() -> None:
        lanes = Lanes(handle, room)
        for number, chat in enumerate(chats):
            await lanes.put(message(chat, number))
        assert await lanes.drain() == 0
        assert len(lanes) == 0

    asyncio.run(scenario())
    assert sorted(handled, key=lambda pair: pair[1]) == [(c, n) for n, c in enumerate(chats)]
    for chat in "abc":
        mine = [number for name, number in handled if name == chat]
        assert mine == sorted(mine)


async def test_a_slow_chat_does_not_hold_another() -> None:
    release = asyncio.Event()
    handled: list[str] = []

    async def handle(item: Message, _: Lane) -> None:
        if item.chat.id == "slow":
            await release.wait()
        handled.append(item.chat.id)

    lanes = Lanes(handle, 10)
    await lanes.put(message("slow", 1))
    await lanes.put(message("quick", 2))
    await asyncio.sleep(0.01)
    assert handled == ["quick"]
    release.set()
    await lanes.drain()
    assert handled == ["quick", "slow"]


async def test_a_full_lane_holds_back_and_loses_nothing() -> None:
    release = asyncio.Event()
    handled: list[int] = []

    async def handle(item: Message, _: Lane) -> None:
        await release.wait()
        handled.append(int(item.id))

    lanes = Lanes(handle, 2)

    async def bring() -> None:
        for number in range(10):
            await lanes.put(message("a", number))

    bringing = asyncio.create_task(bring())
    await asyncio.sleep(0.01)
    assert not bringing.done()
    release.set()
    await bringing
    await lanes.drain()
    assert handled == list(range(10))


async def test_many_bringers_of_one_full_lane_lose_nothing() -> None:
    handled: list[int] = []

    async def handle(item: Message, _: Lane) -> None:
        handled.append(int(item.id))

    lanes = Lanes(handle, 1)
    await asyncio.gather(*(lanes.put(message("a", number)) for number in range(50)))
    await lanes.drain()
    assert sorted(handled) == list(range(50))


def texts(messages: Sequence[Message]) -> list[str]:
    return [item.text for item in messages]


async def test_a_handler_takes_what_follows() -> None:
    handled: list[str] = []

    def is_yes(item: Message) -> bool:
        return item.text == "yes"

    async def handle(item: Message, lane: Lane) -> None:
        handled.append(item.text)
        if item.text == "first":
            assert lane.waiting == ()
            waits = [asyncio.create_task(lane.arrived()) for _ in range(2)]
            await asyncio.wait(waits)
            await lane.arrived()
            assert texts(lane.waiting) == ["yes", "next"]
            assert texts(lane.take(is_yes)) == ["yes"]
            assert not lane.take(is_yes)
            assert texts(lane.taken) == ["yes"]

    lanes = Lanes(handle, 2)
    for number, text in enumerate(["first", "yes", "next", "last"]):
        await lanes.put(message("a", number, text))
        await asyncio.sleep(0.01)
    await lanes.drain()
    assert handled == ["first", "next", "last"]


async def test_what_was_taken_waits_again_when_the_message_is_handled_anew() -> None:
    handled: list[str] = []
    hang = asyncio.Event()

    async def handle(item: Message, lane: Lane) -> None:
        handled.append(item.text)
        if item.text == "first":
            while len(lane.waiting) < 2:
                await lane.arrived()
            lane.take(lambda m: m.text == "b")
            await hang.wait()

    lanes = Lanes(handle, 5)
    for number, text in enumerate(["first", "a", "b"]):
        await lanes.put(message("x", number, text))
        await asyncio.sleep(0.01)
    assert lanes.replace(replace(message("x", 0, "anew"), edited=True))
    await lanes.drain()
    assert handled == ["first", "anew", "b", "a"]


async def test_an_idle_chat_keeps_nothing() -> None:
    async def handle(item: Message, _: Lane) -> None:
        pass

    lanes = Lanes(handle, 5)
    for number in range(200):
        await lanes.put(message(f"chat {number}", number))
    await lanes.drain()
    gc.collect()
    assert len(lanes) == 0
    assert len(asyncio.all_tasks()) == 1


async def test_draining_cancels_what_does_not_end_in_time() -> None:
    ended: list[str] = []

    async def handle(item: Message, _: Lane) -> None:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(item.id)

    lanes = Lanes(handle, 5)
    await lanes.put(message("a", 1))
    await lanes.put(message("b", 2))
    await asyncio.sleep(0)
    assert await lanes.drain(0.01) == 2
    assert sorted(ended) == ["1", "2"]
    assert len(lanes) == 0


class Answering:
    """Notes what begins and what ends; answers wait for `release`."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.ended: list[str] = []
        self.release = asyncio.Event()
        self.lanes = Lanes(self.handle, 10)

    async def handle(self, item: Message, _: Lane) -> None:
        self.begun.append(item.text)
        await self.release.wait()
        self.ended.append(item.text)


async def test_an_edit_of_what_is_being_answered_has_it_answered_anew_once() -> None:
    answering = Answering()
    first = message("a", 1, "wrong")
    await answering.lanes.put(first)
    await answering.lanes.put(message("a", 2, "next"))
    await asyncio.sleep(0)
    assert answering.lanes.replace(replace(first, text="right", edited=True))
    await asyncio.sleep(0.01)
    assert not answering.lanes.replace(replace(first, text="again", edited=True))
    answering.release.set()
    await answering.lanes.drain()
    assert answering.begun == ["wrong", "right", "next"]
    assert answering.ended == ["right", "next"]


async def test_an_edit_of_what_waits_takes_its_place() -> None:
    answering = Answering()
    await answering.lanes.put(message("a", 1, "one"))
    waiting = message("a", 2, "wrong")
    await answering.lanes.put(waiting)
    await answering.lanes.put(message("a", 3, "three"))
    assert answering.lanes.replace(replace(waiting, text="right", edited=True))
    answering.release.set()
    await answering.lanes.drain()
    assert answering.ended == ["one", "right", "three"]


async def test_an_edit_of_what_is_done_or_was_never_seen_changes_nothing() -> None:
    answering = Answering()
    answering.release.set()
    done = message("a", 1, "done")
    await answering.lanes.put(done)
    await answering.lanes.drain()
    assert not answering.lanes.replace(replace(done, text="edit", edited=True))
    assert not answering.lanes.replace(message("b", 9, "unseen"))
    assert answering.ended == ["done"]


async def test_a_command_is_never_begun_twice() -> None:
    answering = Answering()
    command = replace(message("a", 1, "/erase"), command=Command("erase"))
    await answering.lanes.put(command)
    await asyncio.sleep(0)
    assert not answering.lanes.replace(replace(command, edited=True))
    answering.release.set()
    await answering.lanes.drain()
    assert answering.begun == ["/erase"]


async def test_an_edit_while_everything_is_cancelled_does_not_begin_anew() -> None:
    answering = Answering()
    first = message("a", 1, "wrong")
    await answering.lanes.put(first)
    await asyncio.sleep(0)
    assert answering.lanes.replace(replace(first, text="right", edited=True))
    assert await answering.lanes.drain(0) == 1
    assert answering.ended == []
