import re
from collections.abc import Callable
from itertools import pairwise
from unicodedata import combining

import pyromark
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.api import split

END = "the end of the part"
FENCE_LINE = re.compile(r"^[ \t]*(```|~~~).*\n?", re.MULTILINE)

words = st.text(
    st.sampled_from("abc.!?,*_。！？，字é\u0301🎩👍🏽\u200d🇪🇸\u00a0"), min_size=1, max_size=40
)
prose = st.lists(words, min_size=1, max_size=12).map(" ".join)
code_lines = st.lists(st.text(st.sampled_from("xy =#()\t"), max_size=30), max_size=20)
blocks = st.builds(
    lambda mark, info, lines: "\n".join([mark + info, *lines, mark]),
    st.sampled_from(["```", "~~~", "````", "~~~~~"]),
    st.sampled_from(["", "py", "c++ title"]),
    code_lines,
)
texts = st.lists(st.one_of(prose, blocks), max_size=6).flatmap(
    lambda pieces: st.sampled_from(["\n\n", "\n", "\n \n\n"]).map(lambda gap: gap.join(pieces))
)


def utf16(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def shown_utf16(text: str) -> int:
    """Measure as a platform does that strips the marks of bold and italic first."""
    return utf16(text.replace("*", "").replace("_", ""))


def code(text: str) -> list[str]:
    """Return the code lines of a text as another Markdown parser sees them."""
    found, inside = "", False
    for event in pyromark.events(text):
        if isinstance(event, dict) and "Start" in event:
            inside = inside or "CodeBlock" in event["Start"]
        elif isinstance(event, dict) and "End" in event:
            inside = inside and event["End"] != "CodeBlock"
        elif inside and isinstance(event, dict) and "Text" in event:
            found += event["Text"]
    return found.splitlines()


def closes_all(part: str) -> bool:
    return END not in "".join(code(f"{part}\n{END}\n"))


def letters(text: str) -> str:
    return "".join(FENCE_LINE.sub("", text).split())


@given(texts, st.integers(40, 400), st.sampled_from([len, utf16, shown_utf16]))
def test_parts_fit_and_lose_nothing(text: str, limit: int, measure: Callable[[str], int]) -> None:
    parts = split(text, limit, measure)
    assert all(measure(part) <= limit for part in parts)
    assert all(part.strip() for part in parts)
    assert letters("\n".join(parts)) == letters(text)


@given(texts, st.integers(52, 400))  # the longest line of code fits beside its fences
def test_fences_are_balanced_and_code_is_unchanged(text: str, limit: int) -> None:
    parts = split(text, limit)
    assert all(closes_all(part) for part in parts)
    assert [line for part in parts for line in code(part)] == code(text)


@given(texts)
def test_what_fits_is_one_part(text: str) -> None:
    assert split(text, len(text) + 1) == ([text.rstrip().lstrip("\n")] if text.strip() else [])


@given(st.text(), st.integers(1, 50))
def test_any_text_in_any_limit_ends_and_keeps_its_characters(text: str, limit: int) -> None:
    parts = split(text, limit)
    assert all(len(part) <= limit for part in parts) or "```" in text or "~~~" in text
    assert letters("".join(parts)) == letters(text) or "```" in text or "~~~" in text


@pytest.mark.parametrize("text", ["", " ", "\n\n", " \t\n \u3000"])
def test_blank_text_gives_no_part(text: str) -> None:
    assert split(text, 10) == []


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="1 or more"):
        split("text", 0)


@pytest.mark.parametrize(
    ("text", "limit", "parts"),
    [
        ("one\n\ntwo three\nfour", 12, ["one", "two three", "four"]),
        ("one two\nthree. four", 15, ["one two", "three. four"]),
        ("One two. Three four", 14, ["One two.", "Three four"]),
        ("一二三。四五六！七八九", 9, ["一二三。四五六！", "七八九"]),
        ("one two three", 9, ["one two", "three"]),
        ("onetwothree", 6, ["onetwo", "three"]),
        ("- one\n  - two\n  - three", 14, ["- one\n  - two", "  - three"]),
    ],
)
def test_the_best_break_is_taken(text: str, limit: int, parts: list[str]) -> None:
    assert split(text, limit) == parts


def test_a_short_beginning_does_not_stand_alone() -> None:
    text = "Hello.\n\n" + "A sentence of words. " * 20
    assert len(split(text, 200)[0]) > 150


def test_b01_no_part_ends_inside_a_character() -> None:
    for text in ("a" * 4095 + "🎩" + "b" * 50, "a" * 4094 + " 🎩" + "b" * 50):
        parts = split(text, 4096, utf16)
        assert all(utf16(part) <= 4096 for part in parts)
        assert "".join(parts).replace(" ", "") == text.replace(" ", "")
        assert all(part.encode("utf-16") for part in parts)


