"""How scalars are read: the place decides, and a text stays what was written (B24, B25)."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

Ai = Callable[..., Any]
Faults = Callable[..., list[str]]

WORDS = [
    *("no", "No", "NO", "yes", "on", "off", "y", "n", "nul", "tru"),
    *("1.10", "6E-578", "0123", "12:30:00", "1_000", "0x1F", "0o17", "1.23e18", "+5", ".5", "5."),
    *(".inf", ".nan", "2024-01-02", "9007199254740993", "1e3", "=", "1.0.0", "3 kg"),
]


@pytest.mark.parametrize("word", WORDS)
def test_a_text_stays_what_was_written(ai: Ai, word: str) -> None:
    read = ai(f"model: {word}", f"names: [{word}, '{word}', \"{word}\"]")
    assert read.model == word
    assert read.names == [word] * 3


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=30))
def test_any_text_in_quotes_is_that_text(ai: Ai, text: str) -> None:
    written = json.dumps(text.replace("${", "$${"))
    assert ai(f"model: {written}").model == text


@pytest.mark.parametrize("word", ["no", "on", "off", "true", "null", "~", "yes", "1"])
def test_a_key_is_a_text(ai: Ai, word: str) -> None:
    assert ai(f"flags: {{{word}: true}}").flags == {word: True}


@pytest.mark.parametrize("word", ["true", "True", "TRUE", "false", "False", "FALSE"])
def test_a_boolean_where_a_text_is_wanted_is_named_with_its_line(faults: Faults, word: str) -> None:
    content = f"plugins:\n  ai:\n    names:\n      - no\n      - {word}\n"
    [fault] = faults(content)
    assert fault.startswith("bot.yaml:5:9 plugins.ai.names[1]: should be a text; put quotes around")


@pytest.mark.parametrize("word", ["null", "Null", "~", ""])
def test_nothing_where_a_text_is_wanted_is_named(faults: Faults, word: str) -> None:
    [fault] = faults(f"plugins:\n  ai:\n    model: {word}\n")
    assert fault.startswith("bot.yaml:3:")
    assert fault.endswith(
        'plugins.ai.model: should be a text, and is empty; write "" if that is meant'
    )


@pytest.mark.parametrize("word", ["no", "yes", "on", "off", "n", "1", "0", "maybe"])
def test_a_word_is_no_boolean(faults: Faults, word: str) -> None:
    assert faults(f"plugins: {{ai: {{memory: {{auto_extract: {word}}}}}}}") == [
        "bot.yaml:1:39 plugins.ai.memory.auto_extract: should be true or false"
    ]


@pytest.mark.parametrize(
    ("written", "number"),
    [("7", 7), ("0123", 123), ("-5", -5), ("0x1F", 31), ("0o17", 15), ("'8'", 8), ("~", None)],
)
def test_whole_numbers(ai: Ai, written: str, number: int | None) -> None:
    assert ai(f"number: {written}").number == number


@pytest.mark.parametrize(
    "written", ["1.23e18", "1e3", "1.5", ".inf", "12:30", "six", "true.", "[]"]
)
def test_what_is_no_whole_number(faults: Faults, written: str) -> None:
    assert faults(f"plugins:\n  ai:\n    number: {written}\n") == [
        "bot.yaml:3:13 plugins.ai.number: should be a whole number"
    ]


@pytest.mark.parametrize(
    ("written", "number"),
    [("1.10", 1.1), ("1e3", 1000.0), ("2", 2.0), ("-.5", -0.5), ("'3.5'", 3.5)],
)
def test_numbers(ai: Ai, written: str, number: float) -> None:
    assert ai(f"ratio: {written}").ratio == number


def test_where_anything_may_stand_scalars_are_those_of_the_core_schema(ai: Ai) -> None:
    read = ai("options: {a: 1, b: 1.5, c: no, d: 0x10, e: true, f: ~, g: '1', h: [0123, .inf]}")
    expected = [1, 1.5, "no", 16, True, None, "1", [123, float("inf")]]
    assert read.options == dict(zip("abcdefgh", expected, strict=True))


def test_where_a_text_or_a_number_may_stand_the_text_is_kept(ai: Ai) -> None:
    assert ai("either: 0123").either == "0123"


@pytest.mark.parametrize("written", ["5s", "'5s'", '"5s"', "5 s"])
def test_durations(ai: Ai, written: str) -> None:
    assert ai(f"memory: {{ttl: {written}}}").memory.ttl == timedelta(seconds=5)


def test_the_alternatives_of_a_duration_are_all_named(faults: Faults) -> None:
    [fault] = faults("plugins:\n  ai:\n    memory:\n      ttl: soon\n")
    assert fault.startswith(
        "bot.yaml:4:12 plugins.ai.memory.ttl: a duration is a number and a unit"
    )
    assert fault.endswith(", or should be 'never'")


@pytest.mark.parametrize(
    ("written", "size"), [("20KiB", 20480), ("4096", 4096), ("'2MB'", 2_000_000)]
)
def test_sizes(ai: Ai, written: str, size: int) -> None:
    assert ai(f"size: {written}").size == size


def test_an_explicit_tag_of_the_core_schema_counts(ai: Ai) -> None:
    assert ai("names: [!!str true, ! null, !!str ]").names == ["true", "null", ""]


def test_text_over_several_lines_keeps_its_lines(ai: Ai) -> None:
    assert ai("model: |", "  one", "  ${X}", environment={"X": "two"}).model == "one\ntwo\n"


@pytest.mark.parametrize(
    "digits", ["1234567890123456789", "01234567890123456789", "-1001234567890123"]
)
@pytest.mark.parametrize("form", ["{}", "'{}'", '"{}"', "${{ID}}", '"${{ID}}"'])
def test_an_id_keeps_all_of_its_digits(ai: Ai, digits: str, form: str) -> None:
    read = ai(f"channel: {form.format(digits)}", environment={"ID": digits})
    assert read.channel == digits
    exported = json.loads(read.model_dump_json())
    assert exported["channel"] == digits
    assert type(read).model_validate(exported).channel == digits


@settings(
    deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(number=st.integers(min_value=-(2**63), max_value=2**64 - 1))
def test_every_id_survives(ai: Ai, number: int) -> None:
    read = ai(f"channel: {number}", f"number: {number}")
    assert read.channel == str(number)
    assert read.number == number


@pytest.mark.parametrize(
    "written", ["1.23e18", "1234567890123456789.0", "1.5", ".inf", "true", "x"]
)
def test_what_is_no_id_is_refused_at_its_place(faults: Faults, written: str) -> None:
    content = (
        "platforms:\n  telegram:\n    token: ${T}\n    chats:\n"
        f"      - 1234567890123456789\n      - {written}\n"
    )
    [fault] = faults(content, {"T": "some token"})
    assert fault.startswith(
        "bot.yaml:6:9 platforms.telegram.chats[1]: an id is a whole number with all of its digits"
    )
