"""The adapter on a loopback server: polling, sending, and all that Telegram may say to it."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any

import pytest

from bot.adapters.telegram import polling
from bot.api import (
    Account,
    AdapterError,
    Attachment,
    Button,
    Chat,
    ChatKind,
    CommandInfo,
    Context,
    Forbidden,
    Plugin,
    RateLimited,
    Reply,
    Sent,
    Unauthorized,
    Unavailable,
)
from bot.testing import talking_to

ANA = {"id": 7, "is_bot": False, "first_name": "Ana", "language_code": "es"}
PRIVATE = {"id": 7, "type": "private", "first_name": "Ana"}
CHAT = Chat("telegram", "7")
GROUP = Chat("telegram", "-100", ChatKind.GROUP, title="Us")
TOPIC = Chat("telegram", "-100", ChatKind.GROUP, thread="5")
Talking = Callable[..., Any]


def text(words: str, number: int = 1, **more: Any) -> dict[str, Any]:
    return {
        "message_id": number,
        "date": 1_700_000_000,
        "from": ANA,
        "chat": PRIVATE,
        "text": words,
        **more,
    }


async def shows(api: Any, wanted: list[str]) -> None:
    async with asyncio.timeout(10):
        while api.texts != wanted:
            await asyncio.sleep(0.005)


async def test_an_update_is_acknowledged_once_it_was_taken(api: Any, talking: Talking) -> None:
    async with talking() as talk:
        api.add(message=text("one"))
        assert (await talk.next()).text == "one"
        api.add(message=text("two", 2))
        assert (await talk.next()).text == "two"
        async with asyncio.timeout(10):
            while api.polled[-1] != 3:
                await asyncio.sleep(0.005)
    assert api.polled[0] is None
    assert [message.update for message in talk.heard] == ["1", "2"]


async def test_an_update_that_was_not_taken_comes_again(api: Any, adapter_of: Talking) -> None:
    talk = adapter_of()
    entered = asyncio.Event()

    async def never(message: Any) -> None:
        entered.set()
        await asyncio.Event().wait()

    api.add(message=text("one"))
    running = asyncio.create_task(talk.adapter.run(never))
    await entered.wait()
    running.cancel()
    await asyncio.wait([running])
    running = asyncio.create_task(talk.adapter.run(talk.receive))
    assert (await talk.next()).text == "one"
    running.cancel()
    await asyncio.wait([running])


async def test_a_whole_bot_answers_in_the_readers_language(api: Any, adapter_of: Talking) -> None:
    plugin: Plugin[None] = Plugin("hi", "Greets.")

    @plugin.command("hi", "Greet.")
    async def hi(context: Context[None]) -> None:
        await context.reply(f"**hi** in {context.language}", buttons=[Button("again", "hi you")])

    talk = adapter_of()
    async with talking_to(plugin) as bot:
        bot.runtime.adapters["telegram"] = talk.adapter
        running = asyncio.create_task(talk.adapter.run(bot.dispatcher.receive))
        entity = {"type": "bot_command", "offset": 0, "length": 3}
        api.add(message=text("/hi", entities=[entity]))
        await shows(api, ["hi in es"])
        pressed = {"id": "9", "from": ANA, "chat_instance": "1", "data": "hi you"}
        api.add(callback_query={**pressed, "message": text("hi", 101)})
        await shows(api, ["hi in es", "hi in es"])
        await bot.settle()
        running.cancel()
        await asyncio.wait([running])
    [first, _] = api.of("sendMessage")
    assert first["entities"] == [{"type": "bold", "offset": 0, "length": 2}]
    assert first["reply_parameters"]["message_id"] == 1
    assert first["reply_markup"]["inline_keyboard"][0][0]["callback_data"] == "hi you"
    assert api.of("answerCallbackQuery") == [{"callback_query_id": 9}]


async def test_typing_is_shown_while_the_bot_works(api: Any, talking: Talking) -> None:
    async with talking() as talk:
        api.add(message=text("hello", is_topic_message=True, message_thread_id=5))
        message = await talk.next()
        async with asyncio.timeout(10), talk.adapter.working(message):
            while not api.of("sendChatAction"):
                await asyncio.sleep(0.005)
        api.fail("sendChatAction", 403, "Forbidden: bot was kicked")
        async with talk.adapter.working(message):
            while len(api.of("sendChatAction")) < 2:
                await asyncio.sleep(0.005)
    assert api.of("sendChatAction")[0] == {
        "chat_id": 7,
        "action": "typing",
        "message_thread_id": 5,
    }


async def test_no_link_is_ever_previewed(api: Any, talking: Talking) -> None:
    async with talking() as talk:
        sent = await talk.adapter.send(CHAT, Reply("see https://example.com/p?q=secret"))
        await talk.adapter.edit(sent, Reply("or https://example.com/other"))
    for fields in api.of("sendMessage", "editMessageText"):
        assert fields["link_preview_options"] == {"is_disabled": True}


async def test_a_reply_that_does_not_change_is_not_sent_again(api: Any, talking: Talking) -> None:
    async with talking() as talk:
        sent = await talk.adapter.send(GROUP, Reply("Analysis", partial=True))
        sent = await talk.adapter.edit(sent, Reply("Analysis\n", partial=True))
        await talk.adapter.edit(sent, Reply("Analysis"))
        assert api.of("editMessageText") == []
        api.fail("editMessageText", 400, "Bad Request: message is not modified: specified new …")
        again = await talk.adapter.edit(Sent(GROUP, sent.ids, Reply("")), Reply("Analysis"))
    assert again.ids == sent.ids
    assert api.texts == ["Analysis"]


async def test_a_growing_reply_takes_more_messages_and_a_shrinking_one_fewer(
    api: Any, talking: Talking
) -> None:
    long = "\n\n".join(f"{n} {'x' * 1500}" for n in range(6))
    async with talking() as talk:
        sent = await talk.adapter.send(GROUP, Reply("0 x", partial=True))
        sent = await talk.adapter.edit(sent, Reply(long))
        assert len(sent.ids) == 3
        assert "".join("".join(api.texts).split()) == "".join(long.split())
        edits = len(api.of("editMessageText"))
        sent = await talk.adapter.edit(sent, Reply(f"{long}!"))
        assert len(api.of("editMessageText")) == edits + 1, "what stays is left alone"
        sent = await talk.adapter.edit(sent, Reply("short"))
    assert api.texts == ["short"]
    assert len(sent.ids) == 1


async def test_a_message_that_somebody_deleted_is_sent_anew(api: Any, talking: Talking) -> None:
    async with talking() as talk:
        sent = await talk.adapter.send(GROUP, Reply("draft", partial=True))
        api.fail("editMessageText", 400, "Bad Request: message to edit not found")
        sent = await talk.adapter.edit(sent, Reply("the answer"))
    assert api.texts == ["draft", "the answer"]
    assert sent.ids == ("102",)


async def test_a_file_goes_out_as_a_document(api: Any, talking: Talking) -> None:
    file = Attachment("export.json", "application/json", b'{"a": 1}')
    async with talking() as talk:
        await talk.adapter.send(CHAT, Reply("yours", attachments=(file,)))
    [fields] = api.of("sendDocument")
    assert ("export.json", b'{"a": 1}') in fields.values()


@pytest.mark.parametrize(
    ("code", "description", "kind"),
    [
        (403, "Forbidden: bot was blocked by the user", Forbidden),
        (400, "Bad Request: chat not found", AdapterError),
        (502, "Bad Gateway", Unavailable),
    ],
)
async def test_a_refusal_is_an_error_of_ours(
    api: Any, talking: Talking, code: int, description: str, kind: type[AdapterError]
) -> None:
    async with talking() as talk:
        await talk.adapter.send(CHAT, Reply("first"))
        api.fail("sendMessage", code, description)
        with pytest.raises(AdapterError) as error:
            await talk.adapter.send(CHAT, Reply("my words"))
    assert type(error.value) is kind
    assert error.value.__cause__ is not None
    assert "my words" not in str(error.value)


async def test_a_limit_is_waited_for_at_the_end_and_told_to_a_draft(
    api: Any, talking: Talking
) -> None:
    async with talking() as talk:
        api.fail("sendMessage", 429, "Too Many Requests: retry after 1", retry_after=1)
        with pytest.raises(RateLimited) as limited:
            await talk.adapter.send(GROUP, Reply("draft", partial=True))
        assert limited.value.retry_after == 1
        api.fail("sendMessage", 429, "Too Many Requests: retry after 1", retry_after=1)
        await talk.adapter.send(CHAT, Reply("whole"))
        api.fail("sendMessage", 429, "Too Many Requests: retry after 900", retry_after=900)
        with pytest.raises(RateLimited):
            await talk.adapter.send(CHAT, Reply("too long a wait"))
    assert api.texts == ["whole"]


async def test_a_group_that_moved_is_followed(api: Any, talking: Talking) -> None:
    async with talking() as talk:
        api.fail(
            "sendMessage",
            400,
            "Bad Request: group chat was upgraded to a supergroup chat",
            migrate_to_chat_id=-1001,
        )
        await talk.adapter.send(GROUP, Reply("one"))
        await talk.adapter.send(GROUP, Reply("two"))
    assert [fields["chat_id"] for fields in api.of("sendMessage")] == [-100, -1001, -1001]
    assert [(old.key, new.key) for old, new in talk.moved] == [("telegram:-100", "telegram:-1001")]


async def test_both_messages_about_a_move_tell_the_same(api: Any, talking: Talking) -> None:
    here, there = {"id": -100, "type": "group"}, {"id": -1001, "type": "supergroup"}
    async with talking() as talk:
        bare = {"message_id": 3, "date": 1, "from": ANA}
        api.add(message={**bare, "chat": here, "migrate_to_chat_id": -1001})
        api.add(message={**bare, "chat": there, "migrate_from_chat_id": -100})
        api.add(message=text("done"))
        await talk.next()
    assert [(old.key, new.key) for old, new in talk.moved] == [
        ("telegram:-100", "telegram:-1001")
    ] * 2
    assert len(talk.heard) == 1


async def test_an_answer_to_a_topic_that_is_gone_goes_to_the_group(
    api: Any, talking: Talking
) -> None:
    async with talking() as talk:
        await talk.adapter.send(TOPIC, Reply("in the topic"))
        api.fail("sendMessage", 400, "Bad Request: message thread not found")
        await talk.adapter.send(TOPIC, Reply("where to?"))
    assert [fields.get("message_thread_id") for fields in api.of("sendMessage")] == [5, 5, None]
    assert api.texts == ["in the topic", "where to?"]


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    found: list[float] = []
    sleep = asyncio.sleep

    async def short(seconds: float) -> None:
        found.append(seconds)
        await sleep(0)

    monkeypatch.setattr(polling.asyncio, "sleep", short)  # type: ignore[attr-defined]
    return found


RIVAL = "Conflict: terminated by other getUpdates request; make sure that only one bot …"
WEBHOOK = "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook …"


@pytest.mark.parametrize(("conflicts", "told"), [(3, 0), (9, 1)])
async def test_a_conflict_after_a_restart_is_borne_and_a_rival_is_told_of_once(
    api: Any,
    talking: Talking,
    caplog: pytest.LogCaptureFixture,
    waits: list[float],
    conflicts: int,
    told: int,
) -> None:
    for _ in range(conflicts):
        api.fail("getUpdates", 409, RIVAL)
    api.add(message=text("hello"))
    async with talking() as talk:
        assert (await talk.next()).text == "hello"
    assert [problem for problem in talk.problems if problem] == [polling.RIVAL] * told
    assert talk.problems[-1] is None
    warnings = [r for r in caplog.records if r.levelno >= logging.WARNING]
    assert len(warnings) == told
    assert max(waits) > 20 if told else max(waits) < 2


async def test_a_webhook_is_deleted_and_one_that_comes_back_is_told_of(
    api: Any, talking: Talking, waits: list[float]
) -> None:
    for _ in range(9):
        api.fail("getUpdates", 409, WEBHOOK)
    api.add(message=text("hello"))
    async with talking() as talk:
        await talk.next()
    assert api.calls[1].method == "deleteWebhook"
    assert polling.WEBHOOK in talk.problems


async def test_a_wrong_token_ends_it_with_a_clear_line(api: Any, adapter_of: Talking) -> None:
    talk = adapter_of(token="999:wrong")
    with pytest.raises(Unauthorized, match="BotFather"):
        await talk.adapter.run(talk.receive)


async def test_without_a_server_it_is_unavailable_and_no_secret_is_told(
    adapter_of: Talking, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "platforms.telegram")
    talk = adapter_of(base_url="http://127.0.0.1:9")
    with pytest.raises(Unavailable) as error:
        await talk.adapter.run(talk.receive)
    assert "ABC-secret" not in str(error.value) + caplog.text


async def test_what_cannot_be_read_is_counted_and_the_rest_goes_on(
    api: Any, talking: Talking
) -> None:
    async with talking() as talk:
        api.add(message={"message_id": 1})
        api.add(message="nonsense")
        api.add(channel_post=text("news"))
        api.add(poll={"id": "1"})
        api.add(message=text("hello"))
        assert (await talk.next()).text == "hello"
    assert talk.counts["ignored: an update that cannot be read"] == 2
    assert talk.counts["ignored: a channel post"] == 1


async def test_the_menu_is_set_where_it_changed_and_not_again(api: Any, talking: Talking) -> None:
    hello = CommandInfo(
        "help", "Helps", "core", names={"es": "ayuda"}, summaries={"en": "Helps", "es": "Ayuda"}
    )
    for _ in range(2):
        async with talking(hello) as talk:
            api.add(message=text("hello"))
            await talk.next()
    assert len(api.of("setMyCommands")) == 3
    assert api.commands["es"] == [{"command": "ayuda", "description": "Ayuda"}]
    assert api.commands[""] == [{"command": "help", "description": "Helps"}]


async def test_a_menu_that_is_refused_stops_nothing(api: Any, talking: Talking) -> None:
    api.fail("getMyCommands", 500, "Internal Server Error")
    async with talking(CommandInfo("help", "Helps", "core")) as talk:
        api.add(message=text("hello"))
        await talk.next()


RIGHTS = dict.fromkeys(
    [
        "can_be_edited",
        "can_manage_chat",
        "can_delete_messages",
        "can_manage_video_chats",
        "can_restrict_members",
        "can_promote_members",
        "can_change_info",
        "can_invite_users",
        "can_post_stories",
        "can_edit_stories",
        "can_delete_stories",
    ],
    True,
)


@pytest.mark.parametrize(
    ("status", "admin"), [("creator", True), ("administrator", True), ("member", False)]
)
async def test_who_administers_a_group(
    api: Any, talking: Talking, status: str, admin: object
) -> None:
    api.on_getChatMember = lambda fields: {
        "status": status,
        "user": {"id": 7, "is_bot": False, "first_name": "Ana"},
        "is_anonymous": False,
        **(RIGHTS if status == "administrator" else {}),
    }
    async with talking() as talk:
        await talk.adapter.send(CHAT, Reply("connected"))
        assert await talk.adapter.is_admin(GROUP, Account("telegram", "7")) is admin
        assert await talk.adapter.is_admin(CHAT, Account("telegram", "7"))
        anonymous = Account("telegram", "-100", anonymous=True)
        assert await talk.adapter.is_admin(GROUP, anonymous)
        channel = Account("telegram", "-200", anonymous=True)
        assert not await talk.adapter.is_admin(GROUP, channel)


async def test_a_reply_waits_for_the_connection(api: Any, adapter_of: Talking) -> None:
    talk = adapter_of()
    sending = asyncio.create_task(talk.adapter.send(CHAT, Reply("early")))
    await asyncio.sleep(0.01)
    assert not sending.done()
    running = asyncio.create_task(talk.adapter.run(talk.receive))
    await sending
    assert api.texts == ["early"]
    running.cancel()
    await asyncio.wait([running])
