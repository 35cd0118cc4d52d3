"""One exchange: a request, its answer, and what is said when something is wrong with it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from logging import ERROR, WARNING
from typing import TYPE_CHECKING, Any, Final

from bot.api import Context, Entry, Passage, Role, UserError
from plugins.ai.answer import Answer
from plugins.ai.citations import Citations, marks, sources
from plugins.ai.history import Checkpoint
from plugins.ai.history.summaries import Summary
from plugins.ai.links import Links
from plugins.ai.memory import Recalled
from plugins.ai.prompt import request
from plugins.ai.providers.provider import Fault, Image, ProviderError, Request, Stop
from plugins.ai.result import TurnResult
from plugins.ai.said import Said
from plugins.ai.screen import Screen
from plugins.ai.steps import Steps
from plugins.ai.strict import answer_strictly
from plugins.ai.tokens import of_request
from plugins.ai.utterance import Utterance
from plugins.ai.wording import BROKEN_OFF, CUT, EMPTY, FAILED, REPLACED, UNKNOWN

if TYPE_CHECKING:
    from plugins.ai.assistant import Assistant

FOR_THE_OPERATOR: Final = {Fault.DENIED, Fault.QUOTA, Fault.REFUSED}


@dataclass(slots=True)
class Exchange:
    """What a message is answered from."""

    assistant: "Assistant"
    context: Context[Any]
    said: Said
    past: Sequence[Entry]
    generation: int
    steps: Steps
    passages: Sequence[Passage] = ()
    recalled: Recalled = field(default_factory=Recalled)
    images: Sequence[Image] = ()
    summary: Summary = field(default_factory=Summary)
    checkpoint: Checkpoint | None = None
    citations: Citations = field(init=False)
    cited: set[int] = field(default_factory=set)
    links: Links = field(init=False)

    def __post_init__(self) -> None:
        trusted = [self.said.prompt(), self.assistant.config.system]
        trusted += [passage.text for passage in self.passages]
        trusted += [text for entry in self.past if (text := _text(entry, Role.USER))]
        self.links = Links(trusted, self.assistant.config.links.allow)

    async def run(self, answer: Answer) -> None:
        """Get an answer and show it with what belongs under it."""
        try:
            await self._answer(answer)
        except ProviderError as error:
            if not answer.draft.text.strip():
                self._log(error)
                raise UserError(FAILED[error.fault]) from error
            answer.broken = error
        if answer.broken is not None:
            self._log(answer.broken)
        await self._close(answer)

    def result(self, answer: Answer, seconds: float) -> TurnResult:
        """Return what an answer came from."""
        person = self.context.person
        sent = answer.draft.sent
        return TurnResult(
            self.context.chat,
            self.context.message.id,
            None if person is None else person.id,
            None if person is None else person.epoch,
            self.assistant.provider.name,
            ids=() if sent is None else tuple(sent.ids),
            passages=self.passages,
            cited=frozenset(self.cited),
            facts=self.recalled.facts,
            tools=self.steps.outcomes,
            fallback=answer.replaced,
            usage=answer.usage,
            seconds=seconds,
        )

    async def _answer(self, answer: Answer) -> None:
        """Ask until there is an answer; an empty one is asked for once more."""
        if self._strict:
            await answer_strictly(self, answer)
            return
        empty = False
        while True:
            await self._ask(answer)
            ended = answer.stop in {Stop.DONE, Stop.TOOLS} and answer.broken is None
            if ended and answer.calls and not self.steps.last:
                await self._use_tools(answer)
            elif ended and not answer.shown and not empty:
                empty = True
            else:
                return

    async def _ask(self, answer: Answer) -> None:
        while True:
            screen = self.screen()
            request = self._request()
            try:
                await answer.take(self.assistant.provider.stream(request), screen)
            except ProviderError as error:
                if error.fault is not Fault.TOO_LONG or not self.past:
                    raise
                await self._shorten()
            else:
                self._count(request, answer)
                return
            finally:
                self.cited |= self.citations.cited
                self.assistant.counts["links withheld"] += screen.withheld
                self.assistant.counts["unknown citations"] += self.citations.unknown

    def _count(self, request: Request, answer: Answer) -> None:
        """Set a checkpoint, where the provider that is asked counts, and counts no pictures."""
        if answer.latest is not None and answer.replaced is None and not self.images:
            self.checkpoint = Checkpoint(answer.latest.prompt, of_request(request))

    @property
    def _strict(self) -> bool:
        """Whether only what stands on passages may be said; without a model nothing else is."""
        config = self.assistant.config
        return config.rag is not None and config.rag.strict and config.provider != "offline"

    async def _use_tools(self, answer: Answer) -> None:
        toolbox, calls = self.assistant.toolbox, answer.calls
        outcomes = await toolbox.run(self.context, calls, self.steps.longest(len(calls)))
        self.steps.add(answer.raw, outcomes)
        text, answer.raw = answer.raw, ""
        await self.assistant.history.step(self.context, text, outcomes, generation=self.generation)

    async def _shorten(self) -> None:
        budget = sum(entry.tokens for entry in self.past) // 2
        self.past = await self.assistant.history.trim(self.context, self.past, budget)
        self.assistant.log.warning("the model found the history too long; sending half of it")

    async def _close(self, answer: Answer) -> None:
        if answer.stop is Stop.UNKNOWN:
            answer.raw = self.context.gettext(UNKNOWN)
            await answer.add(answer.raw)
        for line in self._lines(answer):
            await answer.add(line)

    def _lines(self, answer: Answer) -> list[str]:
        say = self.context.gettext
        lines = [] if answer.replaced is None else [say(REPLACED)]
        if answer.stop is Stop.UNKNOWN:
            return lines
        if answer.broken is not None:
            lines.append(say(BROKEN_OFF))
        elif answer.stop is not None and answer.stop in CUT:
            lines.append(say(CUT[answer.stop]))
        elif not answer.shown:
            lines.append(say(EMPTY))
        rag = self.assistant.config.rag
        if answer.shown and rag is not None and rag.append_sources:
            named = sources(self.passages, self.cited, say)
            lines += [] if named is None else [named]
        return lines

    def screen(self) -> Screen:
        """Return what an answer passes on its way to the reader."""
        earlier = (marks(text) for entry in self.past if (text := _text(entry, Role.ASSISTANT)))
        self.citations = Citations(
            len(self.passages), written=marks(self.said.text), citing=any(earlier)
        )
        return Screen(self.citations, self.links)

    def _request(self) -> Request:
        return request(
            self.said,
            self.past,
            self.passages,
            person=self.context.sender,
            language=self.context.language,
            instructions=(
                self.assistant.config.system,
                self.recalled.section,
                self.summary.section,
            ),
            steps=self.steps,
            images=self.images,
        )

    def _log(self, error: ProviderError) -> None:
        level = ERROR if error.fault in FOR_THE_OPERATOR else WARNING
        name = self.assistant.provider.name
        self.assistant.log.log(level, "provider %s failed (%s): %s", name, error.fault, error)


def _text(entry: Entry, role: Role) -> str:
    said = Utterance.read(entry.content) if entry.role is role else None
    return "" if said is None else said.text
