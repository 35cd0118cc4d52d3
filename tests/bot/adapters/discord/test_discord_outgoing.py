"""Replies into Discord's messages: sizes, fences that are whole in each, files and buttons."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.adapters.discord.outgoing import LIMIT, Part, changed_message, new_message, parts
from bot.api import Attachment, Button, Reply

MARK = "```"
pieces = st.sampled_from(
    [
        "**bold** ",
        "`c` ",
        "🎩",
        "a" * 700,
        "字" * 900,
        "\n\n",
        "\n",
        "- i\n",
        "```py\nx = 1\n```\n",
        "~~~\ntilde\n~~~\n",
        "````md\n```\ninner\n```\n````\n",
        "\n```\n",
        "```" + "i" * 1990 + "\n",
        "  ```js title=x\n",
        "\ud800",
        "@everyone ",
        "é ",
    ]
)


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def texts(text: str) -> list[str]:
    return [part.text for part in parts(Reply(text))]


def code(shown: list[str]) -> list[str]:
    """Return the lines of code of messages, as Discord tells them from prose."""
    lines = []
    for text in shown:
        assert text.count(MARK) % 2 == 0
        for block in text.split(MARK)[1::2]:
            lines += block.split("\n")[1:-1]
    return lines


@settings(deadline=None)
@given(st.lists(pieces, max_size=30).map("".join))
def test_whatever_the_text_its_parts_fit_and_can_be_sent(text: str) -> None:
    for part in parts(Reply(text)):
        assert 0 < units(part.text) <= LIMIT
        json.dumps(new_message(part)).encode()


@pytest.mark.parametrize("size", [100, 500, 990, 1500, 1990, 2500])
def test_an_opening_line_that_is_too_long_is_not_repeated(size: int) -> None:
    lines = [f"line {n} {'x' * 90}" for n in range(60)]
    shown = texts("\n".join([f"```{'i' * size}", *lines, MARK]))
    assert all(len(text) <= LIMIT for text in shown)
    assert [line for line in code(shown) if line.startswith("line")] == lines


@pytest.mark.parametrize("last", range(1, 40))
def test_there_is_room_for_the_closing_line(last: int) -> None:
    lines = ["x" * 99] * 19 + ["y" * last, "z" * 50]
    shown = texts("\n".join(["```py", *lines]))
    assert all(len(text) <= LIMIT for text in shown)
    assert code([*shown[:-1], f"{shown[-1]}\n{MARK}" if shown[-1].count(MARK) % 2 else shown[-1]])


@given(st.lists(st.integers(10, 120), min_size=300, max_size=320))
@settings(deadline=None, max_examples=20)
def test_a_long_block_keeps_its_language_and_its_lines(widths: list[int]) -> None:
    lines = [f"{n:03}" + " x" * (width // 2) for n, width in enumerate(widths)]
    shown = texts("\n".join(["Look:", "```py", *lines, MARK, "Done."]))
    assert len(shown) > 1
    assert code(shown) == lines
    assert all(text.count(f"{MARK}py\n") == 1 for text in shown if MARK in text)


def test_fences_that_discord_does_not_know_become_the_one_that_it_does() -> None:
    assert texts("~~~c++ title=x\nint a;\n~~~\nthen") == ["```c++\nint a;\n```\nthen"]
    kept = "````\n```\ninner\n```\n````"
    assert texts(kept) == [kept], "the inner marks would end it"


def test_files_and_buttons_stand_at_the_last_message_and_after_it() -> None:
    files = tuple(Attachment(f"{n}.txt", "text/plain", b"x") for n in range(12))
    buttons = tuple(Button(f"B{n}", f"b {n}") for n in range(30))
    made = parts(Reply("a" * 3000, attachments=files, buttons=buttons))
    assert [len(part.text) for part in made] == [2000, 1000, 0]
    assert [len(part.files) for part in made] == [0, 10, 2]
    assert [len(part.buttons) for part in made] == [0, 25, 5]
    rows = new_message(made[1])["components"]
    assert [len(row["components"]) for row in rows] == [5] * 5


def test_two_buttons_that_do_the_same_are_one() -> None:
    [part] = parts(Reply("x", buttons=(Button("Yes", "go"), Button("Sure", "go"))))
    assert len(part.buttons) == 1


def test_a_label_that_is_too_long_is_cut_between_characters() -> None:
    [part] = parts(Reply("x", buttons=(Button("🎩" * 60, "go"),)))
    label = new_message(part)["components"][0]["components"][0]["label"]
    assert units(label) <= 80
    assert label == "🎩" * 39 + "…"


def test_a_change_takes_away_what_is_no_longer_there() -> None:
    before = Part("a", (Attachment("x.txt", "text/plain", b"x"),), (Button("Go", "go"),))
    change = changed_message(before, Part("b"))
    assert (change["content"], change["components"], change["attachments"]) == ("b", [], [])
    assert "attachments" not in changed_message(before, Part("b", before.files))
