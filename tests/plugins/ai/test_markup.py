from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugins.ai.markup import LONGEST, Kind, Scanner, Segment, scan

SIGNS = "[]()!`<>.:/\"'a1，京 \n\t"
WORDS = ("``", "```", "~~~", "https://x.y/z", "www.", "x.com/", "faq.md", "b ", ", ")
TOKENS = st.sampled_from([*SIGNS, *WORDS])


def flat(segments: Iterable[Segment]) -> list[tuple[object, ...]]:
    """Join plain text and code, which may come in several pieces."""
    joined: list[tuple[object, ...]] = []
    for segment in segments:
        if segment.kind not in {Kind.TEXT, Kind.CODE}:
            joined.append((segment.kind, segment.text, segment.label, segment.target))
        elif joined and joined[-1][0] is segment.kind:
            joined[-1] = (segment.kind, f"{joined[-1][1]}{segment.text}")
        else:
            joined.append((segment.kind, segment.text))
    return joined


@given(st.lists(TOKENS, max_size=25).map("".join), st.integers(1, 4))
def test_the_same_segments_come_out_however_the_text_is_cut(text: str, size: int) -> None:
    scanner = Scanner()
    segments = [s for i in range(0, len(text), size) for s in scanner.feed(text[i : i + size])]
    segments += scanner.finish()
    assert "".join(segment.text for segment in segments) == text
    assert flat(segments) == flat(scan(text))


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("a [1]", {Kind.MARK}),
        ("a [1, 2] [1，2]", {Kind.MARK}),
        ("`a[0]`", {Kind.CODE}),
        ("``a ` [1]``", {Kind.CODE}),
        ("```py\na[0]\n```", {Kind.CODE}),
        ("~~~\n[1]\n``` [2]\n~~~", {Kind.CODE}),
        ("```\nnever closed [1]", {Kind.CODE}),
        ("[2](http://x)", {Kind.LINK}),
        ("[a [b] c](<http://x y>)", {Kind.LINK}),
        ('[a](http://x(y) "title")', {Kind.LINK}),
        ("![a](http://x)", {Kind.IMAGE}),
        ("![a][ref]", {Kind.IMAGE}),
        ("https://x.y/z", {Kind.URL}),
        ("<https://x.y/z?q=1>", {Kind.URL}),
        ("www.x.com", {Kind.URL}),
        ("x.com/y", {Kind.URL}),
        ("faq.md, and/or 3.5 [not] `open (a) [1", set()),
        ("\\n```` [x]", set()),
    ],
)
def test_kinds(text: str, kinds: set[Kind]) -> None:
    assert {segment.kind for segment in scan(text)} - {Kind.TEXT} == kinds


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("(https://w.org/a_(b))", "https://w.org/a_(b)"),
        ("see https://x.y/z.", "https://x.y/z"),
        ("看https://x.y/z。好", "https://x.y/z"),
        ("**https://x.y**", "https://x.y"),
        ("<https://x.y/a.>", "https://x.y/a."),
    ],
)
def test_a_url_ends_before_the_sentence_around_it(text: str, target: str) -> None:
    assert [s.target for s in scan(text) if s.kind is Kind.URL] == [target]


def test_what_may_become_something_does_not_wait_for_ever() -> None:
    scanner = Scanner()
    waiting = list(scanner.feed("[" + "a" * LONGEST))
    assert "".join(segment.text for segment in waiting).startswith("[")


def test_plain_text_is_not_held_back() -> None:
    scanner = Scanner()
    assert "".join(s.text for s in scanner.feed("Hello, wor")) == "Hello, "
    assert "".join(s.text for s in scanner.feed("ld. 你好")) == "world. 你好"
