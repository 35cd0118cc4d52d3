"""Finds plugins and platforms by the names in the configuration, and sets plugins up."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final, TypeVar

from bot.api import Offer, Platform, Plugin, PluginError, Running, Services

PLUGINS: Final = "tertulia.plugins"
PLATFORMS: Final = "tertulia.adapters"
SETUP_SECONDS: Final = 60.0

Kind = TypeVar("Kind")


class Catalog:
    """What is installed: plugins and platforms by name, imported when they are asked for."""

    def __init__(self) -> None:
        self._plugins = {point.name: point for point in entry_points(group=PLUGINS)}
        self._found: dict[str, Plugin[Any]] = {}
        self._platforms = {point.name: point for point in entry_points(group=PLATFORMS)}

    def plugins(self) -> Sequence[str]:
        """Return the names of the installed plugins."""
        return sorted(self._plugins)

    def platforms(self) -> Sequence[str]:
        """Return the names of the installed platforms."""
        return sorted(self._platforms)

    def platform(self, name: str) -> type[Any]:
        """Return the configuration model of a platform."""
        return self.find_platform(name).config

    def plugin(self, name: str, module: str | None) -> type[Any] | None:
        """Return the configuration model of a plugin, None where it has no options."""
        self._found[name] = self.find_plugin(name, module)
        return self._found[name].config

    def found(self, name: str) -> Plugin[Any]:
        """Return a plugin whose model was asked for before."""
        return self._found[name]

    def find_platform(self, name: str) -> Platform:
        """Return a platform; `PluginError` where there is none."""
        if name not in self._platforms:
            raise PluginError(f"there is no platform {name!r}")
        return _load(self._platforms[name], Platform)

    def find_plugin(self, name: str, module: str | None = None) -> Plugin[Any]:
        """Return a plugin, out of ``module`` if it is given; `PluginError` where there is none."""
        if module is not None:
            return checked(_from_module(name, module))
        if name not in self._plugins:
            raise PluginError(f"no plugin {name!r} is installed; a private one needs `module:`")
        return checked(_load(self._plugins[name], Plugin))


def checked(plugin: Plugin[Any]) -> Plugin[Any]:
    """Return the plugin if it keeps its word on personal data; `PluginError` otherwise."""
    data = plugin.data
    if data is not None and data.elsewhere and (data.export is None or data.erase is None):
        raise PluginError(
            f"plugin {plugin.name!r} says that it keeps personal data outside the store,"
            " but offers no hooks to export and erase it"
        )
    return plugin


class Offers:
    """What the plugins that are set up offer each other; the Tools of their contexts."""

    def __init__(self) -> None:
        self._offers: dict[str, object] = {}

    def add(self, name: str, offer: object) -> None:
        """Publish what a plugin offers; it offers one thing."""
        if name in self._offers:
            raise PluginError(f"plugin {name!r} offers two things; it can offer one")
        self._offers[name] = offer

    def get(self, name: str, protocol: type[Offer]) -> Offer:
        """Return what a plugin offers; `PluginError` unless it follows the protocol."""
        if name not in self._offers:
            known = ", ".join(sorted(self._offers)) or "none"
            raise PluginError(f"no plugin {name!r} offers anything here (those that do: {known})")
        found = self._offers[name]
        if not isinstance(found, protocol):
            raise PluginError(f"what plugin {name!r} offers is no {protocol.__name__}")
        return found

    def __getattr__(self, name: str) -> Any:
        """Return what a plugin offers, unchecked."""
        if name.startswith("_"):
            raise AttributeError(name)
        return self.get(name, object)


async def start(
    stack: AsyncExitStack,
    plugins: Sequence[Plugin[Any]],
    services: Callable[[Plugin[Any]], Services[Any]],
) -> Sequence[Running[Any]]:
    """Set plugins up, those that others need first, and return them in the given order.

    They are torn down with the stack, in reverse. `PluginError` names the one that fails and why.
    """
    made = {plugin.name: services(plugin) for plugin in plugins}
    running: dict[str, Running[Any]] = {}
    for plugin in _in_order(plugins, made):
        running[plugin.name] = await _set_up(stack, plugin, made[plugin.name])
    return [running[plugin.name] for plugin in plugins]


async def _set_up(
    stack: AsyncExitStack, plugin: Plugin[Any], services: Services[Any]
) -> Running[Any]:
    try:
        async with asyncio.timeout(SETUP_SECONDS):
            state = await stack.enter_async_context(plugin.setup(services))
    except TimeoutError as error:
        raise PluginError(f"plugin {plugin.name!r} did not get ready in time") from error
    except PluginError as error:
        raise PluginError(f"plugin {plugin.name!r}: {error}") from error
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise PluginError(f"plugin {plugin.name!r} could not be set up: {reason}") from error
    return Running(plugin, state)


def _in_order(
    plugins: Sequence[Plugin[Any]], services: Mapping[str, Services[Any]]
) -> Iterable[Plugin[Any]]:
    left = {plugin.name: plugin for plugin in plugins}
    needs = {name: _needs(plugin, services[name].config) for name, plugin in left.items()}
    _check_needs(needs)
    while left:
        ready = [name for name in left if not needs[name] & left.keys()]
        if not ready:
            raise PluginError(f"these plugins need each other: {', '.join(left)}")
        yield left.pop(ready[0])


def _needs(plugin: Plugin[Any], config: object) -> set[str]:
    return set() if plugin.needs is None else set(plugin.needs(config))


def _check_needs(needs: Mapping[str, set[str]]) -> None:
    for name, wanted in needs.items():
        for missing in sorted(wanted - needs.keys()):
            raise PluginError(f"plugin {name!r} needs plugin {missing!r}; add it under `plugins:`")


def _load(point: EntryPoint, kind: type[Kind]) -> Kind:
    try:
        found = point.load()
    except Exception as error:
        raise PluginError(f"{point.value} cannot be imported: {error}") from error
    if not isinstance(found, kind):
        raise PluginError(f"{point.value} is no {kind.__name__}")
    return found


def _from_module(name: str, module: str) -> Plugin[Any]:
    try:
        found = getattr(import_module(module), "plugin", None)
    except Exception as error:
        raise PluginError(f"module {module} cannot be imported: {error}") from error
    if not isinstance(found, Plugin):
        raise PluginError(f"module {module} has no `plugin` that is a Plugin")
    if found.name != name:
        raise PluginError(f"the plugin in {module} is named {found.name!r}, not {name!r}")
    return found
