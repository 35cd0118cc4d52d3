"""What a right file gives: settings with their defaults, platforms and plugins in order."""

from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.api import ConfigError, PluginError
from bot.config import Config, data_folder, enabled, plugin_block

Load = Callable[..., Config]
Write = Callable[[str | bytes], Path]

WHOLE = """\
language: pt-BR
data: ../state
store: memory
log: {level: debug, format: json}
dispatch: {timeout: 90s, queue: 7, drain: 1m, edits: ignore}
messages:
  es:
    "Hello, {name}!": "¡Buenas, {name}!"
    "Yes": no
platforms:
  telegram: {token: "${TOKEN}"}
  silent:
  console: {}
plugins:
  lax: {words: [no]}
  mine:
    module: shop.plugins.mine
    model: large
  core:
  ai: {}
"""


def test_a_whole_file(loaded: Load, tmp_path: Path) -> None:
    config = loaded(WHOLE, {"TOKEN": "123:abc"})
    assert config.path == tmp_path / "bot.yaml"
    assert (config.language, config.store) == ("pt-BR", "memory")
    assert config.data == tmp_path / ".." / "state"
    assert (config.log.level, config.log.format) == ("debug", "json")
    assert config.dispatch.timeout == timedelta(seconds=90)
    assert (config.dispatch.queue, config.dispatch.edits) == (7, "ignore")
    assert config.dispatch.drain == timedelta(minutes=1)
    assert config.messages == {"es": {"Hello, {name}!": "¡Buenas, {name}!", "Yes": "no"}}
    assert list(config.platforms) == ["telegram", "silent", "console"]
    assert config.platforms["telegram"].token.get_secret_value() == "123:abc"
    assert config.platforms["console"] is None
    assert list(config.plugins) == ["lax", "mine", "core", "ai"]
    assert config.plugins["mine"].model == "large"
    assert config.plugins["ai"].model == "small"
    assert config.plugins["core"] is None


@pytest.mark.parametrize(
    "content", ["language: en", "{}", "plugins:\nplatforms: ~\nlog:\n", "--- {}"]
)
def test_defaults(loaded: Load, tmp_path: Path, content: str) -> None:
    config = loaded(content)
    assert (config.language, config.store, config.data) == ("en", "sqlite", tmp_path / "data")
    assert (config.log.level, config.log.format) == ("info", "text")
    assert config.dispatch.timeout == timedelta(seconds=60)
    assert config.dispatch.drain == timedelta(seconds=10)
    assert (config.dispatch.queue, config.dispatch.edits) == (100, "redo")
    assert config.platforms == config.plugins == config.messages == {}


def test_a_configuration_is_not_changed_but_replaced(loaded: Load, tmp_path: Path) -> None:
    config = loaded("language: en")
    with pytest.raises(FrozenInstanceError):
        config.language = "es"  # type: ignore[misc]
    assert replace(config, data=tmp_path).data == tmp_path


def test_paths_are_relative_to_the_file_wherever_the_process_is(
    ai: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    read = ai("documents: [./docs, {path: faq.md}, /srv/docs, {id: a, text: b}]")
    paths = [getattr(document, "path", None) for document in read.documents]
    assert paths == [tmp_path / "docs", tmp_path / "faq.md", Path("/srv/docs"), None]


def test_an_absolute_data_folder_stays(loaded: Load) -> None:
    assert loaded("data: /var/lib/bot").data == Path("/var/lib/bot")


def test_a_block_that_is_used_twice_by_an_alias_is_the_same(ai: Callable[..., Any]) -> None:
    read = ai("servers: {a: &home {url: http://localhost}, b: *home}")
    assert read.servers["a"] == read.servers["b"]


def test_the_data_folder_is_known_in_spite_of_other_faults(write: Write, tmp_path: Path) -> None:
    path = write("data: state\nplatforms: {x: 1}\nplugins: {ai: {api_key: '${NONE}'}}")
    assert data_folder(path, {}) == tmp_path / "state"
    with pytest.raises(ConfigError, match=r"bot\.yaml:1:7 data: the environment variable NONE is"):
        data_folder(write("data: ${NONE}"), {})


def test_one_plugins_block_is_read_in_spite_of_other_faults(
    write: Write, tmp_path: Path, installed: Any
) -> None:
    path = write("platforms: {x: 1}\nplugins: {lax: {words: 1}, ai: {model: big}, core: }")
    block, folder = plugin_block(path, installed, {}, "ai")
    assert (block.model, folder) == ("big", tmp_path / "data" / "ai")
    with pytest.raises(ConfigError, match=r"bot\.yaml:2:24 plugins\.lax\.words: should be a list"):
        plugin_block(path, installed, {}, "lax")
    with pytest.raises(PluginError, match="plugin 'rag' is not on; name it under `plugins:` in"):
        plugin_block(path, installed, {}, "rag")


def test_the_plugins_that_are_on_are_known_in_spite_of_faults(write: Write) -> None:
    path = write("a: 1\na: 2\nplugins: {lax: 5, mine: {module: shop.mine, x: 1}, unknown: }")
    assert enabled(path) == {"lax": None, "mine": "shop.mine", "unknown": None}
