"""The schema that editors check a configuration with."""

from collections.abc import Callable
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel
from ruamel.yaml import YAML

from bot.api import ConfigError
from bot.config import load, schema
from bot.config.shapes import Shape
from bot.loader import Catalog

GOOD = """\
language: es
log: {level: "${LEVEL:-info}"}
dispatch: {timeout: 90s, queue: "${QUEUE}", drain: "${DRAIN}"}
messages: {es: {"Hello": Buenas}}
platforms:
  telegram:
    token: ${TOKEN}
    chats: [1234567890123456789, "-100"]
    answer: ${ANSWER}
  silent:
  console: {}
plugins:
  core:
  lax: {words: [a]}
  mine: {module: shop.mine, anything: 1}
  broken: {anything: 1}
  ai:
    channel: 5
    size: 2048
    either: one
    options: {a: {b: [1]}}
    memory: {ttl: never, auto_extract: "${EXTRACT}"}
    servers: {home: {url: x, headers: {Authorization: "Bearer ${KEY}"}}}
    documents: [./docs, {path: x, visible_to: [a]}, {id: a, text: b}]
    provider: {url: x}
"""

BAD = [
    "langage: es",
    "language: 5",
    "store: postgres",
    "log: {level: loud}",
    "dispatch: {timeout: 5}",
    "dispatch: {queue: many}",
    "platforms: [console]",
    "platforms: {matrix: {}}",
    "platforms: {telegram: }",
    "platforms: {telegram: {}}",
    "platforms: {telegram: {token: 'literal'}}",
    "platforms: {telegram: {token: '${T}', chats: [1.5]}}",
    "plugins: {core: {a: 1}}",
    "plugins: {mine: {}}",
    "plugins: {ai: {memory: {ttl: soon}}}",
    "plugins: {ai: {memory: {max_facts: 0}}}",
    "plugins: {ai: {memory: {auto_extract: no}}}",
    "plugins: {ai: {documents: [{id: x}]}}",
    "plugins: {ai: {servers: {home: {url: x, headers: {k: v}}}}}",
]


class Only:
    """Some plugins with their models, and no platform."""

    def __init__(self, **models: type[Any]) -> None:
        self.models = models

    def platforms(self) -> list[str]:
        return []

    def plugins(self) -> list[str]:
        return list(self.models)

    def platform(self, name: str) -> None: ...

    def plugin(self, name: str, module: str | None) -> type[Any]:
        return self.models[name]


@pytest.fixture
def complaints(installed: Any) -> Callable[[str], list[str]]:
    described = schema(installed)
    Draft202012Validator.check_schema(described)
    validator = Draft202012Validator(described)

    def complaints(content: str) -> list[str]:
        errors = validator.iter_errors(YAML(typ="safe", pure=True).load(content))
        return [f"{error.json_path}: {error.message}" for error in errors]

    return complaints


def test_a_right_file_is_right_to_an_editor(
    complaints: Callable[[str], list[str]], loaded: Callable[..., Any]
) -> None:
    assert complaints(GOOD) == []
    names = ("TOKEN", "KEY")
    environment = {**dict.fromkeys(names, "x"), "QUEUE": "5", "DRAIN": "1s", "ANSWER": "all"}
    right = GOOD.replace("  broken: {anything: 1}\n", "").replace(", anything: 1", "")
    assert loaded(right, {**environment, "EXTRACT": "true"}).plugins["ai"].channel == "5"


@pytest.mark.parametrize("content", BAD)
def test_a_wrong_file_is_wrong_to_an_editor_and_to_check(
    complaints: Callable[[str], list[str]], faults: Callable[..., list[str]], content: str
) -> None:
    if content != "language: 5":  # a text to us, a number to an editor
        assert faults(content, {"T": "token"})
    assert complaints(content)


def test_the_schema_shows_defaults_as_they_are_written(installed: Any) -> None:
    described = schema(installed)
    dispatch = described["$defs"]["Dispatching"]["properties"]
    assert (dispatch["timeout"]["default"], dispatch["drain"]["default"]) == ("1m", "10s")
    assert dispatch["queue"]["default"] == 100
    assert all(
        part["description"] for part in described["$defs"]["Dispatching"]["properties"].values()
    )


def test_models_of_one_name_in_two_plugins_stay_apart() -> None:
    class Block(BaseModel):
        a: int = 1

    first = type("Options", (BaseModel,), {"__annotations__": {"block": Block}})

    class Block(BaseModel):  # type: ignore[no-redef]
        b: int = 1

    second = type("Options", (BaseModel,), {"__annotations__": {"block": Block}})

    validator = Draft202012Validator(schema(Only(first=first, second=second)))
    assert validator.is_valid(
        {"plugins": {"first": {"block": {"a": 2}}, "second": {"block": {"b": 2}}}}
    )
    assert not validator.is_valid({"plugins": {"first": {"block": {"a": "x"}}}})
    assert not validator.is_valid({"plugins": {"second": {"block": {"b": "x"}}}})


def test_a_model_that_no_schema_tells_of_is_a_fault_of_its_plugin(
    write: Callable[[str], Any],
) -> None:
    class Odd(BaseModel, arbitrary_types_allowed=True):
        lock: Callable[[], None]

    installed = Only(odd=Odd)
    with pytest.raises(ConfigError, match=r"1:11 plugins\.odd: its options cannot be described"):
        load(write("plugins: {odd: {}}"), installed, {})
    assert (
        "cannot"
        in schema(installed)["properties"]["plugins"]["properties"]["odd"]["description"].lower()
    )


def test_the_schema_of_all_that_is_installed_is_one() -> None:
    described = schema(Catalog())
    Draft202012Validator.check_schema(described)
    assert set(described["properties"]["platforms"]["properties"]) >= {"console"}
    assert set(described["properties"]["plugins"]["properties"]) >= {"core", "privacy"}


def test_a_shape_tells_of_recursive_and_tupled_schemas() -> None:
    tree = {"type": "object", "properties": {"below": {"$ref": "#/$defs/tree"}, "n": {"const": 1}}}
    shape = Shape({"$ref": "#/$defs/tree"}, definitions={"tree": tree})
    assert shape.entry("below").entry("below").known == ["below", "n"]
    assert shape.closed
    assert shape.entry("other").free
    pair = {"type": "array", "prefixItems": [{"type": "string"}], "items": {"type": "integer"}}
    listed = Shape(pair, definitions={})
    assert [list(listed.item(index).types) for index in (0, 1)] == [["string"], ["integer"]]
    odd = Shape({"type": "string", "pattern": "(?<unclosed"}, definitions={})
    assert odd.takes_text("anything")
    named = Shape({"anyOf": [{"enum": ["a", 5]}, {"const": "b"}]}, definitions={})
    assert [named.takes_text(text) for text in ("a", "b", "c")] == [True, True, False]
