"""Variables, and that nothing of what was written is ever shown (B29, B57)."""

import logging
import traceback
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot import log
from bot.api import ConfigError
from bot.config import load
from bot.config.redaction import MASK, redacted
from bot.config.variables import expand

Ai = Callable[..., Any]
Faults = Callable[..., list[str]]
Write = Callable[[str | bytes], Path]

SECRETS = [
    pytest.param("sk-live-Zq83kfJ2mXw0", id="key"),
    pytest.param("8214906357:AAHk-Qw_zX9", id="token"),
    pytest.param("987654321098765432", id="number"),
    pytest.param("98765.4321098765", id="fraction"),
    pytest.param("pä55wört-geheim-🔑x", id="not ASCII"),
    pytest.param("Tr0ub4dor&3: {x} #9", id="signs of YAML"),
]

PLACES = """\
language: {0}
data: ['{0}']
store: {0}
log: {{level: '{0}', '{0}': 1}}
'{0}': 1
dispatch: {{timeout: '{0}', queue: '{0}', drain: ['{0}'], edits: {{'{0}': '{0}'}}}}
messages: {{'{0}': {{'{0}': ['{0}']}}, es: '{0}'}}
platforms:
  telegram: {{token: '{0}', chats: ['{0}'], answer: '{0}', '{0}': '{0}'}}
  '{0}': {{}}
plugins:
  ai:
    model: ['{0}']
    '{0}': {{'{0}': '{0}'}}
    channel: '{0}'
    number: '{0}'
    ratio: '{0}'
    size: '{0}'
    names: {{'{0}': '{0}'}}
    flags: {{'{0}': '{0}'}}
    memory: {{ttl: '{0}', max_facts: '{0}', auto_extract: '{0}'}}
    servers: {{'{0}': {{headers: {{'{0}': '{0}'}}}}, home: '{0}'}}
    documents: [{{id: '{0}'}}, {{path: ['{0}']}}, {{'{0}': 1}}]
    provider: '{0}'
    api_key: '{0}'
  mine: {{module: '{0}'}}
  '{0}': {{}}
"""

ALONE = [
    "plugins: {{ai: {{model: '{0}', provider: {{url: '{0}'}}, api_key: '{0}'}}}}",
    "platforms: {{telegram: {{token: {0}}}}}",
    "platforms: {{telegram: {{token: {0}, chats: [x]}}}}",
    "platforms: {{telegram: {{token: [{0}]}}}}",
    "platforms: {{telegram: {{token: &{0} x, chats: *{0}}}}}",
    "platforms: {{telegram: {{token: *{0}}}}}",
    "platforms: {{telegram: {{token: !{0} x}}}}",
    "platforms: {{telegram: {{token: !!{0} x}}}}",
    "platforms: {{telegram: {{token: !{0}!x x}}}}",
    "platforms: {{telegram: {{token: '${{{0}}}'}}}}",
    "platforms: {{telegram: {{token: '${{{0}'}}}}",
    "platforms: {{telegram: {{chats: ['${{NONE}}{0}']}}}}",
    "platforms: {{telegram: {{token: '{0}",
    'platforms: {{telegram: {{token: "\\{0}',
    "platforms: {{telegram: {{token: {0}: {0}",
    "platforms:\n  telegram:\n  token: |9\n   {0}",
    "platforms:\n\ttoken: {0}",
    "token: @{0}\n",
    "token: %{0}\n",
    "%{0} {0}\n---\na: 1",
    "%TAG !{0}! {0}\n---\na: 1",
    "? [{0}]\n: {0}",
    "{0}",
    "- {0}",
    "token: {0}\n---\ntoken: {0}",
    "token: {0}\ntoken: {0}",
    "'{0}': 1\n'{0}': 2",
    "<<: {{a: {0}}}",
    "plugins: {{'{0}': {{module: shop.absent}}}}",
    "plugins: {{'{0}': '{0}'}}",
]


def assert_hidden(text: str, secret: str) -> None:
    assert secret not in text
    assert secret[:8] not in text
    assert ascii(secret)[1:-1][:8] not in text


