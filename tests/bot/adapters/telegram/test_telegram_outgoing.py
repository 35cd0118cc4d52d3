"""Replies into messages: sizes in UTF-16 units, entities that cannot fail, menus."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.adapters.telegram.outgoing import ENTITIES, LIMIT, languages, menu, parts
from bot.api import Attachment, Button, CommandInfo, Reply


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


pieces = st.sampled_from(
    [
        "**bold** ",
        "_it_ ",
        "`c` ",
        "[a](http://x.y) ",
        "🎩",
        "a" * 700,
        "\n\n",
        "# H\n",
        "> q\n",
        "- i\n",
        "```py\nx = 1\n```\n",
        "*",
        "_",
        "`",
        "[",
        "<b>&",
        "| a | b |\n|---|---|\n",
        "é ",
        "\ud800",
        "字" * 300,
        "||s||",
        "~~g~~",
        "![i](http://e.x)",
        "\\",
        "$x$",
        "1. n\n",
    ]
)


@settings(deadline=None)
@given(st.lists(pieces, max_size=40).map("".join))
def test_whatever_the_text_its_parts_fit_and_their_entities_lie_inside(text: str) -> None:
    for part in parts(Reply(text)):
        size = units(part.text)
        assert 0 < size <= LIMIT
        assert len(part.entities) <= ENTITIES
        for entity in part.entities:
            assert entity["length"] > 0
            assert 0 <= entity["offset"] < entity["offset"] + entity["length"] <= size


@pytest.mark.parametrize("before", ["a" * 4095, "a" * 4094 + " "])
def test_no_part_ends_inside_a_character(before: str) -> None:
    text = f"{before}🎩{'b' * 50}"
    found = [part.text for part in parts(Reply(text))]
    assert all(units(part) <= LIMIT for part in found)
    assert "".join(found).replace(" ", "") == text.replace(" ", "")


def test_a_long_block_of_code_is_code_in_every_part() -> None:
    lines = [f"line {n}" for n in range(1500)]
    found = parts(Reply("See:\n\n```py\n" + "\n".join(lines) + "\n```"))
    assert len(found) > 2
    blocks = [entity for part in found for entity in part.entities if entity["type"] == "pre"]
    assert len(blocks) == len(found)
    assert {block["language"] for block in blocks} == {"py"}
    shown = [line for part in found for line in part.text.splitlines() if line.startswith("line")]
    assert shown == lines


def test_formatting_is_measured_after_it_was_taken_out() -> None:
    assert len(parts(Reply("**" + "a" * LIMIT + "**"))) == 1


@pytest.mark.parametrize("text", ["", " \n", "\n\n"])
def test_what_shows_nothing_is_nothing(text: str) -> None:
    assert parts(Reply(text)) == []


def test_buttons_are_below_the_last_part() -> None:
    buttons = (Button("Yes", "do it"), Button("No", "leave it"))
    file = Attachment("a.txt", content=b"x")
    first, last = parts(Reply("text", (file,), buttons))
    assert (first.buttons, first.file) == ((), None)
    assert (last.buttons, last.file) == (buttons, file)


def commands(count: int) -> list[CommandInfo]:
    return [
        CommandInfo(
            f"c{n}",
            f"does {n}",
            "p",
            names={"es": f"d{n}"},
            summaries={"es": f"hace {n}", "pt_BR": "x" * 300, "zh_Hans": f"做{n}"},
        )
        for n in range(count)
    ]


def test_a_menu_speaks_the_language_and_has_room() -> None:
    assert menu(commands(2), "es") == [("d0", "hace 0"), ("d1", "hace 1")]
    assert menu(commands(1), None) == [("c0", "does 0")]
    assert menu(commands(1), "pt_BR") == [("c0", "x" * 256)]
    assert len(menu(commands(150), None)) == 100


def test_languages_are_named_as_telegram_does() -> None:
    assert languages(commands(1)) == {"es": "es", "pt": "pt_BR", "zh": "zh_Hans"}


@given(st.lists(st.text(max_size=30), max_size=30).map("\n\n".join))
def test_plain_text_loses_nothing_but_blanks(text: str) -> None:
    plain = "".join(letter for letter in text if letter.isalnum())
    shown = "".join(part.text for part in parts(Reply(plain)))
    assert shown == plain


def test_paragraphs_stay_apart() -> None:
    text = "\n\n".join(f"{n} " + "word " * 300 for n in range(6))
    found = [part.text for part in parts(Reply(text))]
    for one, other in pairwise(found):
        assert one.rstrip().endswith("word")
        assert other[0].isdigit()
