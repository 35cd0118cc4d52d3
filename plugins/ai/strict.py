"""An answer that stands on passages of the documents, or none."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.api import Json, Role, grounded
from plugins.ai.answer import Answer
from plugins.ai.languages import english_name
from plugins.ai.prompt import with_question
from plugins.ai.providers.provider import (
    End,
    Event,
    Fault,
    Piece,
    ProviderError,
    Request,
    Stop,
    Turn,
)
from plugins.ai.providers.whole import whole
from plugins.ai.repair import turns
from plugins.ai.tokens import estimate
from plugins.ai.window import begin

if TYPE_CHECKING:
    from plugins.ai.exchange import Exchange

LANGUAGE = "Answer in {language}, whatever language the passages are in."


async def answer_strictly(exchange: "Exchange", answer: Answer) -> None:
    """Show what the model says where it stands on the passages, and that there is none elsewhere.

    Nothing is shown before the whole of it was checked.
    """
    config, past = exchange.assistant.config, exchange.past
    language = LANGUAGE.format(language=english_name(exchange.context.language))

    async def complete(instructions: str, asked: str, schema: Mapping[str, Json]) -> str:
        system = "\n\n".join(filter(None, [instructions, language, config.system]))
        room = exchange.steps.window - estimate(system) - estimate(asked)
        said = with_question(turns(past[begin(past, room) :], None), Turn(Role.USER, asked))
        request = Request(system, said, schema=schema)
        try:
            return await _whole(exchange, answer, request)
        except ProviderError as error:
            if error.fault is not Fault.REFUSED:
                raise
        return await _whole(exchange, answer, replace(request, schema=None))  # it knows none

    found = await grounded(exchange.said.text, exchange.passages, complete)
    text = ""
    if found is not None:
        marks = "".join(f"[{number}]" for number in found.citations)
        text = f"{found.answer} {marks}"
    screen = exchange.screen()
    await answer.take(_events(text), screen)
    exchange.cited |= exchange.citations.cited
    exchange.assistant.counts["links withheld"] += screen.withheld


async def _whole(exchange: "Exchange", answer: Answer, request: Request) -> str:
    found = await whole(exchange.assistant.provider, request)
    if found.usage is not None:
        answer.usage = found.usage if answer.usage is None else answer.usage + found.usage
    answer.replaced = found.replaced or answer.replaced
    return found.text


async def _events(text: str) -> AsyncGenerator[Event, None]:
    if text:
        yield Piece(text)
    yield End(Stop.DONE if text else Stop.UNKNOWN)
