"""What a model did with tools in one turn, before it answers."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from bot.api import Role
from plugins.ai.config import ToolsConfig
from plugins.ai.providers.provider import ToolSpec, Turn
from plugins.ai.tokens import CHARACTERS_PER_TOKEN, of_tool, of_turn
from plugins.ai.tools import Outcome

SAME_FAILURES: Final = 3
"""How often one call may fail before it is no use to go on."""

SHARE: Final = 0.5
"""How much of the window the steps of one turn may fill."""

FINISH: Final = (
    "You cannot call tools any more in this turn. Answer now with what you have, and say what you"
    " could not find out."
)


@dataclass(slots=True)
class Steps:
    """The calls of a turn with their results, and whether there may be more.

    ``window`` is in tokens.
    """

    options: ToolsConfig
    window: int
    tools: Sequence[ToolSpec] = ()
    count: int = 0
    turns: list[Turn] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    failures: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def last(self) -> bool:
        """Whether the model has to answer now."""
        stuck = any(times >= SAME_FAILURES for times in self.failures.values())
        return stuck or self.count >= self.options.steps or self._room <= 0

    def longest(self, calls: int) -> int:
        """Return how many characters the result of each of so many calls may have."""
        return max(
            100, min(self.options.max_result, int(self._room * CHARACTERS_PER_TOKEN) // calls)
        )

    def add(self, text: str, outcomes: Sequence[Outcome]) -> None:
        """Add what a model said with some calls, and what came of them."""
        self.count += 1
        self.outcomes += outcomes
        self.turns.append(Turn(Role.ASSISTANT, text, tuple(o.call for o in outcomes)))
        self.turns += [Turn(Role.TOOL, o.text, call=o.call.id) for o in outcomes]
        for outcome in outcomes:
            if outcome.failed:
                self.failures[outcome.call.name, outcome.call.arguments] += 1

    @property
    def tokens(self) -> int:
        """What all of it takes in a request."""
        return sum(map(of_turn, self.turns)) + sum(map(of_tool, self.tools))

    @property
    def _room(self) -> int:
        return int(self.window * SHARE) - sum(map(of_turn, self.turns))
