"""Faults in an operator's own wordings."""

import pytest

from bot.wordings import faults, placeholders

KNOWN = {"Sources: {labels}", "Hello!", "{count} fact", "{count} facts"}


@pytest.mark.parametrize(
    ("message", "wording"),
    [
        ("Sources: {labels}", "From {labels}"),
        ("Sources: {labels}", "No names here"),
        ("Hello!", "Hi {{there}}!"),
        ("{count} facts", "{count:d} things"),
    ],
)
def test_a_wording_that_can_be_filled_in_is_right(message: str, wording: str) -> None:
    assert list(faults({message: wording}, KNOWN)) == []


@pytest.mark.parametrize(
    ("message", "wording", "fault"),
    [
        ("Sorces: {labels}", "x", "there is no message 'Sorces: {labels}'; did you mean 'Sources:"),
        ("Quite another thing", "x", "there is no message 'Quite another thing'"),
        ("Sources: {labels}", "{label}", "{label} is no placeholder of it; it has {labels}"),
        ("Sources: {labels}", "{labels.__class__}", "{labels.__class__} is no placeholder"),
        ("Sources: {labels}", "{}", "{} is no placeholder"),
        ("Hello!", "Hi {name}", "{name} is no placeholder of it; it has none"),
        ("Hello!", "Hi {", "write a brace that is no placeholder twice"),
        ("Hello!", "Hi }", "write a brace that is no placeholder twice"),
    ],
)
def test_a_fault_says_what_is_wrong_and_what_to_do(message: str, wording: str, fault: str) -> None:
    (found,) = faults({message: wording}, KNOWN)
    assert fault in found


def test_every_fault_is_told() -> None:
    assert len(list(faults({"a": "b", "Hello!": "{x}", "c": "d"}, KNOWN))) == 3


def test_placeholders_are_the_names_between_braces() -> None:
    assert placeholders("{a} and {b!r:>4} but not {{c}}") == {"a", "b"}