def everything_that_is_said(path: Path, installed: Any, environment: dict[str, str]) -> str:
    """Return the error with its whole chain, and how the log shows it at every level."""
    with pytest.raises(ConfigError) as caught:
        load(path, installed, environment)
    sink = StringIO()
    for form in ("text", "json"):
        kind = log.JsonFormatter if form == "json" else log.TextFormatter
        handler = logging.StreamHandler(sink)
        handler.setFormatter(kind((), show_errors=True))
        trouble = (type(caught.value), caught.value, caught.value.__traceback__)
        handler.emit(logging.LogRecord("x", logging.ERROR, "", 1, "no start", (), trouble))
    return f"{caught.value}\n{''.join(traceback.format_exception(caught.value))}\n{sink.getvalue()}"


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("form", [PLACES, *ALONE])
def test_nothing_that_was_written_is_shown(
    write: Write, installed: Any, form: str, secret: str
) -> None:
    said = everything_that_is_said(write(form.format(secret)), installed, {})
    assert_hidden(said, secret)


@pytest.mark.parametrize("secret", SECRETS)
def test_nothing_that_comes_from_a_variable_is_shown(
    write: Write, installed: Any, secret: str
) -> None:
    content = PLACES.format("${SECRET}").replace("'${SECRET}':", "other:")
    said = everything_that_is_said(write(content), installed, {"SECRET": secret})
    assert_hidden(said, secret)


def test_a_models_own_words_are_shown_but_no_value_in_them(faults: Faults) -> None:
    key = "sk-live-Zq83kfJ2mXw0"
    [fault] = faults("plugins: {ai: {model: offline, provider: offline}}")
    assert fault.endswith("plugins.ai: the model 'offline' is named as its provider")
    with_key = f"plugins: {{ai: {{model: {key}, provider: {{url: {key}}}}}}}"
    assert_hidden("".join(faults(with_key.replace("url:", "uri:"))), key)


def test_a_message_of_a_validator_is_cleaned() -> None:
    key = "sk-live-Zq83kfJ2mXw0"
    said = f"{key} / {key[:8]}… / {key[:12]} are not known to offline"
    assert (
        redacted(said, [key, "offline"], ["offline"])
        == f"{MASK} / {MASK} / {MASK} are not known to offline"
    )
    assert redacted("use https://", ["http://user:secret@host"]) == "use https://"
    assert redacted("no user:secret@host", ["http://user:secret@host"]) == f"no {MASK}"


@given(
    secret=st.text(
        st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=8, max_size=40
    ),
    before=st.text("ab ", max_size=9),
    form=st.sampled_from([str, repr, ascii]),
)
@settings(deadline=None)
def test_no_message_shows_a_long_text(secret: str, before: str, form: Callable[[str], str]) -> None:
    shown = redacted(f"{before}{form(secret)} is wrong", [secret])
    assert secret not in shown


@pytest.mark.parametrize(
    "written", ["123:abc", "'123:abc'", "5", "0x1F", "true-secret", "|-\n      123:abc", "!!str 5"]
)
def test_a_secret_stands_in_no_file(faults: Faults, written: str) -> None:
    [fault] = faults(f"platforms:\n  telegram:\n    token: {written}\n")
    place, _, message = fault.partition(" a secret does not belong in a file; ")
    assert place == "bot.yaml:3:12 platforms.telegram.token:"
    assert message == "write ${NAME} and set that environment variable"


def test_a_secret_is_found_wherever_a_model_has_one(faults: Faults) -> None:
    content = (
        "plugins:\n  ai:\n    api_key: abc\n    servers:\n"
        "      home: {url: x, headers: {Authorization: Bearer abc}}\n"
        "    provider: {url: x, headers: {k: v}}\n"
    )
    places = [
        fault.partition(": a secret does not belong in a file")[0] for fault in faults(content)
    ]
    assert places == [
        "bot.yaml:3:14 plugins.ai.api_key",
        "bot.yaml:5:47 plugins.ai.servers.home.headers.Authorization",
        "bot.yaml:6:37 plugins.ai.provider.headers.k",
    ]


