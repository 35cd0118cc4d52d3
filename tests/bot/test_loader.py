import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Protocol, cast, runtime_checkable

import pytest

from bot.api import DataStatement, Plugin, PluginError, Services
from bot.loader import Catalog, Offers, checked, start


@runtime_checkable
class Greets(Protocol):
    def greet(self) -> str: ...


class Friendly:
    def greet(self) -> str:
        return "hello"


def plugin_of(name: str, journal: list[str], needs: tuple[str, ...] = ()) -> Plugin[str]:
    @asynccontextmanager
    async def setup(services: Services[Any]) -> AsyncIterator[str]:
        journal.append(f"+{name}")
        try:
            yield name
        finally:
            journal.append(f"-{name}")

    return Plugin(name, "", setup=setup, needs=lambda config: needs)


class NoServices:
    config = None


def no_services(plugin: Plugin[Any]) -> Services[Any]:
    return cast("Services[Any]", NoServices())


async def test_plugins_are_set_up_as_they_need_each_other_and_keep_their_priority() -> None:
    journal: list[str] = []
    plugins = [
        plugin_of("ai", journal, ("rag",)),
        plugin_of("core", journal),
        plugin_of("rag", journal),
    ]
    async with AsyncExitStack() as stack:
        running = await start(stack, plugins, no_services)
        assert [r.state for r in running] == ["ai", "core", "rag"]
    assert journal.index("+rag") < journal.index("+ai")
    assert [entry[1:] for entry in journal[3:]] == [entry[1:] for entry in journal[:3]][::-1]


async def test_a_plugin_that_fails_is_named_with_its_cause_and_the_others_are_torn_down() -> None:
    journal: list[str] = []

    @asynccontextmanager
    async def broken(services: Services[Any]) -> AsyncIterator[None]:
        if "+good" in journal:
            raise OSError("no such folder")
        yield

    with pytest.raises(PluginError, match="'bad' could not be set up: OSError: no such folder"):
        async with AsyncExitStack() as stack:
            await start(
                stack, [plugin_of("good", journal), Plugin("bad", "", setup=broken)], no_services
            )
    assert journal == ["+good", "-good"]


async def test_a_plugin_that_never_gets_ready_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.loader.SETUP_SECONDS", 0.01)

    @asynccontextmanager
    async def stuck(services: Services[Any]) -> AsyncIterator[None]:
        await asyncio.Event().wait()
        yield

    with pytest.raises(PluginError, match="'slow' did not get ready in time"):
        async with AsyncExitStack() as stack:
            await start(stack, [Plugin("slow", "", setup=stuck)], no_services)


async def test_missing_and_circular_needs_are_named() -> None:
    async with AsyncExitStack() as stack:
        with pytest.raises(PluginError, match="'ai' needs plugin 'rag'; add it under `plugins:`"):
            await start(stack, [plugin_of("ai", [], ("rag",))], no_services)
        with pytest.raises(PluginError, match="need each other: a, b"):
            await start(
                stack, [plugin_of("a", [], ("b",)), plugin_of("b", [], ("a",))], no_services
            )


def test_an_offer_is_typed() -> None:
    offers = Offers()
    offers.add("friend", Friendly())
    assert offers.get("friend", Greets).greet() == "hello"
    assert offers.friend.greet() == "hello"
    with pytest.raises(PluginError, match=r"no plugin 'foe' offers anything here .*friend"):
        offers.get("foe", Greets)
    offers.add("other", object())
    with pytest.raises(PluginError, match="what plugin 'other' offers is no Greets"):
        offers.get("other", Greets)
    with pytest.raises(PluginError, match="offers two things"):
        offers.add("friend", Friendly())


def test_a_plugin_that_keeps_data_elsewhere_must_be_able_to_erase_it() -> None:
    async def export(state: object, person: str) -> None: ...

    async def erase(state: object, person: str) -> int:
        return 0

    statement = DataStatement[Any]("Pictures on a disk.", elsewhere=True, export=export)
    with pytest.raises(PluginError, match="offers no hooks"):
        checked(Plugin("pictures", "", data=statement))
    whole = DataStatement[Any]("Pictures.", elsewhere=True, export=export, erase=erase)
    assert checked(Plugin("pictures", "", data=whole)).name == "pictures"


def test_the_bundled_plugins_and_platforms_are_found_as_anyones() -> None:
    catalog = Catalog()
    assert {"ai", "core", "privacy", "rag"} <= set(catalog.plugins())
    assert {"console", "discord", "telegram"} <= set(catalog.platforms())


def test_a_plugin_that_is_not_installed_is_an_error() -> None:
    with pytest.raises(PluginError, match="no plugin 'weather' is installed"):
        Catalog().find_plugin("weather")


def test_a_private_plugin_comes_from_its_module(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    source = "from bot.api import Plugin\nplugin = Plugin('mine', 'Mine.')\n"
    (tmp_path / "my_own_plugin.py").write_text(source)
    (tmp_path / "my_broken_plugin.py").write_text("import nothing_of_that_name\n")
    (tmp_path / "my_empty_plugin.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    catalog = Catalog()
    assert catalog.find_plugin("mine", "my_own_plugin").name == "mine"
    with pytest.raises(PluginError, match="is named 'mine', not 'yours'"):
        catalog.find_plugin("yours", "my_own_plugin")
    with pytest.raises(PluginError, match=r"cannot be imported: .*nothing_of_that_name"):
        catalog.find_plugin("mine", "my_broken_plugin")
    with pytest.raises(PluginError, match="has no `plugin`"):
        catalog.find_plugin("mine", "my_empty_plugin")
