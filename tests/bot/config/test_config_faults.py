"""Every fault at once, each at its place, in words that help."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.api import ConfigError
from bot.config import load

Faults = Callable[..., list[str]]

FAULTY = """\
language: klingon-tlh-x
platfroms: {}
log: {level: loud, colour: red}
dispatch:
  timeout: 5
  queue: 0
  drain: 99999999999w
platforms:
  telegram:
    answer: nobody
    chats: [1.5]
  matrix: {}
  console: {format: text}
plugins:
  core: {greeting: hello}
  ai:
    names: one
    memory: {ttl: soon, max_fact: 3}
    documents:
      - ./docs
      - {path: a, visble_to: []}
      - {id: x}
    servers:
      home: {headers: {}}
    provider: closed
  lax: {wrods: []}
  brokn: {}
"""

EXPECTED = """\
bot.yaml:1:11 language: names no language; write en, es, pt-BR, zh-Hans …
bot.yaml:2:1 platfroms: there is no such key; did you mean 'platforms'?
bot.yaml:3:14 log.level: should be 'debug', 'info', 'warning' or 'error'
bot.yaml:3:20 log: there is no key of this name here; there are level, format
bot.yaml:5:12 dispatch.timeout: a duration is a number and a unit: 500ms, 10s, 5m, 12h, 90d, 2w
bot.yaml:6:10 dispatch.queue: should be greater than or equal to 1
bot.yaml:7:10 dispatch.drain: is longer than any duration can be
bot.yaml:9:3 platforms.telegram.token: is needed, and not given
bot.yaml:10:13 platforms.telegram.answer: should be 'all' or 'addressed'
bot.yaml:11:13 platforms.telegram.chats[0]: an id is a whole number with all of its digits, \
as in 1234567890123456789
bot.yaml:12:3 platforms: there is no platform of this name here; there are console, silent, telegram
bot.yaml:13:13 platforms.console: there is no key of this name here, and none is possible
bot.yaml:15:10 plugins.core: there is no key of this name here, and none is possible
bot.yaml:17:12 plugins.ai.names: should be a list
bot.yaml:18:19 plugins.ai.memory.ttl: a duration is a number and a unit: 500ms, 10s, 5m, 12h, 90d, \
2w, or should be 'never'
bot.yaml:18:25 plugins.ai.memory.max_fact: there is no such key; did you mean 'max_facts'?
bot.yaml:21:19 plugins.ai.documents[1].visble_to: there is no such key; did you mean 'visible_to'?
bot.yaml:22:9 plugins.ai.documents[2].text: is needed, and not given
bot.yaml:24:7 plugins.ai.servers.home.url: is needed, and not given
bot.yaml:25:15 plugins.ai.provider: should be 'offline' or 'openai'
bot.yaml:26:9 plugins.lax.wrods: there is no such key; did you mean 'words'?
bot.yaml:27:3 plugins.brokn: there is no such plugin; did you mean 'broken'?
"""


def test_every_fault_is_told_at_once_sorted_by_place(faults: Faults) -> None:
    assert faults(FAULTY) == EXPECTED.splitlines()


SYNTAX = [
    ("a: 1\n\tb: 2\n", "bot.yaml:2:1 a tab cannot stand here; indent with spaces"),
    ("log:\n\tlevel: info\n", "bot.yaml:2:1 a tab cannot stand here"),
    ("log:\n  level: info\n \tformat: text\n", "bot.yaml:3:2 a tab cannot stand here"),
    ("log: [1, 2\n", "bot.yaml:2:1 `,` or `]` is missing here (in what begins at line 1)"),
    ("log: {a: 1\n", "bot.yaml:2:1 `,` or `}` is missing here (in what begins at line 1)"),
    (
        "log: {level: ${LEVEL}}\n",
        'bot.yaml:1:15 between brackets a variable needs quotes: "${NAME}"',
    ),
    ("log: 'text\n", "bot.yaml:2:1 these quotes are never closed (in what begins at line 1)"),
    ('log: "a\\qb"\n', "bot.yaml:1:9 this escape is unknown"),
    ('log: "a\\ud800b"\n', "bot.yaml:1:6 an escape in this text stands for no character"),
    ('log: "a\\0b"\n', "bot.yaml:1:6 an escape in this text stands for no character"),
    ("data: a: b\n", "bot.yaml:1:8 `:` cannot stand here"),
    ("data: @home\n", "bot.yaml:1:7 this sign cannot begin a text; put quotes around it"),
    ("language: en\ndata\n", "bot.yaml:3:1 `:` is missing behind this key"),
    ("log:\n    level: info\n  format: text\n", "bot.yaml:3:3 the indentation does not fit"),
    ("data: *home\n", "bot.yaml:1:7 this alias (*) names no anchor (&) above it"),
    ("? [a]\n: b\n", "bot.yaml:1:3 a list or a block cannot be a key"),
    ("a: 1\n---\na: 2\n", "bot.yaml:3:1 a second document begins here; there can be one only"),
    ("data: !x!home here\n", "bot.yaml:1:7 this tag (!) is unknown; leave it out"),
    ("data: \x01\n", "bot.yaml:1:7 a control character cannot stand here"),
    ("", "bot.yaml:1:1 is empty; `tertulia init` writes a configuration"),
    ("# nothing but a comment\n", "bot.yaml:1:1 is empty"),
    ("---\n...\n", "bot.yaml:1:1 is empty"),
    ("- language: en\n", "bot.yaml:1:1 should hold keys with values, as in `language: en`"),
    ("# hello\nlanguage\n", "bot.yaml:2:1 should hold keys with values"),
    ("platforms: [telegram]\n", "bot.yaml:1:12 platforms: should hold platforms by name"),
    ("plugins:\n  - core\n", "bot.yaml:2:3 plugins: should hold plugins by name, as in `core: {}`"),
    ("plugins: {core: 5}\n", "bot.yaml:1:17 plugins.core: should be a block of keys and values"),
    ("plugins: {ai: []}\n", "bot.yaml:1:15 plugins.ai: should be a block of keys and values"),
    ("plugins: {ai: {memory: 5}}\n", "bot.yaml:1:24 plugins.ai.memory: should be a block"),
]


@pytest.mark.parametrize(("content", "fault"), SYNTAX)
def test_what_is_no_configuration(faults: Faults, content: str, fault: str) -> None:
    [found] = faults(content)
    assert found.startswith(fault)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (
            "language: español".encode("latin-1"),
            "bot.yaml:1:15 is not UTF-8 here; save it as UTF-8",
        ),
        (b"# \xc3\xb1\nlanguage: en \xff\n", "bot.yaml:2:14 is not UTF-8 here"),
        ("language: en".encode("utf-16"), "bot.yaml:1:1 is written in UTF-16 or UTF-32"),
        ("language: en".encode("utf-32"), "bot.yaml:1:1 is written in UTF-16 or UTF-32"),
        (b"language: en\x00", "bot.yaml:1:13 a control character cannot stand here"),
    ],
)
def test_what_is_not_utf_8(faults: Faults, content: bytes, fault: str) -> None:
    [found] = faults(content)
    assert found.startswith(fault)


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_a_mark_of_utf_8_and_any_line_end_are_taken(
    loaded: Callable[..., Any], faults: Faults, start: str, line_end: str
) -> None:
    assert loaded(f"{start}log:\n  level: debug\n".replace("\n", line_end)).log.level == "debug"
    [fault] = faults(f"{start}log:\n  level: loud\n".replace("\n", line_end))
    assert fault.startswith("bot.yaml:2:10 log.level:")


def test_keys_that_stand_twice_are_told_with_both_places(faults: Faults) -> None:
    content = (
        "language: en\nplatforms:\n  telegram:\n    token: ${T}\n    chats: [1]\n    'chats': [2]\n"
        "language: es\nlog: {level: info, level: info}\n"
    )
    assert faults(content, {"T": "token"}) == [
        "bot.yaml:6:5 this key stands here a second time; the first is at 5:5",
        "bot.yaml:7:1 this key stands here a second time; the first is at 1:1",
        "bot.yaml:8:20 this key stands here a second time; the first is at 8:7",
    ]


def test_a_missing_or_unreadable_file_is_told(tmp_path: Path, installed: Any) -> None:
    with pytest.raises(ConfigError, match=r"bot\.yaml: there is no such file; `tertulia init`"):
        load(tmp_path / "bot.yaml", installed, {})
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        load(tmp_path, installed, {})


def test_other_faults_are_found_beside_a_missing_variable(faults: Faults) -> None:
    content = "platforms:\n  telegram:\n    token: ${T}\n    chats: [x]\n    answer: ${A:-nobody}\n"
    [first, second, third] = faults(content)
    assert first == (
        "bot.yaml:3:12 platforms.telegram.token: the environment variable T is not set"
    )
    assert second.startswith("bot.yaml:4:13 platforms.telegram.chats[0]: an id is")
    assert third.startswith("bot.yaml:5:13 platforms.telegram.answer: should be 'all' or")


def test_a_plugin_that_does_not_load_is_told_at_its_key(faults: Faults) -> None:
    assert faults("plugins:\n  core: {}\n  broken:\n  mine: {module: shop.absent}\n") == [
        "bot.yaml:3:3 plugins.broken: plugin broken cannot be imported",
        "bot.yaml:4:3 plugins.mine: plugin mine cannot be imported",
    ]


@pytest.mark.parametrize("module", ["not a module", "a..b", "5", "[a]", "~", "true.5", "../a"])
def test_what_is_no_module(faults: Faults, module: str) -> None:
    [fault] = faults(f"plugins:\n  mine:\n    module: {module}\n")
    assert fault.startswith("bot.yaml:3:")
    assert ": should name a module, as in `package.name`" in fault
