"""The order of messages: one lane a chat, in parallel across chats."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from bot.api import Message

Handle = Callable[[Message], Awaitable[None]]


class Lane:
    """The messages of one chat that wait, and the one that is being handled."""

    __slots__ = ("current", "next", "redo", "room", "task")

    def __init__(self, room: int) -> None:
        self.next: deque[Message] = deque()
        self.room = asyncio.Semaphore(room)
        self.current: Message | None = None
        self.redo: Message | None = None
        self.task: asyncio.Task[None] | None = None


class Lanes:
    """Handles the messages of a chat one after the other and those of different chats at once.

    A lane and its task exist only while its chat has messages. ``room`` is how many may wait in
    one; further ones hold back whoever brings them. ``handle`` must not raise.
    """

    def __init__(self, handle: Handle, room: int) -> None:
        self._handle = handle
        self._room = room
        self._lanes: dict[str, Lane] = {}

    def __len__(self) -> int:
        return len(self._lanes)

    async def put(self, message: Message) -> None:
        """Put a message at the end of its chat's lane."""
        key = message.chat.key
        while True:
            lane = self._lanes.get(key)
            if lane is None:
                lane = self._lanes[key] = Lane(self._room)
                lane.task = asyncio.create_task(self._work(key, lane))
            await lane.room.acquire()
            if self._lanes.get(key) is lane:
                lane.next.append(message)
                return
            # The lane ran empty and went while this waited for room; so do others, wake the next.
            lane.room.release()

    def replace(self, message: Message) -> bool:
        """Put an edited message in the place of the one with its id; False if that is done.

        One that waits is exchanged. One that is being handled is cancelled and handled anew, but
        only once and never a command, whose effect may be half done.
        """
        lane = self._lanes.get(message.chat.key)
        if lane is None:
            return False
        for place, waiting in enumerate(lane.next):
            if waiting.id == message.id:
                lane.next[place] = message
                return True
        current = lane.current
        if current is None or current.id != message.id or current.edited or current.command:
            return False
        return self._restart(lane, message)

    async def drain(self, seconds: float | None = None) -> int:
        """Wait until every lane is empty, or cancel what is left; return how many lanes were."""
        tasks = self._tasks()
        while tasks:
            done, late = await asyncio.wait(tasks, timeout=seconds)
            if not done:
                await self._cancel(late)
                return len(late)
            tasks = self._tasks()
        return 0

    def _restart(self, lane: Lane, message: Message) -> bool:
        if lane.redo is not None or lane.task is None:
            return False
        lane.redo = message
        lane.task.cancel()
        return True

    def _tasks(self) -> list[asyncio.Task[None]]:
        return [lane.task for lane in self._lanes.values() if lane.task is not None]

    async def _cancel(self, tasks: set[asyncio.Task[None]]) -> None:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)

    async def _work(self, key: str, lane: Lane) -> None:
        try:
            # The first message is put right after this task was made, before it runs.
            while lane.next:
                await self._step(lane, lane.next.popleft())
        finally:
            del self._lanes[key]

    async def _step(self, lane: Lane, message: Message) -> None:
        lane.room.release()
        lane.current = message
        try:
            await self._handle(message)
        except asyncio.CancelledError:
            edited = self._take_redo(lane)
            if edited is None:
                raise
            lane.current = edited
            await self._handle(edited)
        finally:
            self._take_redo(lane)
            lane.current = None

    def _take_redo(self, lane: Lane) -> Message | None:
        edited, lane.redo = lane.redo, None
        if edited is not None and lane.task is not None and lane.task.uncancel():
            return None
        return edited
