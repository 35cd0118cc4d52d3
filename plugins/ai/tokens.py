"""Counting tokens without a tokenizer."""

import json
import re
from typing import Final

from plugins.ai.providers.provider import Request, ToolSpec, Turn

# Han, kana, hangul and the full-width forms that go with them.
CJK: Final = re.compile(
    "[\u2e80-\u303f\u3040-\u30ff\u3100-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)
PER_CJK: Final = 0.85
CHARACTERS_PER_TOKEN: Final = 3.6
PER_TURN: Final = 4
"""What a provider's framing of one turn costs."""

PER_IMAGE: Final = 1600
"""What a large picture costs at the most (Anthropic's documentation on vision)."""


def estimate(text: str) -> int:
    """Return about how many tokens a turn with this text has: 0.85 a CJK sign, the rest / 3.6."""
    dense = len(CJK.findall(text))
    return PER_TURN + round(dense * PER_CJK + (len(text) - dense) / CHARACTERS_PER_TOKEN)


def of_turn(turn: Turn) -> int:
    """Return about how many tokens a turn has with its calls."""
    calls = sum(estimate(call.name + call.arguments) for call in turn.calls)
    return estimate(turn.text) + calls + PER_IMAGE * len(turn.images)


def of_tool(tool: ToolSpec) -> int:
    """Return about how many tokens it takes to tell a model of a tool."""
    return estimate(tool.name + tool.description + json.dumps(tool.parameters))


def of_request(request: Request) -> int:
    """Return about how many tokens a request has."""
    tools = sum(map(of_tool, request.tools))
    return estimate(request.system) + sum(map(of_turn, request.turns)) + tools
