"""The AI plugin's state: answers a message from history and passages."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from logging import Logger
from typing import Any
from urllib.parse import urlsplit

from bot.api import AdapterError, Context, Json, Passage, chat_scope, person_scope
from plugins.ai.answer import Answer
from plugins.ai.budgets import Budgets, Payer, Rate, paying
from plugins.ai.config import AiConfig
from plugins.ai.exchange import Exchange
from plugins.ai.grounding import Grounding
from plugins.ai.history import History, Summaries
from plugins.ai.history.seeding import entries
from plugins.ai.images import images
from plugins.ai.interrupting import until, unwanted
from plugins.ai.memory import Memory, Remembering
from plugins.ai.providers.provider import Image, Provider
from plugins.ai.providers.vision import looks
from plugins.ai.result import Results, TurnResult
from plugins.ai.said import Said
from plugins.ai.steps import Steps
from plugins.ai.tools import Toolbox
from plugins.ai.why import button
from plugins.ai.wording import STOPPED


@dataclass(slots=True)
class Assistant(Remembering):
    """Holds conversations; also what the plugin offers to others.

    ``counts`` holds by name what health reports show.
    """

    config: AiConfig
    provider: Provider
    history: History
    summaries: Summaries
    grounding: Grounding | None
    facts: Memory
    toolbox: Toolbox
    budgets: Budgets
    rate: Rate
    log: Logger
    counts: Counter[str] = field(default_factory=Counter)
    results: Results = field(default_factory=Results)

    @property
    def recipients(self) -> Sequence[str]:
        """Who is sent what people write: the provider's server, where there is one."""
        return [
            f"{access.provider} ({urlsplit(access.address).hostname})"
            for access in (self.config, *self.config.fallback)
            if access.provider != "offline"
        ]

    async def seed(
        self,
        chat: str,
        messages: Sequence[Mapping[str, Json]],
        *,
        person: str | None = None,
        append: bool = False,
    ) -> None:
        """Give a chat a conversation from elsewhere, in the form of chat completions.

        ValueError where a message is wrong, or where the chat has begun already unless ``append``
        is set: then nothing is written.
        """
        made = list(entries(messages, person))
        await self.history.seed(chat, made, anew=not append)

    async def answer(self, context: Context[Any]) -> TurnResult:
        """Answer a message, keep what was said, and return what the answer came from."""
        began = time.monotonic()
        paying.set(Payer.of(context))
        generation = self.history.generation(context.chat)
        said = Said.of(context.message)
        past, window, cut = await self.history.recent(context, said)
        await self.history.ask(context, said)
        passages = await self._passages(context, said)
        recalled = await self.facts.recall(context, said.text)
        tools = await self.toolbox.allowed(context)
        steps = Steps(self.toolbox.options, window, tools)
        exchange = Exchange(self, context, said, past, generation, steps, passages, recalled)
        exchange.images = await self._images(context)
        if self.history.summarizes:
            exchange.summary = await self.summaries.recall(context)
        interrupt = self.config.busy == "interrupt"
        async with context.draft() as draft:
            answer = Answer(draft)
            why = button(context) if self.config.why_button else None
            draft.buttons = () if why is None else (why,)
            try:
                async with until(partial(unwanted, context, interrupt=interrupt)) as ended:
                    await exchange.run(answer)
                if ended.early and answer.shown:
                    await answer.add(context.gettext(STOPPED))
            finally:
                await self.history.answer(
                    context,
                    answer.raw,
                    generation=generation,
                    cut=answer.cut,
                    checkpoint=exchange.checkpoint,
                )
        if self.history.summarizes:
            self.summaries.extend(context, cut=cut)
        if context.keeps:
            self.facts.learn(context, said.own, answer.raw)
        result = exchange.result(answer, time.monotonic() - began)
        if generation == self.history.generation(context.chat):
            self.results.add(result)
        return result

    async def _images(self, context: Context[Any]) -> Sequence[Image]:
        if not any(map(looks, (self.config, *self.config.fallback))):
            return ()
        try:
            return await images(context)
        except (AdapterError, TimeoutError) as error:
            self.log.warning("a picture could not be fetched: %s", error)
            return ()

    async def _passages(self, context: Context[Any], said: Said) -> Sequence[Passage]:
        if self.grounding is None:
            return ()
        audience = [chat_scope(context.chat)]
        if context.person is not None and context.private:
            audience.append(person_scope(context.person.id))
        return await self.grounding.passages(said.text, audience)
