"""What can be checked of the image without an engine: its files, its steps and its example."""

import os
import re
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from bot.config import load, schema
from bot.loader import Catalog

ROOT = Path(__file__).parents[2]
DOCKER = ROOT / "docker"
EXAMPLE = DOCKER / "bot.example.yaml"
VARIABLE = re.compile(r"\$\{(\w+)\}")


@pytest.fixture
def example(tmp_path: Path) -> Path:
    path = tmp_path / "bot.yaml"
    path.write_text(EXAMPLE.read_text("utf-8"), "utf-8")
    return path


def secrets(text: str) -> dict[str, str]:
    key = b64encode(bytes(32)).decode()
    return {name: key if name.endswith("_KEY") else "1:abc" for name in VARIABLE.findall(text)}


def test_the_example_is_valid(example: Path) -> None:
    config = load(example, Catalog(), secrets(example.read_text("utf-8")))
    assert list(config.platforms) == ["telegram", "discord", "console"]
    assert set(config.plugins) == set(Catalog().plugins())


def options(node: dict[str, Any], definitions: dict[str, Any], path: str = "") -> Iterator[str]:
    """Yield the dotted path of every option that a JSON Schema names, through one alternative."""
    if reference := node.get("$ref"):
        node = definitions[reference.removeprefix("#/$defs/")]
    for name, inner in node.get("properties", {}).items():
        yield f"{path}{name}"
        yield from options(inner, definitions, f"{path}{name}.")
    for inner in node.get("anyOf", ()):
        yield from options(inner, definitions, path)


def shown(value: Any, path: str = "") -> Iterator[str]:
    for name, inner in value.items() if isinstance(value, dict) else ():
        yield f"{path}{name}"
        yield from shown(inner, f"{path}{name}.")


def uncommented(text: str) -> str:
    """Return the example with every option that is shown as a comment switched on."""
    return re.sub(r"^( *)# (\w+:.*)$", r"\1\2", text, flags=re.MULTILINE)


def test_the_example_shows_every_option() -> None:
    everything = schema(Catalog())
    known = set(options(everything, everything["$defs"]))
    found = YAML(typ="safe", pure=True).load(uncommented(EXAMPLE.read_text("utf-8")))
    assert known - set(shown(found)) == set()


def test_every_file_that_the_image_copies_is_there_and_let_through() -> None:
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    copied = re.findall(
        r"^COPY (?!--from)(.+) \S+$", (DOCKER / "Dockerfile").read_text(), re.MULTILINE
    )
    names = [name for line in copied for name in line.split()]
    assert names
    for name in names:
        assert (ROOT / name).exists()
        assert f"!{name}" in ignored


def test_the_image_runs_as_nobody_in_particular_and_is_looked_after() -> None:
    final = (DOCKER / "Dockerfile").read_text().rpartition("\nFROM ")[2]
    assert re.search(r"^USER (?!root|0)\w+$", final, re.MULTILINE)
    assert re.search(r'^HEALTHCHECK .*CMD \["tertulia", "health"\]$', final, re.MULTILINE)
    assert "ARG" not in final, "secrets come at run time"


def test_the_compose_file_keeps_the_data_and_names_files_that_are_there() -> None:
    compose = YAML(typ="safe", pure=True).load(DOCKER / "compose.yaml")
    service = compose["services"]["bot"]
    assert (DOCKER / service["build"]["context"] / service["build"]["dockerfile"]).exists()
    mounts = [volume.split(":") for volume in service["volumes"]]
    named = {source: target for source, target, *_ in mounts if not source.startswith(".")}
    assert set(named) == set(compose["volumes"])
    assert f"VOLUME {named['data']}" in (DOCKER / "Dockerfile").read_text()
    assert not {"TELEGRAM_TOKEN", "DISCORD_TOKEN"} & set(service.get("environment", {}))
    assert os.fspath(DOCKER) not in (DOCKER / "compose.yaml").read_text()
