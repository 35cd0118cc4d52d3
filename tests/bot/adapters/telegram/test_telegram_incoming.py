"""Updates into messages: who speaks, where, to whom, and with which command."""

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.telegram.incoming import UNREADABLE, Ignored, Moved, incoming
from bot.adapters.telegram.speech import Hearer
from bot.api import ChatKind, Command, Message

BOT = Hearer(99, "@mybot")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
ANA = {"id": 7, "is_bot": False, "first_name": "Ana", "last_name": "Gil", "language_code": "es"}
OTHER_BOT = {"id": 8, "is_bot": True, "first_name": "Other", "username": "OtherBot"}
SELF = {"id": 99, "is_bot": True, "first_name": "Bot", "username": "MyBot"}
ANONYMOUS = {"id": 1087968824, "is_bot": True, "first_name": "Group"}
PRIVATE = {"id": 7, "type": "private", "first_name": "Ana"}
GROUP = {"id": -100, "type": "supergroup", "title": "Us"}


def raw(text: str | None = "hello", chat: Mapping[str, Any] = GROUP, **more: Any) -> dict[str, Any]:
    bare = {"message_id": 5, "date": 1_700_000_000, "from": ANA, "chat": chat}
    return bare | ({} if text is None else {"text": text}) | more


def entity(text: str, word: str, kind: str, **more: Any) -> dict[str, Any]:
    """Return the entity of a word in a text, measured in UTF-16 units."""
    before = text[: text.index(word)]
    sizes = [len(piece.encode("utf-16-le")) // 2 for piece in (before, word)]
    return {"type": kind, "offset": sizes[0], "length": sizes[1], **more}


def read(message: dict[str, Any], hearer: Hearer = BOT, kind: str = "message") -> Message:
    found = incoming({"update_id": 3, kind: message}, hearer, NOW)
    assert isinstance(found, Message)
    return found


def test_a_private_message_is_for_the_bot() -> None:
    message = read(raw(chat=PRIVATE))
    assert message.addressed
    assert message.chat.key == "telegram:7"
    assert message.chat.private
    assert message.sender.key == "telegram:7"
    assert (message.sender.name, message.sender.language) == ("Ana Gil", "es")
    assert (message.id, message.update, message.text) == ("5", "3", "hello")
    assert message.time == datetime.fromtimestamp(1_700_000_000, UTC)


@pytest.mark.parametrize(
    ("text", "word", "kind", "more", "addressed"),
    [
        ("mail foo@mybot.example", "foo@mybot.example", "email", {}, False),
        ("@mybotx hi", "@mybotx", "mention", {}, False),
        ("`@mybot`", "@mybot", "code", {}, False),
        ("🎩 @MyBot hi", "@MyBot", "mention", {}, True),
        ("@MYBOT", "@MYBOT", "mention", {}, True),
        ("hey Bot", "Bot", "text_mention", {"user": SELF}, True),
        ("hey Ana", "Ana", "text_mention", {"user": ANA}, False),
    ],
)
def test_only_an_entity_mentions(
    text: str, word: str, kind: str, more: dict[str, Any], addressed: object
) -> None:
    message = read(raw(text, entities=[entity(text, word, kind, **more)]))
    assert message.addressed is addressed


def test_a_mention_without_an_entity_is_text() -> None:
    assert not read(raw("@mybot hi")).addressed


def test_the_mention_at_the_beginning_is_no_part_of_the_question() -> None:
    text = "@MyBot, how long?"
    assert read(raw(text, entities=[entity(text, "@MyBot", "mention")])).text == "how long?"


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/reset", Command("reset")),
        ("/RESET@MyBot now please", Command("reset", "now please")),
        ("/reset@otherbot", None),
    ],
)
def test_a_command_with_its_bot(text: str, command: Command | None) -> None:
    word = text.split(maxsplit=1)[0]
    message = read(raw(text, entities=[entity(text, word, "bot_command")]))
    assert message.command == command
    assert message.addressed is ("@MyBot" in text)


@pytest.mark.parametrize(
    "message",
    [
        raw("/reset", entities=[entity("/reset", "/reset", "code")]),
        raw("🎩 /reset", entities=[entity("🎩 /reset", "/reset", "bot_command")]),
        raw(
            None,
            photo=[{"file_id": "a"}],
            caption="/reset",
            caption_entities=[entity("/reset", "/reset", "bot_command")],
        ),
        raw(
            "/reset",
            entities=[entity("/reset", "/reset", "bot_command")],
            reply_to_message=raw("hi", **{"from": OTHER_BOT}),
        ),
        raw(
            "/reset",
            entities=[entity("/reset", "/reset", "bot_command")],
            forward_origin={"type": "hidden_user", "date": 1, "sender_user_name": "Eve"},
        ),
    ],
)
def test_what_only_looks_like_a_command(message: dict[str, Any]) -> None:
    assert read(message).command is None


def test_a_caption_commands_where_it_may() -> None:
    caption: dict[str, Any] = {
        "photo": [{"file_id": "small"}, {"file_id": "large", "file_size": 9}],
        "caption": "/reset",
        "caption_entities": [entity("/reset", "/reset", "bot_command")],
    }
    message = read(raw(None, **caption), Hearer(99, "@mybot", caption_commands=True))
    assert message.command == Command("reset")
    [file] = message.attachments
    assert (file.id, file.size, file.media_type) == ("large", 9, "image/jpeg")


def test_a_reply_to_the_bot_is_for_it() -> None:
    mine = raw("before", message_id=4, **{"from": SELF})
    message = read(raw("and then?", reply_to_message=mine))
    assert message.addressed
    assert message.reply_to is not None
    assert (message.reply_to.id, message.reply_to.text, message.reply_to.own) == (
        "4",
        "before",
        True,
    )
    assert not read(raw("no", reply_to_message=raw("x", message_id=4))).addressed


