import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from plugins.ai.memory.parsing import Candidate, Malformed, parse, schema

TYPED = {"type": "fact", "text": "Has a cat", "confidence": 0.5}


@pytest.mark.parametrize(
    ("answer", "facts"),
    [
        ('{"facts": []}', []),
        ('{"facts":["likes tea"]}', ["likes tea"]),
        (' \n{"facts": ["a", "b"]}\n ', ["a", "b"]),
        ('<think>maybe {"facts":["x"]}</think>{"facts":["likes tea"]}', ["likes tea"]),
        ('<think>a</think><thinking>b</thinking>\n{"facts":["likes tea"]}', ["likes tea"]),
        ('{"facts":["says <think> a lot"]}', None),
        ('{"facts": ["two\\nlines\\u202e and a\\u0000 sign"]}', ["two lines and a sign"]),
    ],
)
def test_an_answer_is_read(answer: str, facts: list[str] | None) -> None:
    if facts is None:
        with pytest.raises(Malformed):
            parse(answer, typed=False)
    else:
        assert [candidate.text for candidate in parse(answer, typed=False)] == facts


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "empty"),
        ("<think>never ends", "empty"),
        ('<think>open {"facts":["x"]}', "empty"),
        ('```json\n{"facts":["x"]}\n```', "not only an object"),
        ('Based on {this}: {"facts":["x"]}', "not only an object"),
        ('{"facts":["x"]} done', "not only an object"),
        ('["x"]', "not only an object"),
        ('"x"', "not only an object"),
        ('{"facts":["x"]}{"facts":["y"]}', "no JSON"),
        ('{"facts":["x"]', "not only an object"),
        ("{'facts':['x']}", "no JSON"),
        ('{"facts":["x"],}', "no JSON"),
        ("{" * 5000 + "}" * 5000, "no JSON"),
        ('{"facts":' + "[" * 100_000 + "]" * 100_000 + "}", "no JSON"),
        ("{}", "other keys"),
        ('{"fact":["x"]}', "other keys"),
        ('{"facts":["x"],"note":"y"}', "other keys"),
        ('{"facts":["x"],"facts":["y"]}', "a key twice"),
        ('{"facts":"x"}', "facts are no list"),
        ('{"facts":null}', "facts are no list"),
        ('{"facts":{"0":"x"}}', "facts are no list"),
        ('{"facts":["x",1]}', "a fact is no text"),
        ('{"facts":["x",null]}', "a fact is no text"),
        ('{"facts":[["x"]]}', "a fact is no text"),
        ('{"facts":[NaN]}', "NaN is no JSON"),
    ],
)
def test_whatever_else_is_dropped_whole(answer: str, reason: str) -> None:
    with pytest.raises(Malformed, match=f"^{reason}$"):
        parse(answer, typed=False)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"type": "mood"}, "an unknown type"),
        ({"type": None}, "an unknown type"),
        ({"type": ["fact"]}, "an unknown type"),
        ({"text": 1}, "a fact is no text"),
        ({"confidence": "0.5"}, "a confidence is no number"),
        ({"confidence": True}, "a confidence is no number"),
        ({"confidence": 1.01}, "a confidence is not from 0 to 1"),
        ({"confidence": -0.01}, "a confidence is not from 0 to 1"),
        ({"note": ""}, "a fact lacks its fields"),
    ],
)
def test_a_typed_fact_has_its_three_fields(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(Malformed, match=reason):
        parse(json.dumps({"facts": [TYPED, TYPED | change]}), typed=True)


def test_a_typed_fact_is_read() -> None:
    assert parse(json.dumps({"facts": [TYPED]}), typed=True) == [
        Candidate("Has a cat", "fact", 0.5)
    ]
    with pytest.raises(Malformed):
        parse(json.dumps({"facts": [TYPED]}), typed=False)
    with pytest.raises(Malformed):
        parse('{"facts": ["Has a cat"]}', typed=True)


@given(st.text(), st.booleans())
def test_no_text_breaks_it(answer: str, typed: bool) -> None:  # noqa: FBT001
    try:
        parse(answer, typed=typed)
    except Malformed as error:
        assert str(error)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(JSON, st.booleans())
def test_only_texts_come_out_of_any_json(value: Any, typed: bool) -> None:  # noqa: FBT001
    try:
        found = parse(json.dumps({"facts": value}), typed=typed)
    except Malformed:
        assert not (
            isinstance(value, list) and all(isinstance(v, str) for v in value) and not typed
        )
    else:
        assert isinstance(value, list)
        assert all(isinstance(candidate.text, str) for candidate in found)
        assert len(found) == len(value)


@pytest.mark.parametrize("typed", [True, False])
def test_the_schema_takes_what_is_read(typed: bool) -> None:  # noqa: FBT001
    checker = Draft202012Validator(dict(schema(typed=typed)))
    good = {"facts": [TYPED] if typed else ["Has a cat"]}
    assert checker.is_valid(good)
    assert checker.is_valid({"facts": []})
    for bad in ({}, {"facts": "x"}, {"facts": [1]}, good | {"note": 1}):
        assert not checker.is_valid(bad)
