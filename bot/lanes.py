"""The order of messages: one lane a chat, in parallel across chats."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from bot.api import Message

Handle = Callable[[Message, "Lane"], Awaitable[None]]


class Lane:
    """The message of a chat that is being handled, and those that wait; a `Following`.

    Most lanes never see a second message, so what holds those is made when one comes.
    """

    __slots__ = ("begun", "came", "current", "next", "redo", "room", "taken", "task")

    def __init__(self, first: Message) -> None:
        self.current: Message | None = first
        self.begun = False
        self.next: deque[Message] | None = None
        self.room: asyncio.Semaphore | None = None
        self.redo: Message | None = None
        self.came: asyncio.Event | None = None
        self.taken: Sequence[Message] = ()
        self.task: asyncio.Task[None]

    async def arrived(self) -> None:
        """Return when another message has come since the last one that waits."""
        if self.came is None or self.came.is_set():
            self.came = asyncio.Event()
        await self.came.wait()

    @property
    def waiting(self) -> Sequence[Message]:
        """The messages that wait, in order."""
        return tuple(self.next or ())

    def take(self, fits: Callable[[Message], bool]) -> Sequence[Message]:
        """Take those of the waiting messages that fit out of the lane, and return them in order."""
        if self.next is None or self.room is None:
            return ()
        taken = [message for message in self.next if fits(message)]
        self.next = deque(message for message in self.next if not fits(message))
        for _ in taken:
            self.room.release()
        self.taken = (*self.taken, *taken)
        return taken

    def append(self, message: Message) -> None:
        """Put a message behind those that wait; there is room for it."""
        if self.next is not None:
            self.next.append(message)
        if self.came is not None:
            self.came.set()

    def put_back(self) -> None:
        """Let the messages that were taken wait again, in front of the others."""
        if self.next is not None:
            self.next.extendleft(reversed(self.taken))
        self.taken = ()

    def advance(self) -> None:
        """Take the next message that waits, None where there is none."""
        self.current, self.taken = None, ()
        if self.next and self.room is not None:
            self.current = self.next.popleft()
            self.room.release()


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
                lane = self._lanes[key] = Lane(message)
                lane.task = asyncio.create_task(self._work(key, lane))
                return
            if lane.room is None or lane.next is None:
                lane.room, lane.next = asyncio.Semaphore(self._room), deque()
            await lane.room.acquire()
            if self._lanes.get(key) is lane:
                lane.append(message)
                return
            # The lane ran empty and went while this waited for room; so do others, wake the next.
            lane.room.release()

    def replace(self, message: Message) -> bool:
        """Put an edited message in the place of the one with its id; False if that is done.

        One that waits is exchanged. One that is being handled, alone or with others, is cancelled
        and handled anew, but only once and never a command, whose effect may be half done.
        """
        lane = self._lanes.get(message.chat.key)
        if lane is None:
            return False
        for place, waiting in enumerate(lane.next or ()):
            if lane.next is not None and waiting.id == message.id:
                lane.next[place] = _instead(waiting, message)
                return True
        current = lane.current
        if current is None or current.id != message.id:
            return self._replace_taken(lane, message)
        edited = _instead(current, message)
        if not lane.begun:
            lane.current = edited
            return True
        if current.edited or current.command:
            return False
        return self._restart(lane, edited)

    async def drain(self, seconds: float | None = None) -> int:
        """Wait until every lane is empty, or cancel what is left; return how many lanes were."""
        try:
            async with asyncio.timeout(seconds):
                while self._lanes:
                    await asyncio.wait([next(iter(self._lanes.values())).task])
        except TimeoutError:
            late = [lane.task for lane in self._lanes.values()]
            for task in late:
                task.cancel()
            await asyncio.wait(late)
            return len(late)
        return 0

    def _replace_taken(self, lane: Lane, message: Message) -> bool:
        current = lane.current
        for place, taken in enumerate(lane.taken):
            if current and taken.id == message.id and not (taken.edited or taken.command):
                edited = _instead(taken, message)
                lane.taken = (*lane.taken[:place], edited, *lane.taken[place + 1 :])
                return self._restart(lane, current)
        return False

    def _restart(self, lane: Lane, message: Message) -> bool:
        if lane.redo is not None:
            return False
        lane.redo = message
        lane.task.cancel()
        return True

    async def _work(self, key: str, lane: Lane) -> None:
        lane.begun = True
        try:
            while lane.current is not None:
                try:
                    await self._handle(lane.current, lane)
                except asyncio.CancelledError:
                    lane.current = self._take_redo(lane)
                    if lane.current is None:
                        raise
                    lane.put_back()
                else:
                    self._take_redo(lane)
                    lane.advance()
        finally:
            del self._lanes[key]

    def _take_redo(self, lane: Lane) -> Message | None:
        edited, lane.redo = lane.redo, None
        if edited is not None and lane.task.uncancel():
            return None
        return edited


def _instead(message: Message, edited: Message) -> Message:
    """Return the edited message as the event that brought the first one."""
    return replace(edited, update=message.update)