def test_all_can_be_meant_for_it() -> None:
    assert read(raw("hello"), Hearer(99, "@mybot", answer_all=True)).addressed


@pytest.mark.parametrize(
    ("more", "key"),
    [
        ({"message_thread_id": 5, "is_topic_message": True}, "telegram:-100:5"),
        ({"message_thread_id": 5}, "telegram:-100"),
        ({"message_thread_id": 1, "is_topic_message": True}, "telegram:-100"),
        ({}, "telegram:-100"),
    ],
)
def test_a_topic_is_a_chat_of_its_own_and_general_is_the_group(
    more: dict[str, Any], key: str
) -> None:
    assert read(raw(**more)).chat.key == key


def test_the_opening_of_a_topic_is_no_quote() -> None:
    opening = raw(None, message_id=5, forum_topic_created={"name": "Shop"})
    topic: dict[str, Any] = {"message_thread_id": 5, "is_topic_message": True}
    assert read(raw(reply_to_message=opening, **topic)).reply_to is None


def test_who_speaks_as_the_group_is_nobody() -> None:
    message = read(raw("/settings", sender_chat=GROUP, **{"from": ANONYMOUS}))
    assert message.sender.anonymous
    assert message.sender.id == "-100"
    assert not message.sender.is_bot


def test_a_button_is_a_command_of_whoever_presses_it() -> None:
    pressed = {"id": "1", "from": ANA, "chat_instance": "x", "data": "language es"}
    shown = raw("Choose", chat=GROUP, message_id=8, **{"from": SELF})
    update = {"update_id": 4, "callback_query": {**pressed, "message": shown}}
    message = incoming(update, BOT, NOW)
    assert isinstance(message, Message)
    assert message.command == Command("language", "es")
    assert message.sender.key == "telegram:7"
    assert message.addressed
    assert message.chat.key == "telegram:-100"
    assert message.time == NOW


@pytest.mark.parametrize(
    ("origin", "name"),
    [
        ({"type": "user", "date": 1, "sender_user": {**ANA, "first_name": "Eve"}}, "Eve Gil"),
        ({"type": "hidden_user", "date": 1, "sender_user_name": "Hidden"}, "Hidden"),
        ({"type": "chat", "date": 1, "sender_chat": GROUP}, "Us"),
        (
            {"type": "channel", "date": 1, "message_id": 1, "chat": {**GROUP, "title": "News"}},
            "News",
        ),
    ],
)
def test_what_is_forwarded_is_marked_as_somebody_elses(origin: dict[str, Any], name: str) -> None:
    text = "@MyBot I am vegan"
    forwarded = raw(text, forward_origin=origin, entities=[entity(text, "@MyBot", "mention")])
    message = read(forwarded)
    assert message.forwarded == name
    assert not message.addressed
    assert read({**forwarded, "chat": PRIVATE}).addressed


def test_a_quoted_part_stands_in_the_quote_only() -> None:
    whole = raw("I am vegan and my PIN is 1234", message_id=4)
    message = read(raw("remember this", reply_to_message=whole, quote={"text": "I am vegan"}))
    assert message.text == "remember this"
    assert message.reply_to is not None
    assert message.reply_to.text == "I am vegan"


def test_an_edit_says_that_it_is_one() -> None:
    assert read(raw("better"), kind="edited_message").edited
    assert not read(raw("first")).edited


@pytest.mark.parametrize(
    ("update", "why"),
    [
        ({"channel_post": raw()}, Ignored.CHANNEL),
        ({"edited_channel_post": raw()}, Ignored.CHANNEL),
        ({"message": raw(is_automatic_forward=True, sender_chat=GROUP)}, Ignored.CHANNEL),
        ({"message": raw(None, new_chat_members=[ANA])}, Ignored.SERVICE),
        ({"my_chat_member": {}}, Ignored.OTHER),
        ({}, Ignored.OTHER),
        ({"callback_query": {"id": "1", "from": ANA, "chat_instance": "x"}}, Ignored.OTHER),
    ],
)
def test_what_is_no_message_says_why(update: dict[str, Any], why: Ignored) -> None:
    assert incoming({"update_id": 1, **update}, BOT, NOW) is why


@pytest.mark.parametrize(
    "service",
    [
        raw(None, chat={"id": -100, "type": "group"}, migrate_to_chat_id=-1001),
        raw(None, chat={"id": -1001, "type": "supergroup"}, migrate_from_chat_id=-100),
    ],
)
def test_both_messages_of_a_move_name_the_same_chats(service: dict[str, Any]) -> None:
    moved = incoming({"update_id": 1, "message": service}, BOT, NOW)
    assert isinstance(moved, Moved)
    assert (moved.old.key, moved.new.key) == ("telegram:-100", "telegram:-1001")
    assert moved.new.kind is ChatKind.GROUP


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*raw(), "entities", "type", "id", "data"]), inner)
    ),
    max_leaves=12,
)


@given(
    st.sampled_from(["message", "edited_message", "callback_query", "channel_post"]),
    st.dictionaries(st.sampled_from([*raw(), "entities", "caption", "data", "photo"]), values),
)
def test_whatever_comes_is_a_message_or_a_known_kind_of_error(
    kind: str, fields: dict[str, Any]
) -> None:
    update = json.loads(json.dumps({"update_id": 1, kind: {**raw(), **fields}}))
    with suppress(*UNREADABLE):
        incoming(update, BOT, NOW)
