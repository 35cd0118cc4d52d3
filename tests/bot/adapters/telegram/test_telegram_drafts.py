"""What grows in a private chat is shown as a draft where the server knows drafts."""

from collections.abc import Callable
from typing import Any

import pytest

from bot.api import Chat, ChatKind, Draft, Forbidden, RateLimited, Reply, Sent

Talking = Callable[..., Any]
CHAT = Chat("telegram", "7")
GROUP = Chat("telegram", "-100", ChatKind.GROUP)


async def test_a_draft_grows_and_becomes_a_message(api: Any, talking: Talking) -> None:
    async with talking() as talk:
        sent = await talk.adapter.send(CHAT, Reply("one", partial=True, reply_to="5"))
        sent = await talk.adapter.edit(sent, Reply("one **two**", partial=True, reply_to="5"))
        drafts = api.of("sendMessageDraft")
        assert [fields["text"] for fields in drafts] == ["one", "one two"]
        assert len({fields["draft_id"] for fields in drafts}) == 1
        assert drafts[0]["draft_id"] > 0
        assert drafts[1]["entities"][0]["type"] == "bold"
        assert api.texts == []
        sent = await talk.adapter.edit(sent, Reply("one two three", reply_to="5"))
        assert sent.ids == ("101",)
        assert api.texts == ["one two three"]
        assert api.of("sendMessage")[0]["reply_parameters"]["message_id"] == 5
        await talk.adapter.edit(sent, Reply("four"))
    assert api.texts == ["four"]


async def test_only_a_growing_reply_in_private_is_a_draft(api: Any, talking: Talking) -> None:
    async with talking() as talk:
        await talk.adapter.send(CHAT, Reply("whole"))
        await talk.adapter.send(GROUP, Reply("growing", partial=True))
    assert api.of("sendMessageDraft") == []
    assert api.texts == ["whole", "growing"]


async def test_past_the_limit_it_goes_on_in_messages(api: Any, talking: Talking) -> None:
    long = "\n\n".join(f"{n} {'x' * 1500}" for n in range(6))
    async with talking() as talk:
        sent = await talk.adapter.send(CHAT, Reply(long[:1000], partial=True))
        sent = await talk.adapter.edit(sent, Reply(long[:6000], partial=True))
        assert len(sent.ids) == 2
        sent = await talk.adapter.edit(sent, Reply(long))
    assert "".join("".join(api.texts).split()) == "".join(long.split())
    assert len(api.of("sendMessageDraft")) == 1


@pytest.mark.parametrize(
    ("code", "description"), [(404, "Not Found"), (400, "Bad Request: method not available")]
)
async def test_a_server_without_drafts_gets_edits(
    api: Any, talking: Talking, code: int, description: str
) -> None:
    async with talking() as talk:
        api.fail("sendMessageDraft", code, description)
        for _ in range(2):
            sent = await talk.adapter.send(CHAT, Reply("one", partial=True))
            await talk.adapter.edit(sent, Reply("one two"))
    assert api.texts == ["one two", "one two"]
    assert len(api.of("sendMessageDraft")) == 1


@pytest.mark.parametrize(("code", "error"), [(429, RateLimited), (403, Forbidden)])
async def test_what_passes_does_not_end_drafts(
    api: Any, talking: Talking, code: int, error: Any
) -> None:
    async with talking() as talk:
        api.fail("sendMessageDraft", code, "told so", **({"retry_after": 1} if code == 429 else {}))
        with pytest.raises(error):
            await talk.adapter.send(CHAT, Reply("one", partial=True))
        await talk.adapter.send(CHAT, Reply("one", partial=True))
    assert len(api.of("sendMessageDraft")) == 2


async def test_after_a_crash_the_draft_is_no_message_to_edit(api: Any, talking: Talking) -> None:
    async with talking() as talk:
        sent = await talk.adapter.send(CHAT, Reply("one", partial=True))
        again = Sent(CHAT, sent.ids, Reply(""))
        await talk.adapter.edit(again, Reply("anew", partial=True))
        await talk.adapter.edit(again, Reply("anew, whole"))
    assert api.texts == ["anew, whole"]
    assert api.of("editMessageText") == []


async def test_a_whole_answer_is_one_message(api: Any, talking: Talking) -> None:
    async with talking() as talk, Draft(talk.adapter, CHAT, "5") as draft:
        for word in ("one ", "two ", "three"):
            await draft.append(word)
    assert api.texts == ["one two three"]
