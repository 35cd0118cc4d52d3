"""Replies on a loopback Discord: sent, changed, and refused."""

from collections.abc import Callable
from typing import Any

import pytest

from bot.api import (
    AdapterError,
    Attachment,
    Button,
    Chat,
    ChatKind,
    Forbidden,
    RateLimited,
    Reply,
    Sent,
    Unauthorized,
    Unavailable,
)

OnDiscord = Callable[..., Any]
PRIVATE = Chat("discord", "700")
CHANNEL = Chat("discord", "600", ChatKind.GROUP)
SEND = "/channels/700/messages"
ORIGINAL = "/webhooks/900/interaction-token/messages/@original"


async def test_nobody_is_ever_pinged_and_no_link_previewed(
    discord_server: Any, on_discord: OnDiscord
) -> None:
    text = "@everyone <@&123> <@456> https://example.com/?q=secret"
    file = Attachment("a.txt", "text/plain", b"hello")
    async with on_discord() as talk:
        sent = await talk.adapter.send(CHANNEL, Reply(text))
        await talk.adapter.edit(sent, Reply(f"{text}!"))
        await discord_server.asks("hi")
        await talk.hears(1)
        answer = await talk.adapter.send(CHANNEL, Reply(text, reply_to="20"))
        await talk.adapter.edit(answer, Reply(f"{text}!", reply_to="20"))
        await talk.adapter.send(CHANNEL, Reply(text, reply_to="20"))
        await talk.adapter.send(CHANNEL, Reply(text, attachments=(file,)))
    bodies = [c.body for c in discord_server.calls if c.body and "content" in c.body]
    assert len(bodies) == 6
    for body in bodies:
        assert body["allowed_mentions"] == {"parse": [], "replied_user": False}
        assert body["flags"] & 4


@pytest.mark.parametrize(
    ("status", "code"),
    [(401, 50027), (404, 10015)],
)
async def test_an_interaction_that_is_over_is_answered_in_its_channel(
    discord_server: Any, on_discord: OnDiscord, status: int, code: int
) -> None:
    discord_server.fail("PATCH", ORIGINAL, status, code)
    async with on_discord() as talk:
        await discord_server.asks("hi")
        await talk.hears(1)
        await talk.adapter.send(CHANNEL, Reply("late", reply_to="20"))
    assert [b["content"] for b in discord_server.of("POST", "/channels/600/messages")] == ["late"]


async def test_an_interaction_that_was_not_acknowledged_is_answered_in_its_channel(
    discord_server: Any, on_discord: OnDiscord
) -> None:
    discord_server.fail("POST", "/interactions/20/interaction-token/callback", 404, 10062)
    async with on_discord() as talk:
        await discord_server.asks("hi")
        await talk.hears(1)
        await talk.adapter.send(CHANNEL, Reply("late", reply_to="20"))
    assert discord_server.texts == ["late"]
    assert discord_server.of("PATCH", ".*") == []


async def test_a_limit_is_waited_for(discord_server: Any, on_discord: OnDiscord) -> None:
    discord_server.fail("POST", SEND, 429)
    async with on_discord() as talk:
        await talk.adapter.send(PRIVATE, Reply("whole"))
    assert discord_server.texts == ["whole"]
    bodies = discord_server.of("POST", SEND)
    assert len({body["nonce"] for body in bodies}) == 1
    assert all(body["enforce_nonce"] for body in bodies)


async def test_a_limit_that_lasts_too_long_is_told(
    discord_server: Any, on_discord: OnDiscord
) -> None:
    discord_server.fail("POST", SEND, 429, wait=3600)
    async with on_discord() as talk:
        with pytest.raises(RateLimited) as error:
            await talk.adapter.send(PRIVATE, Reply("whole"))
    assert error.value.retry_after == 3600


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (400, 50035, AdapterError),
        (401, 0, Unauthorized),
        (403, 50007, Forbidden),
        (404, 10003, AdapterError),
        (503, 0, Unavailable),
    ],
)
async def test_a_refusal_is_an_error_of_ours(
    discord_server: Any, on_discord: OnDiscord, status: int, code: int, kind: type[AdapterError]
) -> None:
    discord_server.fail("POST", SEND, status, code)
    async with on_discord() as talk:
        with pytest.raises(AdapterError) as error:
            await talk.adapter.send(PRIVATE, Reply("my words"))
    assert type(error.value) is kind
    assert error.value.__cause__ is not None
    assert "my words" not in str(error.value)


