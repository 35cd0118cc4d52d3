"""From a plugin's function to a JSON Schema, and why one cannot be offered."""

from collections.abc import Callable
from datetime import date
from typing import Any, Literal

import pytest
from jsonschema import Draft202012Validator

from bot.api import Context, Plugin, PluginError
from bot.testing import talking_to
from plugins.ai import plugin as ai
from plugins.ai.tools.signature import BadArguments, Signature


async def book(
    _: Context[None],
    day: date,
    rooms: list[Literal["single", "double"]],
    *,
    note: str | None = None,
    wishes: dict[str, int] | None = None,
) -> str:
    """Book rooms.

    Only for guests.

    :param day: The first night.
    :param note: For the house.
    """
    return f"{day} {rooms} {note} {wishes}"


def test_types_and_docstring_become_a_schema() -> None:
    spec = Signature.of(book).spec
    Draft202012Validator.check_schema(spec.parameters)
    assert spec.name == "book"
    assert spec.description == "Book rooms.\n\nOnly for guests."
    properties: Any = spec.parameters["properties"]
    assert properties["day"] == {
        "type": "string",
        "format": "date",
        "description": "The first night.",
    }
    assert properties["rooms"]["items"]["enum"] == ["single", "double"]
    assert spec.parameters["required"] == ["day", "rooms"]


def test_arguments_get_their_types() -> None:
    given = '{"day": "2026-05-01", "rooms": ["single"], "note": "late"}'
    assert Signature.of(book).read(given) == {
        "day": date(2026, 5, 1),
        "rooms": ["single"],
        "note": "late",
        "wishes": None,
    }
    with pytest.raises(BadArguments, match=r"rooms\.0: Input should be 'single' or 'double'"):
        Signature.of(book).read('{"day": "2026-05-01", "rooms": ["suite"]}')


async def untyped(_: Context[None], name) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    """Do."""


async def undocumented(_: Context[None]) -> None:
    pass


async def greedy(_: Context[None], *names: str) -> None:
    """Do."""


async def hidden(_: Context[None], _name: str) -> None:
    """Do."""


async def odd(_: Context[None], name: Callable[[], int]) -> None:
    """Do."""


async def unresolved(_: Context[None], name: "Nowhere") -> None:  # type: ignore[name-defined]  # noqa: F821
    """Do."""


async def größe(_: Context[None]) -> None:  # noqa: PLC2401
    """Do."""


def plain(_: Context[None]) -> None:
    """Do."""


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (untyped, "parameter 'name' has no annotation"),
        (undocumented, "no docstring"),
        (greedy, r"\*names"),
        (hidden, "underscore"),
        (odd, "no type that JSON can carry"),
        (unresolved, "cannot be resolved"),
        (größe, "a-z"),
        (plain, "async def"),
    ],
)
async def test_a_tool_that_no_model_can_call_stops_the_start(
    function: Callable[..., Any], reason: str
) -> None:
    shop: Plugin[None] = Plugin("shop", "Sells.")
    shop.tool()(function)
    with pytest.raises(PluginError, match=f"'{function.__name__}' of plugin 'shop': .*{reason}"):
        async with talking_to(shop, ai):
            pass


async def test_two_tools_of_one_name_and_unknown_ones_stop_the_start() -> None:
    one: Plugin[None] = Plugin("one", "One.")
    two: Plugin[None] = Plugin("two", "Two.")
    one.tool()(book)
    two.tool()(book)
    with pytest.raises(PluginError, match="'one' and 'two' both have a tool 'book'"):
        async with talking_to(one, two, ai):
            pass
    with pytest.raises(PluginError, match="'cook'"):
        async with talking_to(one, ai, config={"ai": {"tools": {"off": ["cook"]}}}):
            pass
    async with talking_to(one, two, ai, config={"ai": {"tools": {"off": ["book"]}}}):
        pass
