"""B12: whatever is stored and wherever it is cut, what is sent is a valid conversation."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.api import Entry, Json, Role
from plugins.ai.providers.provider import Turn
from plugins.ai.repair import NO_RESULT, turns
from plugins.ai.tokens import estimate
from plugins.ai.window import begin


def user(text: str = "u", tokens: int = 10) -> Entry:
    return Entry(Role.USER, {"text": text}, "ana", tokens)


def assistant(text: str = "a", *calls: str, tokens: int = 10) -> Entry:
    made: list[Json] = [{"id": call, "name": "look", "arguments": "{}"} for call in calls]
    return Entry(Role.ASSISTANT, {"text": text, "calls": made}, "ana", tokens)


def tool(call: str, tokens: int = 10) -> Entry:
    return Entry(Role.TOOL, {"text": f"result {call}", "call": call}, "ana", tokens)


TALK = [
    user("one"),
    assistant("", "a", "b"),
    tool("a"),
    tool("b"),
    assistant("so"),
    user("two"),
    assistant("ok"),
    user("three"),
]


@pytest.mark.parametrize(
    ("budget", "kept"),
    [(80, "one"), (79, "two"), (50, "two"), (40, "two"), (30, "two"), (29, "three"), (10, "three")],
)
def test_the_cut_is_at_a_persons_message(budget: int, kept: str) -> None:
    rest = TALK[begin(TALK, budget) :]
    assert rest[0].role is Role.USER
    assert rest[0].content == {"text": kept}
    assert sum(entry.tokens for entry in rest) <= budget


def test_nothing_is_kept_where_nothing_fits() -> None:
    assert TALK[begin(TALK, 9) :] == []
    assert begin([], 100) == 0


odd_content: st.SearchStrategy[Json] = st.one_of(
    st.none(), st.text(max_size=3), st.lists(st.integers()), st.just({"text": 5}), st.just({})
)
entries = st.lists(
    st.one_of(
        st.builds(user, st.sampled_from(["hi", " ", "there"]), st.integers(1, 30)),
        st.builds(assistant, st.sampled_from(["", "yes", "no"]), st.sampled_from("abc")),
        st.builds(assistant, st.sampled_from(["", " ", "ok"])),
        st.builds(tool, st.sampled_from("abcd"), tokens=st.integers(1, 30)),
        st.builds(Entry, st.sampled_from(list(Role)), odd_content, st.sampled_from(["ana", None])),
    ),
    max_size=14,
)


def check(sent: Sequence[Turn]) -> None:
    """Check the rules that all providers have between them."""
    waiting: list[str] = []
    for place, turn in enumerate(sent):
        if turn.role is Role.TOOL:
            assert turn.call in waiting
            waiting.remove(turn.call)
            continue
        assert not waiting
        assert turn.text.strip() or turn.calls
        assert not turn.calls or turn.role is Role.ASSISTANT
        if place == 0:
            assert turn.role is Role.USER
        else:
            assert sent[place - 1].role is not turn.role
        waiting = [call.id for call in turn.calls]
    assert not waiting


@given(entries, st.integers(0, 200))
def test_any_stored_state_gives_a_valid_request(stored: list[Entry], budget: int) -> None:
    check(turns(stored, "ana"))
    check(turns(stored[begin(stored, budget) :], "ana"))


def test_calls_and_results_are_put_right() -> None:
    sent = turns([user(), assistant("", "a", "b"), tool("b"), tool("x"), user("next")], "ana")
    assert [(turn.role, turn.text) for turn in sent] == [
        (Role.USER, "u"),
        (Role.ASSISTANT, ""),
        (Role.TOOL, NO_RESULT),
        (Role.TOOL, "result b"),
        (Role.USER, "next"),
    ]


@pytest.mark.parametrize("asker", ["bea", None])
def test_what_tools_found_for_one_is_not_shown_to_another(asker: str | None) -> None:
    sent = turns([user(), assistant("I look.", "a"), tool("a"), assistant("so")], asker)
    assert [(turn.role, turn.text) for turn in sent] == [
        (Role.USER, "u"),
        (Role.ASSISTANT, "I look.\n\nso"),
    ]
    assert not any(turn.calls for turn in sent)


def test_dead_turns_are_joined_and_empty_ones_left_out() -> None:
    sent = turns([assistant("before"), user("a"), user("b"), assistant(" "), user("c")], "ana")
    assert sent == [Turn(Role.USER, "a\n\nb\n\nc")]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 4), ("a" * 36, 14), ("你好" * 10, 4 + 17), ("你好 hello", 4 + round(1.7 + 6 / 3.6))],
)
def test_the_estimate(text: str, tokens: int) -> None:
    assert estimate(text) == tokens
