"""What can be had from a file whatever is wrong in the rest of it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bot.api import PluginError
from bot.config.loading import PLUGINS, Blocks, Models, plugin_entries
from bot.config.reading import read


def data_folder(path: Path, environment: Mapping[str, str]) -> Path:
    """Return the folder of all that the bot keeps."""
    return store_options(path, environment)[1]


def store_options(path: Path, environment: Mapping[str, str]) -> tuple[str, Path, str | None]:
    """Return what the store is, its folder, and the key of the data where there is one."""
    root, _ = read(path)
    blocks = Blocks(path, environment, [])
    settings = blocks.settings(root)
    blocks.check()
    key = None if settings.data_key is None else settings.data_key.get_secret_value()
    return settings.store, settings.data, key


def plugin_block(
    path: Path, models: Models, environment: Mapping[str, str], name: str
) -> tuple[Any, Path]:
    """Return one plugin's validated block and its own part of the data folder."""
    root, _ = read(path)
    blocks = Blocks(path, environment, [])
    settings = blocks.settings(root)
    found = {entry.name: entry for entry in plugin_entries(root, blocks)}
    if name not in found:
        raise PluginError(f"plugin {name!r} is not on; name it under `{PLUGINS}:` in {path}")
    block = found[name].validated(models, blocks)
    blocks.check()
    return block, settings.data / name


def enabled(path: Path) -> Mapping[str, str | None]:
    """Return the names of the plugins that are on, each with its module where it is private."""
    root, found = read(path)
    return {entry.name: entry.module for entry in plugin_entries(root, Blocks(path, {}, found))}
