"""B38: what counts as a citation, what a reader sees of it, and the line of sources."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.api import Passage
from plugins.ai.citations import Citations, marks, sources
from plugins.ai.links import Links
from plugins.ai.screen import Screen

THREE = [Passage("text", label, 1.0) for label in ("faq.md › Shipping", "b.md", "faq.md")]


def shown(text: str, citations: Citations, size: int = 3) -> str:
    screen = Screen(citations, Links(["http://x"]))
    pieces = [screen.feed(text[i : i + size]) for i in range(0, len(text), size)]
    return "".join(pieces) + screen.finish()


@pytest.mark.parametrize(
    ("text", "seen", "cited"),
    [
        ("It is so [1].", "It is so [1].", {1}),
        ("So [1, 2], or [1，3].", "So [1, 2], or [1，3].", {1, 2, 3}),
        ("So [2][3].", "So [2][3].", {2, 3}),
        ("No [5] and [999].", "No and.", set()),
        ("Half [2, 999].", "Half [2].", {2}),
        ("Zero [0].", "Zero.", set()),
        ("Index `a[1]`.", "Index `a[1]`.", set()),
        ("```\na[1]\n```\n", "```\na[1]\n```\n", set()),
        ("Link [2](http://x).", "Link [2](http://x).", set()),
        ("Carried over [8].", "Carried over.", set()),
        ("从 [3]。", "从 [3]。", {3}),
        ("A word[1] too", "A word[1] too", {1}),
        ("Open [1", "Open [1", set()),
        ("[1] first", "[1] first", {1}),
    ],
)
@pytest.mark.parametrize("size", [1, 4, 1000])
def test_marks(text: str, seen: str, cited: set[int], size: int) -> None:
    citations = Citations(3)
    assert shown(text, citations, size) == seen
    assert citations.cited == cited


def test_brackets_of_the_question_stand() -> None:
    citations = Citations(1, written=marks("sort [3, 12]"))
    assert shown("Sorted: [3, 12] [1] [9]", citations) == "Sorted: [3, 12] [1]"
    assert citations.unknown == 1


def test_where_nothing_can_be_cited_brackets_are_text() -> None:
    assert shown("[1, 2, 3] has length 3", Citations(0, citing=False)) == "[1, 2, 3] has length 3"
    assert shown("As said [8].", Citations(0)) == "As said."


@pytest.mark.parametrize(
    ("cited", "line"),
    [
        ({1}, "Sources: [1] faq.md › Shipping"),
        ({2}, "Sources: [2] b.md"),
        ({3, 1}, "Sources: [1] faq.md › Shipping, [3] faq.md"),
        (set(), "Sources: faq.md › Shipping, b.md, faq.md"),
    ],
)
def test_the_line_keeps_the_models_numbers(cited: set[int], line: str) -> None:
    assert sources(THREE, cited, str) == line


def test_one_label_is_named_once() -> None:
    same = [Passage("", "faq.md", 1.0), Passage("", "b.md", 1.0), Passage("", "faq.md", 1.0)]
    assert sources(same, {1, 3}, str) == "Sources: [1][3] faq.md"
    assert sources(same, {1, 2, 3}, str) == "Sources: [1][3] faq.md, [2] b.md"
    assert sources(same, set(), str) == "Sources: faq.md, b.md"


def test_nothing_retrieved_is_no_line() -> None:
    assert sources([], set(), str) is None


def test_a_label_stays_on_its_line_and_its_language() -> None:
    odd = [Passage("", "a\n\nSources: evil\u202e.md", 1.0)]
    assert sources(odd, {1}, lambda _: "Fuentes: {list}") == "Fuentes: [1] a Sources: evil.md"


@given(st.lists(st.integers(0, 12), max_size=8), st.integers(0, 5))
def test_only_given_numbers_are_ever_cited_or_seen(numbers: list[int], given_: int) -> None:
    citations = Citations(given_)
    seen = shown(" ".join(f"word [{number}]" for number in numbers), citations)
    assert citations.cited == {n for n in numbers if 1 <= n <= given_}
    assert marks(seen) == citations.cited
