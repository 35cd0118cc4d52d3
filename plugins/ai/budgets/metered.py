"""A provider whose calls are booked."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final

from plugins.ai.budgets.account import Amount
from plugins.ai.budgets.budgets import Budgets
from plugins.ai.config import AiConfig
from plugins.ai.providers.provider import Event, Piece, Provider, Replaced, Request, ToolCall, Usage
from plugins.ai.tokens import estimate, of_request

UNLIMITED: Final = 1000
"""What an answer is taken to have at the most where it has no limit, in tokens."""


@dataclass(slots=True)
class Call:
    """What a call took so far; the provider's count counts more than an estimate."""

    prompt: int
    model: str | None
    text: str = ""
    usage: Usage | None = None
    begun: bool = False

    def take(self, event: Event, models: Mapping[str, str | None]) -> None:
        """Take an event into account."""
        match event:
            case Usage():
                self.usage = event
            case Replaced(name):
                self.model = models.get(name)
            case Piece(text):
                self.text += text
            case ToolCall():
                self.text += event.arguments
            case _:
                pass
        self.begun = True

    @property
    def used(self) -> Usage:
        """The tokens."""
        return self.usage or Usage(self.prompt, estimate(self.text))


class Metered:
    """Asks a provider, on the account of whoever is `paying`.

    A call that fails before anything of an answer came costs nothing.
    """

    def __init__(self, provider: Provider, config: AiConfig, budgets: Budgets) -> None:
        self.name = provider.name
        self._provider = provider
        self._config = config
        self._budgets = budgets
        accesses = (config, *config.fallback)
        self._models = {access.label: access.model for access in accesses}

    async def close(self) -> None:
        """Close the provider."""
        await self._provider.close()

    async def stream(self, request: Request) -> AsyncGenerator[Event, None]:
        """Yield the answer as it comes; `UserError` where there is no budget for it."""
        call = Call(of_request(request), self._config.model)
        most = Usage(call.prompt, self._config.max_tokens or UNLIMITED)
        reservation = await self._budgets.reserve(self._amount(call.model, most))
        try:
            async with aclosing(self._provider.stream(request)) as events:
                async for event in events:
                    call.take(event, self._models)
                    yield event
        finally:
            used = self._amount(call.model, call.used) if call.begun else Amount()
            requests = reservation.amount.requests if call.begun else 0
            await self._budgets.settle(reservation, Amount(requests, used.tokens, used.money))

    def _amount(self, model: str | None, usage: Usage) -> Amount:
        if model is None:
            return Amount(1)  # the offline provider reads no tokens
        return Amount(1, usage.prompt + usage.answer, self._budgets.price(model, usage))
