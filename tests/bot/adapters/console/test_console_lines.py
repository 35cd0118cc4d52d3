import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.console.incoming import command, from_json, language
from bot.adapters.console.outgoing import growth
from bot.api import ChatKind, Command

NOW = datetime(2026, 1, 1, tzinfo=UTC)
FULL = {
    "chat": "g1",
    "kind": "group",
    "sender": "ana",
    "name": "Ana",
    "text": "hola",
    "addressed": True,
    "language": "es",
    "reply_to": None,
}


def test_a_whole_line_becomes_a_message() -> None:
    message = from_json(json.dumps(FULL).encode(), 7, NOW, lambda _: False)
    assert message.chat.key == "console:g1"
    assert message.chat.kind is ChatKind.GROUP
    assert message.sender.key == "console:ana"
    assert (message.sender.name, message.sender.language) == ("Ana", "es")
    assert (message.text, message.id, message.addressed) == ("hola", "7", True)


def test_what_may_be_left_out_may_be_left_out() -> None:
    line = {"chat": "c", "kind": "private", "sender": "ana", "text": "hola"}
    message = from_json(json.dumps(line).encode(), 7, NOW, lambda _: False)
    assert message.addressed
    assert message.sender.name == "ana"
    assert message.reply_to is None


def test_in_a_group_only_a_mention_or_a_reply_to_the_bot_addresses_it() -> None:
    line = {"chat": "c", "kind": "group", "sender": "ana", "text": "hola"}
    replies: list[dict[str, object]] = [
        {},
        {"reply_to": "3"},
        {"reply_to": "bot-3"},
        {"addressed": True},
    ]
    made = [
        from_json(json.dumps({**line, **more}).encode(), 7, NOW, lambda k: k.startswith("bot-"))
        for more in replies
    ]
    assert [message.addressed for message in made] == [False, False, True, True]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (b"{", "no JSON"),
        (b"[1]", "a JSON object"),
        (b"\xff\xfe", "not UTF-8"),
        (b'{"chat": "c", "sender": "a"}', "'text' is missing"),
        (b'{"chat": " ", "sender": "a", "text": "x"}', "'chat' is missing or empty"),
        (b'{"chat": "c", "sender": 5, "text": "x"}', "'sender' must be a text"),
        (b'{"chat": "c", "sender": "a", "text": "x", "addressed": 1}', "true or false"),
        (b'{"chat": "c", "sender": "a", "text": "x", "knd": "group"}', "unknown key 'knd'"),
        (b'{"chat": "c", "sender": "a", "text": "x", "kind": "party"}', "one of private, group"),
        (b"[" * 100_000, "no JSON"),
        (b'"' + b"a" * (1 << 20) + b'"', "at most"),
    ],
)
def test_a_faulty_line_says_what_is_wrong(line: bytes, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        from_json(line, 1, NOW, lambda _: False)


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_no_line_does_anything_but_be_a_message_or_a_fault(line: bytes) -> None:
    try:
        from_json(line, 1, NOW, lambda _: False)
    except ValueError as error:
        assert str(error)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/reset", Command("reset")),
        ("/language  es ", Command("language", "es")),
        ("/privacy export now", Command("privacy", "export now")),
        ("a /reset", None),
        ("/", None),
        ("/ reset", None),
    ],
)
def test_commands_are_told_from_text(text: str, expected: Command | None) -> None:
    assert command(text) == expected


def test_a_growing_text_is_printed_once() -> None:
    assert growth("It takes", "It takes 3 days") == " 3 days"
    assert growth("It takes", "About 3 days") == "\nAbout 3 days"


@pytest.mark.parametrize(
    ("environment", "tag"),
    [
        ({}, None),
        ({"LANG": "C.UTF-8"}, None),
        ({"LC_ALL": "POSIX", "LANG": "es_ES.UTF-8"}, None),
        ({"LC_ALL": "", "LANG": "es_ES.UTF-8"}, "es_ES"),
        ({"LC_MESSAGES": "pt_BR", "LANG": "es_ES.UTF-8"}, "pt_BR"),
    ],
)
def test_who_types_reads_the_language_of_the_environment(
    environment: dict[str, str], tag: str | None
) -> None:
    assert language(environment) == tag


def test_only_a_line_that_has_an_id_can_come_twice() -> None:
    line = '{"chat": "c", "sender": "ana", "text": "hi"%s}'
    bare, named = (
        from_json((line % more).encode(), 1, NOW, lambda _: False) for more in ("", ', "id": "x7"')
    )
    assert bare.update is None
    assert named.update == "x7"