async def test_a_long_reply_grows_and_shrinks(discord_server: Any, on_discord: OnDiscord) -> None:
    long = "\n\n".join(f"{n} {'x' * 900}" for n in range(5))
    async with on_discord() as talk:
        sent = await talk.adapter.send(PRIVATE, Reply("0 x", partial=True))
        sent = await talk.adapter.edit(sent, Reply(long))
        assert len(sent.ids) == 3
        assert "".join("".join(discord_server.texts).split()) == "".join(long.split())
        edits = len(discord_server.of("PATCH", ".*"))
        sent = await talk.adapter.edit(sent, Reply(f"{long}!"))
        assert len(discord_server.of("PATCH", ".*")) == edits + 1, "what stays is left alone"
        sent = await talk.adapter.edit(sent, Reply("short"))
    assert discord_server.texts == ["short"]


async def test_an_answer_to_a_slash_command_grows_into_follow_ups(
    discord_server: Any, on_discord: OnDiscord
) -> None:
    long = "\n\n".join(f"{n} {'x' * 900}" for n in range(5))
    async with on_discord() as talk:
        await discord_server.asks("hi")
        await talk.hears(1)
        sent = await talk.adapter.send(CHANNEL, Reply("0", reply_to="20", partial=True))
        sent = await talk.adapter.edit(sent, Reply(long, reply_to="20"))
    assert len(sent.ids) == 3
    assert "".join("".join(discord_server.texts).split()) == "".join(long.split())
    posts = [c.path for c in discord_server.calls if c.body and "content" in c.body]
    assert all(path.startswith("/webhooks/900/interaction-token") for path in posts)


async def test_a_message_that_somebody_deleted_is_sent_anew(
    discord_server: Any, on_discord: OnDiscord
) -> None:
    discord_server.fail("PATCH", f"{SEND}/5", 404, 10008)
    async with on_discord() as talk:
        sent = await talk.adapter.edit(Sent(PRIVATE, ("5",), Reply("old")), Reply("new"))
    assert discord_server.texts == ["new"]
    assert sent.ids == ("1001",)


async def test_where_it_may_not_read_it_answers_without_a_reference(
    discord_server: Any, on_discord: OnDiscord
) -> None:
    discord_server.fail("POST", SEND, 400, 160002)
    async with on_discord() as talk:
        await talk.adapter.send(PRIVATE, Reply("here", reply_to="10"))
    first, second = discord_server.of("POST", SEND)
    assert first.pop("message_reference")["message_id"] == "10"
    assert first == second


async def test_a_file_is_uploaded_and_buttons_are_shown(
    discord_server: Any, on_discord: OnDiscord
) -> None:
    file = Attachment("export.json", "application/json", b"{}")
    buttons = (Button("Erase", "privacy erase", danger=True), Button("Keep", "privacy"))
    async with on_discord() as talk:
        await talk.adapter.send(PRIVATE, Reply("yours", attachments=(file,), buttons=buttons))
    [body] = discord_server.of("POST", SEND)
    assert body["files"] == {"files[0]": "export.json"}
    assert body["content"] == "yours"
    [row] = body["components"]
    assert [b["custom_id"] for b in row["components"]] == ["privacy erase", "privacy"]


async def test_nothing_to_say_sends_nothing(discord_server: Any, on_discord: OnDiscord) -> None:
    async with on_discord() as talk:
        sent = await talk.adapter.send(PRIVATE, Reply("\n\n", partial=True))
        assert sent.ids == ()
        sent = await talk.adapter.edit(sent, Reply("now"))
    assert len(sent.ids) == 1
    assert discord_server.texts == ["now"]
