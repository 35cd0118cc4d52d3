"""Functions that a plugin offers to a model, which may call them in a conversation."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Generic, TypeVar

from bot.api.context import Context

State = TypeVar("State")


@dataclass(frozen=True)
class Tool(Generic[State]):
    """A function that a model may call, and for whom.

    ``function`` gets the context of the message that is answered, and the arguments by name: its
    annotations are their types, its docstring says what it is for. It returns text, or any value
    that JSON can hold; a `UserError` is told to the model. ``private`` keeps it to private chats,
    ``admins`` to those who govern the chat, ``chats`` to some chats by key. With ``confirm`` the
    person is asked before each call. ``timeout`` is its deadline; None means the configured one.
    """

    function: Callable[..., Awaitable[object]]
    name: str
    private: bool = False
    admins: bool = False
    chats: Collection[str] = ()
    confirm: bool = False
    timeout: timedelta | None = None


@dataclass(frozen=True)
class OfferedTool(Generic[State]):
    """A tool of a running plugin; ``state`` returns that plugin's, once all are set up."""

    plugin: str
    tool: Tool[State]
    state: Callable[[], State]

    async def call(self, context: Context[Any], arguments: Mapping[str, object]) -> object:
        """Run the tool with the rights of whoever wrote the context's message."""
        return await self.tool.function(context.of(self.plugin, self.state()), **arguments)
