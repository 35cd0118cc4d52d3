"""Counting tokens: by a tokenizer where the extra ``tokens`` is installed, or else about."""

import json
import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
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


ENCODING: Final = "o200k_base"
"""That of OpenAI's models since gpt-4o; others' differ, which `calibrated` sees to."""

LARGEST_FACTOR: Final = 2.0
"""How far above the estimate a provider's count may lie; further off it is no count of it."""


def estimate(text: str) -> int:
    """Return about how many tokens a turn with this text has."""
    return PER_TURN + _counter()(text)


def guess(text: str) -> int:
    """Return a number of tokens by the letters: 0.85 a CJK sign, the rest / 3.6."""
    dense = len(CJK.findall(text))
    return round(dense * PER_CJK + (len(text) - dense) / CHARACTERS_PER_TOKEN)


@cache
def _counter() -> Callable[[str], int]:
    try:
        encoding = import_module("bpe_openai").get_encoding(ENCODING)
    except ModuleNotFoundError:
        return guess
    return lambda text: len(encoding.encode_ordinary(text.encode(errors="replace").decode()))


def calibrated(window: int, counted: int, estimated: int) -> int:
    """Return a window in estimates for one in a provider's tokens.

    ``counted`` is what the provider counted of a request, ``estimated`` the estimate of the same.
    A lower count makes the window no larger: some servers leave out what they had in a cache.
    """
    return int(window / min(LARGEST_FACTOR, max(1.0, counted / max(1, estimated))))


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
