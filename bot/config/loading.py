"""From a file to a validated configuration, or to every fault in it."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Protocol

from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticInvalidForJsonSchema

from bot.api import ConfigError, PluginError
from bot.config import complaints
from bot.config.describing import described
from bot.config.nodes import Block, Entry, Fault, Node, Scalar, joined, unknown
from bot.config.reading import read
from bot.config.redaction import redacted, words
from bot.config.settings import Config, Settings
from bot.config.shapes import NOTHING, Schema, Shape
from bot.config.values import NULL, Place, Values

PLATFORMS: Final = "platforms"
PLUGINS: Final = "plugins"
EXAMPLES: Final = {PLATFORMS: "console", PLUGINS: "core"}
MODULE: Final = "module"
DOTTED: Final = re.compile(r"[a-z_][a-z0-9_]{0,60}(\.[a-z_][a-z0-9_]{0,60}){0,20}", re.IGNORECASE)


class Models(Protocol):
    """What is installed: the models of the blocks under ``platforms`` and ``plugins``."""

    def platform(self, name: str) -> type[Any] | None:
        """Return a platform's model, None for an empty block; `PluginError` if there is none."""
        ...

    def plugin(self, name: str, module: str | None) -> type[Any] | None:
        """Return a plugin's model, from ``module`` if given; None and errors as for platforms."""
        ...

    def platforms(self) -> Sequence[str]:
        """Return the names of the installed platforms."""
        ...

    def plugins(self) -> Sequence[str]:
        """Return the names of the installed plugins."""
        ...


def load(path: Path, models: Models, environment: Mapping[str, str]) -> Config:
    """Return the configuration in a file.

    Raises `ConfigError` with every fault, in the order of the file; no fault quotes a value.
    """
    root, found = read(path)
    blocks = Blocks(path, environment, found)
    settings = blocks.settings(root)
    platforms = _platforms(root, models, blocks)
    entries = plugin_entries(root, blocks)
    plugins = {entry.name: entry.validated(models, blocks) for entry in entries}
    blocks.check()
    top = {name: getattr(settings, name) for name in Settings.model_fields}
    return Config(path=path, platforms=platforms, plugins=plugins, **top)


class Blocks:
    """Validates the blocks of one file and gathers what is wrong in them."""

    def __init__(self, path: Path, environment: Mapping[str, str], found: list[Fault]) -> None:
        self.faults = found
        self._path = path
        self._environment = environment
        self._context = {"folder": path.absolute().parent}

    def settings(self, root: Block) -> Any:
        """Return what stands at the top, but for platforms and plugins."""
        schema = described(Settings)
        others: Schema = {PLATFORMS: {}, PLUGINS: {}}
        shape = {**schema, "properties": {**schema["properties"], **others}}
        entries = {key: entry for key, entry in root.entries.items() if key not in others}
        block = Block(root.mark, entries)
        return self.validated(Entry(root.mark, block), "", Settings, shape)

    def validated(
        self, entry: Entry, label: str, model: type[Any] | None, schema: Schema | None = None
    ) -> Any:
        """Return a block as its model, or None when it is faulty or the model is None."""
        values = Values(self._environment)
        try:
            return self._validated(entry, label, model, schema, values)
        finally:
            self.faults += values.faults

    def _validated(
        self,
        entry: Entry,
        label: str,
        model: type[Any] | None,
        schema: Schema | None,
        values: Values,
    ) -> Any:
        adapter = None if model is None else TypeAdapter[Any](model)
        known = schema or (NOTHING if model is None else described(model))
        shape = Shape(known, definitions=known.get("$defs", {}))
        value = values.of(Place(entry.node.mark, entry.mark, label, entry.node, shape))
        if adapter is None:
            return None
        try:
            return adapter.validate_python(value, context=self._context)
        except ValidationError as error:
            values.faults += complaints.faults(error, values, words(known))
            return None

    def check(self) -> None:
        """Raise what was found wrong, sorted by place."""
        if self.faults:
            lines = [fault.line(str(self._path)) for fault in sorted(set(self.faults))]
            raise ConfigError(*lines)


def _platforms(root: Block, models: Models, blocks: Blocks) -> Mapping[str, Any]:
    return {
        name: _modelled(name, entry, PLATFORMS, partial(models.platform, name), blocks)
        for name, entry in _named(root, PLATFORMS, blocks)
        if _is_known(name, entry, models.platforms(), PLATFORMS, blocks)
    }


@dataclass(frozen=True, slots=True)
class PluginEntry:
    """A plugin's block, and its module where it is a private one."""

    name: str
    entry: Entry
    module: str | None

    def validated(self, models: Models, blocks: Blocks) -> Any:
        """Return the block as the plugin's model, None where it has none or is faulty."""
        known = self.module or _is_known(self.name, self.entry, models.plugins(), PLUGINS, blocks)
        if not known:
            return None
        find = partial(models.plugin, self.name, self.module)
        return _modelled(self.name, self.entry, PLUGINS, find, blocks)


def plugin_entries(root: Block, blocks: Blocks) -> Iterator[PluginEntry]:
    """Yield what stands under ``plugins``, in its order, but what has a faulty ``module``."""
    for name, entry in _named(root, PLUGINS, blocks):
        node = entry.node
        if not isinstance(node, Block) or MODULE not in node.entries:
            yield PluginEntry(name, entry, None)
            continue
        module = node.entries[MODULE].node
        if isinstance(module, Scalar) and DOTTED.fullmatch(module.text):
            rest = {key: below for key, below in node.entries.items() if key != MODULE}
            yield PluginEntry(name, Entry(entry.mark, Block(node.mark, rest)), module.text)
        else:
            label = joined(_label(PLUGINS, name), MODULE, known=True)
            message = "should name a module, as in `package.name`"
            blocks.faults.append(Fault(module.mark, label, message))


def _named(root: Block, group: str, blocks: Blocks) -> Iterator[tuple[str, Entry]]:
    """Yield the blocks of a group by name; one that is left empty is a block too."""
    if group not in root.entries:
        return
    node = _block(root.entries[group].node)
    if not isinstance(node, Block):
        message = f"should hold {group} by name, as in `{EXAMPLES[group]}: {{}}`"
        blocks.faults.append(Fault(node.mark, group, message))
        return
    for name, entry in node.entries.items():
        yield name, Entry(entry.mark, _block(entry.node))


def _label(group: str, name: str) -> str:
    return joined(group, name, known=False)


def _block(node: Node) -> Node:
    empty = isinstance(node, Scalar) and node.plain and NULL.fullmatch(node.text)
    return Block(node.mark) if empty else node


def _is_known(name: str, entry: Entry, known: Sequence[str], group: str, blocks: Blocks) -> bool:
    if name not in known:
        blocks.faults.append(unknown(name, known, group, entry.mark, group.removesuffix("s")))
    return name in known


def _modelled(
    name: str, entry: Entry, group: str, find: Callable[[], type[Any] | None], blocks: Blocks
) -> Any:
    label = _label(group, name)
    if not isinstance(entry.node, Block):
        message = "should be a block of keys and values"
        blocks.faults.append(Fault(entry.node.mark, label, message))
        return None
    try:
        return blocks.validated(entry, label, find())
    except PluginError as error:
        hidden = () if label.endswith(name) else (name,)
        blocks.faults.append(Fault(entry.mark, label, redacted(str(error), hidden)))
    except PydanticInvalidForJsonSchema as error:
        message = f"its options cannot be described as JSON Schema: {error.message}"
        blocks.faults.append(Fault(entry.mark, label, message))
    return None
