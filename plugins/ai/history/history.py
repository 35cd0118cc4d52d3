"""A chat's conversation as it is kept."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from bot.api import Account, Context, Entry, Json, Messages, Role, Store
from plugins.ai.history.own import OwnLog
from plugins.ai.providers.provider import Turn
from plugins.ai.said import Said
from plugins.ai.tokens import PER_TURN, calibrated, estimate, of_turn
from plugins.ai.window import begin

if TYPE_CHECKING:
    from plugins.ai.tools import Outcome


AFTER_A_CUT: Final = 0.75
"""How much of the window is left after a cut that is going to be summarized."""


class Checkpoint(NamedTuple):
    """A request's tokens, as its provider counted them and as they were estimated."""

    counted: int
    estimated: int


class Recent(NamedTuple):
    """What a turn sees of a chat: the entries, and the window in estimated tokens.

    ``cut`` says that something fell out of the window now.
    """

    entries: Sequence[Entry]
    window: int
    cut: bool


class History:
    """Reads and writes one log for each chat, and shows its end within a window of tokens.

    What falls out of the window is archived, not deleted. A turn that began before a reset writes
    nothing after it: it shows the ``generation`` that the chat had when it began. ``own`` is
    what keeps the entries in the store's place, where something does. Where it ``summarizes``, more
    falls out at a time, so that summaries are few.
    """

    def __init__(
        self, store: Store, window: int, own: OwnLog | None = None, *, summarizes: bool = False
    ) -> None:
        self.window = window
        self.summarizes = summarizes
        self.own = own
        self._store = store
        self._resets: Counter[str] = Counter()

    def generation(self, chat: str) -> int:
        """Return how often a chat was reset."""
        return self._resets[chat]

    async def recent(self, context: Context[object], said: Said) -> Recent:
        """Return what was said before ``said`` and fits with it into the window.

        Entries of the same messages are left out: it is handled again after an edit or a crash. The
        window is in estimated tokens, as the provider's count of the last answer has it.
        """
        stored = await self._log(context).latest(context.chat, self.window // PER_TURN + 1)
        earlier = [entry for entry in stored if _message(entry.content) not in said.messages]
        window = _calibrated(self.window, earlier)
        past = await self.trim(context, earlier, window - estimate(said.prompt()))
        return Recent(past, window, cut=len(past) < len(earlier))

    async def trim(
        self, context: Context[object], entries: Sequence[Entry], budget: int
    ) -> Sequence[Entry]:
        """Return the end of ``entries`` that fits into ``budget`` tokens; archive the rest."""
        first = begin(entries, budget)
        if first and self.summarizes:
            first = begin(entries, int(budget * AFTER_A_CUT))
        if first:
            await self._log(context).archive(context.chat, entries[first - 1].sequence + 1)
        return entries[first:]

    async def archived(self, context: Context[object], most: int) -> Sequence[Entry]:
        """Return the latest entries that fell out of the window, oldest first."""
        latest = await self._log(context).latest(context.chat, most, archived=True)
        return [entry for entry in latest if entry.archived]

    async def ask(self, context: Context[object], said: Said) -> None:
        """Keep what a person said."""
        entries = [
            self._entry(context, Role.USER, part.stored(), estimate(part.prompt()))
            for part in said.parts
        ]
        await self._write(context, entries)

    async def answer(
        self,
        context: Context[object],
        text: str,
        *,
        generation: int,
        cut: str | None = None,
        checkpoint: Checkpoint | None = None,
    ) -> None:
        """Keep an answer, or the shown part of one with what ``cut`` it; nothing after a reset."""
        if not text.strip() or generation != self.generation(context.chat):
            return
        content: dict[str, Json] = {"text": text, "message": context.message.id}
        if cut is not None:
            content["cut"] = cut
        if checkpoint is not None:
            content["checkpoint"] = list(checkpoint)
        await self._write(context, [self._entry(context, Role.ASSISTANT, content, estimate(text))])

    async def step(
        self,
        context: Context[object],
        text: str,
        outcomes: "Sequence[Outcome]",
        *,
        generation: int,
    ) -> None:
        """Keep what the model said with some calls, and their results; nothing after a reset."""
        if generation != self.generation(context.chat):
            return
        message = context.message.id
        calls: list[Json] = [asdict(outcome.call) for outcome in outcomes]
        said: dict[str, Json] = {"text": text, "calls": calls, "message": message}
        asked = Turn(Role.ASSISTANT, text, tuple(outcome.call for outcome in outcomes))
        entries = [self._entry(context, Role.ASSISTANT, said, of_turn(asked))]
        for outcome in outcomes:
            content: Json = {"text": outcome.text, "call": outcome.call.id, "message": message}
            entries.append(self._entry(context, Role.TOOL, content, estimate(outcome.text)))
        await self._write(context, entries)

    async def clear(self, context: Context[object], person: str | None = None) -> int:
        """Delete a chat's log, or one person's part of it; return how many entries went."""
        self._resets[context.chat] += 1
        return await self._log(context).clear(context.chat, person=person)

    async def seed(self, chat: str, entries: Sequence[Entry], *, anew: bool = True) -> None:
        """Put a conversation at a chat's end; ValueError where ``anew`` and it has begun.

        Whoever's turns these are is known to the store from then on, so that they can erase them.
        """
        log = self.own or self._store.messages
        if anew and await log.latest(chat, 1, archived=True):
            raise ValueError(f"the chat {chat} has a conversation already")
        known = {
            person: None if person is None else await self._known(person)
            for person in {entry.person for entry in entries}
        }
        await log.append(chat, [replace(e, person=known[e.person]) for e in entries])

    async def _known(self, person: str) -> str:
        if await self._store.people.get(person) is None:
            platform, _, account = person.partition(":")
            return (await self._store.people.resolve(Account(platform, account))).id
        return person

    async def export(self, account: str) -> Json:
        """Return what is kept of an account outside of the store."""
        return [] if self.own is None else await self.own.export(account)

    async def erase(self, account: str) -> int:
        """Delete what is kept of an account outside of the store; return how many entries went."""
        return 0 if self.own is None else await self.own.erase(account)

    def _log(self, context: Context[object]) -> Messages:
        return self.own if self.own is not None and context.keeps else self._store.messages

    def _entry(self, context: Context[object], role: Role, content: Json, tokens: int) -> Entry:
        return Entry(role, content, context.sender, tokens)

    async def _write(self, context: Context[object], entries: Sequence[Entry]) -> None:
        epoch = None if context.person is None else context.person.epoch
        await self._log(context).append(context.chat, entries, epoch=epoch)


def _calibrated(window: int, entries: Sequence[Entry]) -> int:
    """Return the window in estimated tokens, by the latest checkpoint that there is."""
    for entry in reversed(entries):
        match entry.content:
            case {"checkpoint": [int(counted), int(estimated)]}:
                return calibrated(window, counted, estimated)
            case _:
                pass
    return window


def _message(content: Json) -> Json:
    return content.get("message") if isinstance(content, Mapping) else None
