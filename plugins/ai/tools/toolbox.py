"""The tools of all plugins: which of them an asking person has, and how they run."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from logging import Logger
from typing import Any, Final

from pydantic_core import PydanticSerializationError, to_json

from bot.api import Context, OfferedTool, PluginError, UserError
from plugins.ai.config import ToolsConfig
from plugins.ai.providers.provider import ToolCall, ToolSpec
from plugins.ai.tools.confirming import confirmed
from plugins.ai.tools.signature import BadArguments, Signature

MOST_AT_ONCE: Final = 16
"""How many calls of one step are run; the rest is refused."""

LONGEST_ARGUMENTS: Final = 32_000
"""What a call may bring, in characters."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a call: ``text`` is for the model, ``failed`` says that it is an error."""

    call: ToolCall
    text: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Ready:
    """A tool with its signature."""

    offered: OfferedTool[Any]
    signature: Signature


class Toolbox:
    """Holds every tool but those that are switched off.

    `PluginError` where one cannot be told to a model, and where two have one name.
    """

    def __init__(
        self, offered: Sequence[OfferedTool[Any]], options: ToolsConfig, log: Logger
    ) -> None:
        self.options = options
        self._log = log
        self._tools: dict[str, Ready] = {}
        for tool in offered:
            self._add(tool)
        unknown = sorted(set(options.off) - {tool.tool.name for tool in offered})
        if unknown:
            raise PluginError(f"tools.off names {unknown[0]!r}, but no plugin has such a tool")

    def _add(self, offered: OfferedTool[Any]) -> None:
        name = offered.tool.name
        if name in self.options.off:
            return
        if name in self._tools:
            other = self._tools[name].offered.plugin
            raise PluginError(
                f"plugins {other!r} and {offered.plugin!r} both have a tool {name!r};"
                " switch one of the plugins off, or the tool with `tools.off`"
            )
        try:
            signature = Signature.of(offered.tool.function)
        except PluginError as error:
            raise PluginError(f"tool {name!r} of plugin {offered.plugin!r}: {error}") from error
        self._tools[name] = Ready(offered, signature)

    async def allowed(self, context: Context[Any]) -> Sequence[ToolSpec]:
        """Return the tools that whoever wrote a message may use where they wrote it."""
        return [
            tool.signature.spec for tool in self._tools.values() if await _may_use(tool, context)
        ]

    async def run(
        self, context: Context[Any], calls: Sequence[ToolCall], longest: int
    ) -> Sequence[Outcome]:
        """Run the calls of one step, each result cut to ``longest`` characters.

        Nothing is raised: what goes wrong is the call's outcome.
        """
        asking = asyncio.Lock()
        return await asyncio.gather(
            *(
                self._outcome(context, call, longest, asking if n < MOST_AT_ONCE else None)
                for n, call in enumerate(calls)
            )
        )

    async def _outcome(
        self, context: Context[Any], call: ToolCall, longest: int, asking: asyncio.Lock | None
    ) -> Outcome:
        if asking is None:
            return _failure(call, f"no more than {MOST_AT_ONCE} calls at once; call it again")
        tool = self._tools.get(call.name)
        if tool is None or not await _may_use(tool, context):
            return _failure(call, "there is no such tool")
        if len(call.arguments) > LONGEST_ARGUMENTS:
            told = f"the arguments are longer than {LONGEST_ARGUMENTS} characters"
            return _failure(replace(call, arguments="{}"), told)
        try:
            arguments = tool.signature.read(call.arguments)
        except BadArguments as error:
            return _failure(call, str(error))
        if tool.offered.tool.confirm:
            async with asking:  # one question after the other
                seconds = self.options.confirm_timeout.total_seconds()
                if not await confirmed(context, call.name, arguments, seconds):
                    return _failure(call, "the person did not allow it; do not try again")
        return await self._called(context, tool, call, arguments, longest)

    async def _called(
        self,
        context: Context[Any],
        tool: Ready,
        call: ToolCall,
        arguments: Mapping[str, object],
        longest: int,
    ) -> Outcome:
        limit = tool.offered.tool.timeout or self.options.timeout
        deadline = asyncio.timeout(limit.total_seconds())
        try:
            async with deadline:
                text = _text(await tool.offered.call(context, arguments))
        except UserError as error:
            return _failure(call, context.gettext(str(error)))
        except Exception:  # noqa: BLE001 - what a plugin raises
            if deadline.expired():
                self._log.warning("tool %s took longer than %s", call.name, limit)
                return _failure(call, "it took too long and was given up")
            self._log.exception("tool %s failed", call.name)
            return _failure(call, "it failed; the people who run this bot can see why")
        return Outcome(call, _cut(text, longest))


async def _may_use(tool: Ready, context: Context[Any]) -> bool:
    own = tool.offered.tool
    if own.private and not context.private:
        return False
    if own.chats and context.chat not in own.chats:
        return False
    if own.confirm and context.person is None:
        return False  # nobody could answer the question
    return not own.admins or await context.is_admin()


def _text(result: object) -> str:
    if isinstance(result, str):
        return result
    try:
        return to_json(result).decode()
    except PydanticSerializationError as error:
        message = f"a tool returned a {type(result).__name__}, which JSON cannot carry"
        raise TypeError(message) from error


def _cut(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    return f"{text[:longest]}\n(cut here; {len(text) - longest} more characters)"


def _failure(call: ToolCall, text: str) -> Outcome:
    return Outcome(call, json.dumps({"error": text}, ensure_ascii=False), failed=True)
