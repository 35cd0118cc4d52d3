"""A chat's conversation as the store keeps it."""

from collections import Counter
from collections.abc import Mapping, Sequence

from bot.api import Context, Entry, Json, Messages, Role
from plugins.ai.tokens import PER_TURN, estimate
from plugins.ai.utterance import Utterance
from plugins.ai.window import begin


class History:
    """Reads and writes one log for each chat, and shows its end within a window of tokens.

    What falls out of the window is archived, not deleted. A turn that began before a reset writes
    nothing after it: it shows the ``generation`` that the chat had when it began.
    """

    def __init__(self, messages: Messages, window: int) -> None:
        self.window = window
        self._messages = messages
        self._resets: Counter[str] = Counter()

    def generation(self, chat: str) -> int:
        """Return how often a chat was reset."""
        return self._resets[chat]

    async def recent(self, chat: str, said: Utterance) -> Sequence[Entry]:
        """Return what was said before ``said`` and fits with it into the window.

        Entries of the same message are left out: it is handled again after an edit or a crash.
        """
        stored = await self._messages.latest(chat, self.window // PER_TURN + 1)
        earlier = [entry for entry in stored if _message(entry.content) != said.message]
        return await self.trim(chat, earlier, self.window - estimate(said.prompt()))

    async def trim(self, chat: str, entries: Sequence[Entry], budget: int) -> Sequence[Entry]:
        """Return the end of ``entries`` that fits into ``budget`` tokens; archive the rest."""
        first = begin(entries, budget)
        if first:
            await self._messages.archive(chat, entries[first - 1].sequence + 1)
        return entries[first:]

    async def ask(self, context: Context[object], said: Utterance) -> None:
        """Keep what a person said."""
        await self._append(context, Role.USER, said.stored(), estimate(said.prompt()))

    async def answer(
        self, context: Context[object], text: str, *, generation: int, cut: str | None = None
    ) -> None:
        """Keep an answer, or the shown part of one with what ``cut`` it; nothing after a reset."""
        if not text.strip() or generation != self.generation(context.chat):
            return
        content: dict[str, Json] = {"text": text, "message": context.message.id}
        if cut is not None:
            content["cut"] = cut
        await self._append(context, Role.ASSISTANT, content, estimate(text))

    async def clear(self, chat: str, person: str | None = None) -> int:
        """Delete a chat's log, or one person's part of it; return how many entries went."""
        self._resets[chat] += 1
        return await self._messages.clear(chat, person=person)

    async def _append(
        self, context: Context[object], role: Role, content: Json, tokens: int
    ) -> None:
        person = context.person
        entry = Entry(role, content, None if person is None else person.id, tokens)
        epoch = None if person is None else person.epoch
        await self._messages.append(context.chat, [entry], epoch=epoch)


def _message(content: Json) -> Json:
    return content.get("message") if isinstance(content, Mapping) else None