def test_a_secret_comes_from_the_environment(ai: Ai) -> None:
    environment = {"KEY": "abc: [1] # ${HOME}"}
    read = ai(
        "api_key: ${KEY}",
        "servers: {a: {url: x, headers: {A: 'Bearer ${KEY}'}}}",
        environment=environment,
    )
    assert read.api_key.get_secret_value() == environment["KEY"]
    assert read.servers["a"].headers["A"].get_secret_value() == f"Bearer {environment['KEY']}"
    assert environment["KEY"] not in repr(read)


@pytest.mark.parametrize(
    "value", ["no", "~", "1.10", "- a", "{a: b}", "*x", "true", "'q'", "a\nb", "${X}"]
)
def test_what_comes_from_a_variable_is_never_read_as_yaml(ai: Ai, value: str) -> None:
    read = ai(
        "model: ${X}",
        "names: ['${X}']",
        "options: {a: '${X}', b: 'x${X}'}",
        environment={"X": value},
    )
    assert (read.model, read.names) == (value, [value])
    assert read.options == {"a": value, "b": f"x{value}"}


def test_numbers_and_booleans_may_come_from_variables(ai: Ai) -> None:
    read = ai(
        *("number: ${N}", "ratio: ${R}", "size: ${S}", "channel: ${C}"),
        "memory: {ttl: '${T}', max_facts: '${N}', auto_extract: '${B}'}",
        environment={"N": "7", "R": "1.5", "S": "1KiB", "C": "1" * 19, "T": "5s", "B": "no"},
    )
    assert (read.number, read.ratio, read.size, read.channel) == (7, 1.5, 1024, "1" * 19)
    assert (read.memory.max_facts, read.memory.auto_extract) == (7, False)


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("${A}", "one"),
        ("<${A}-${A}>", "<one-one>"),
        ("${B:-two}", "two"),
        ("${EMPTY:-two}", "two"),
        ("${A:-two}", "one"),
        ("${B:-}", ""),
        ("${B:-a: $x {y}", "a: $x {y"),
        ("$A $ {A} $$ $", "$A $ {A} $$ $"),
        ("$${A} ${A}", "${A} one"),
        ("${LOOP}", "${A}"),
    ],
)
def test_variables(text: str, expanded: str) -> None:
    environment = {"A": "one", "EMPTY": "", "LOOP": "${A}"}
    found = expand(text, environment)
    assert (found.text, found.faults) == (expanded, [])


@pytest.mark.parametrize(
    "text", ["${}", "${a b}", "${1A}", "${A", "${A-x}", "${A:x}", "${ A }", "x${"]
)
def test_what_is_no_variable(text: str) -> None:
    assert expand(text, {"A": "one"}).faults == [
        "a variable is written ${NAME} or ${NAME:-default}"
    ]


def test_a_variable_that_is_missing_or_empty_is_told_with_its_place(faults: Faults) -> None:
    content = (
        "plugins:\n  ai:\n    model: ${MODEL}\n    number: ${EMPTY}\n    names: [a, '${x9}']\n"
    )
    assert faults(content, {"EMPTY": ""}) == [
        "bot.yaml:3:12 plugins.ai.model: the environment variable MODEL is not set",
        "bot.yaml:4:13 plugins.ai.number: the environment variable EMPTY is not set",
        "bot.yaml:5:16 plugins.ai.names[1]: the environment variable that is named here is not set",
    ]


@settings(
    deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.text(st.sampled_from("abk:- \n\t{}[],#&*!|>'\"%@`?~01.\\$<é🌍\x85\u2028"), max_size=40))
def test_whatever_is_written_there_is_a_configuration_or_a_clear_fault(
    write: Write, installed: Any, content: str
) -> None:
    path = write(content)
    try:
        load(path, installed, {})
    except ConfigError as error:
        assert all(fault.startswith(f"{path}:") for fault in error.faults)
