"""What the README shows works as it stands there."""

import re
from pathlib import Path
from types import ModuleType
from typing import Any

from bot.api import Plugin
from bot.config import load
from bot.loader import Catalog
from bot.testing import talking_to

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
VARIABLE = re.compile(r"\$\{(\w+)\}")


def block(language: str) -> str:
    found = re.search(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def test_the_configuration_is_valid(tmp_path: Path) -> None:
    text = block("yaml")
    (tmp_path / "bot.yaml").write_text(text)
    config = load(tmp_path / "bot.yaml", Catalog(), dict.fromkeys(VARIABLE.findall(text), "1:a"))
    assert list(config.plugins) == ["core", "people", "privacy", "rag", "ai"]


async def test_the_plugin_plays_and_what_it_keeps_is_the_persons() -> None:
    module = ModuleType("dice")
    exec(compile(block("python"), "README.md", "exec"), vars(module))  # noqa: S102
    plugin: Plugin[Any] = module.plugin
    async with talking_to(plugin) as bot:
        [first] = await bot.say("/roll")
        [second] = await bot.say("/roll")
        assert "throw 1" in first.text
        assert "throw 2" in second.text
        [joined] = await bot.say("I like dice")
        assert "/roll" in joined.text
        assert (await bot.store.kept("test:ana"))["documents"] == 1