@given(st.text(st.sampled_from("aé\u0301👍🏽👩\u200d💻🇪🇸한"), min_size=30, max_size=200))
@example("👩\u200d💻" * 30)
@example("🇪🇸" * 40)
@example("e\u0301" * 40)
def test_b01_no_cut_inside_a_visible_character(text: str) -> None:
    for before, after in pairwise(split(text, 20)):
        long_cluster = len(before) == 20 and not before.isascii()
        assert long_cluster or not combining(after[0])
        assert after[0] not in "\u200d🏽" or long_cluster


def test_b01_flags_and_families_stay_whole() -> None:
    assert split("🇪🇸" * 5, 7) == ["🇪🇸🇪🇸🇪🇸", "🇪🇸🇪🇸"]
    assert split("👩\u200d💻" * 3, 7) == ["👩\u200d💻" * 2, "👩\u200d💻"]
    assert split("ne\u0301e\u0301", 2) == ["n", "e\u0301", "e\u0301"]


@pytest.mark.parametrize("info", [1_000, 1_990, 1_992, 1_993, 2_500, 6_000])
def test_b03_an_endless_info_string_is_not_repeated(info: int) -> None:
    lines = [f"{number:03} " + "c" * 46 for number in range(120)]
    text = "\n".join(["Look:", "```" + "i" * info, *lines, "```", "Done."])
    parts = split(text, 2_000)
    assert all(len(part) <= 2_000 for part in parts)
    assert all(closes_all(part) for part in parts)
    assert sum(part.count("i") for part in parts) == info
    assert [line for part in parts for line in code(part) if line.strip("i")] == lines


@pytest.mark.parametrize("mark", ["```", "~~~", "`````"])
def test_b04_room_for_the_closing_fence_is_kept(mark: str) -> None:
    for spare in range(12):
        lines = ["c" * (1_989 - len(mark) - spare), "d" * 1_500, "e" * 7]
        text = "\n".join([mark, *lines, mark])
        parts = split(text, 2_000)
        assert all(len(part) <= 2_000 for part in parts)
        assert [line for part in parts for line in code(part)] == lines


def test_b05_every_part_of_a_long_block_is_a_block() -> None:
    lines = [f"    value_{number} = {number}  # a line of code" for number in range(300)]
    parts = split("\n".join(["Here it is:", "```py", *lines, "```"]), 2_000)
    assert len(parts) > 5
    assert parts[0].startswith("Here it is:\n```py\n    value_0 = 0")
    assert all(part.startswith("```py\n") for part in parts[1:])
    assert all(part.count("```") == 2 and part.endswith("\n```") for part in parts)
    assert [line for part in parts for line in code(part)] == lines


def test_a_block_that_fits_stays_whole() -> None:
    block = "```py\n" + "x = 1\n\n" * 10 + "```"
    prose = "Words of a sentence. " * 4
    assert split(f"{prose}\n{block}\n{prose}", 120)[1] == block


def test_a_block_inside_a_list_is_opened_again_outside_of_it() -> None:
    lines = [f"     line {number}" for number in range(20)]
    text = "\n".join(["1. Do this:", "", "     ```sh", *lines, "     ```", "", "2. Then that."])
    parts = split(text, 120)
    assert all(closes_all(part) for part in parts)
    assert all(part.startswith("   ```sh\n") for part in parts[1:-1])
    assert not any("Then" in line for part in parts for line in code(part))


def test_a_shorter_or_indented_fence_inside_a_block_is_code() -> None:
    lines = ["```py", "x = 1", "```", "     ````"] * 12
    parts = split("\n".join(["````md", *lines, "````"]), 100)
    assert all(part.startswith("````md\n") and closes_all(part) for part in parts)
    assert [line for part in parts for line in code(part)] == lines


def test_a_block_that_is_not_closed_yet_is_closed() -> None:
    assert split("So:\n```py\nx = 1", 100) == ["So:\n```py\nx = 1\n```"]


@pytest.mark.parametrize(
    "text",
    [
        "a" * 100_000,
        "word " * 20_000,
        "." * 100_000,
        " " * 50_000 + "x" * 50_000,
        "```\n" * 25_000,
        "```py\n" + "y = 1\n" * 16_000,
        "🇪🇸" * 50_000,
        "x" + " \n" * 50_000 + "y",
    ],
)
def test_a_costly_measure_is_called_in_proportion(text: str) -> None:
    seen = 0

    def measure(piece: str) -> int:
        nonlocal seen
        seen += len(piece)
        return len(piece)

    parts = split(text, 2_000, measure)
    assert seen < 40 * len(text) + 40 * 2_000
    assert all(len(part) <= 2_000 for part in parts)


def test_a_measure_that_shrinks_at_the_end_of_a_mark_is_survived() -> None:
    def measure(text: str) -> int:
        return len(text) if text.count("*") % 2 else len(text.replace("*", ""))

    text = "*bold text that is long* and plain text. " * 50
    parts = split(text, 100, measure)
    assert all(measure(part) <= 100 for part in parts)
    assert "".join("".join(parts).split()) == "".join(text.split())
