"""Pictures on their way from a chat to a model."""

import base64
import zlib
from typing import Any

import pytest

from bot.api import Attachment, Role
from plugins.ai.config import AiConfig
from plugins.ai.images import LARGEST, kind_of
from plugins.ai.providers import anthropic, gemini, ollama, openai
from plugins.ai.providers.provider import Image, Request, Turn
from plugins.ai.providers.vision import looks
from plugins.ai.tokens import PER_IMAGE, of_turn


def png() -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        whole = kind + data
        return len(data).to_bytes(4, "big") + whole + zlib.crc32(whole).to_bytes(4, "big")

    head = (1).to_bytes(4, "big") * 2 + bytes([8, 0, 0, 0, 0])
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


PICTURE = png()
TEXT64 = base64.b64encode(PICTURE).decode()
ASKED = Request(
    "",
    [
        Turn(Role.USER, "one"),
        Turn(Role.ASSISTANT, "two"),
        Turn(Role.USER, "what is it?", images=(Image("image/png", PICTURE),)),
    ],
)


def config(kind: str, model: str = "m", **more: Any) -> AiConfig:
    url = "http://127.0.0.1:1"
    block = {"provider": kind, "base_url": url, "model": model, "api_key": "k", **more}
    return AiConfig.model_validate(block)


def test_each_provider_gets_a_picture_as_it_wants_it() -> None:
    url = f"data:image/png;base64,{TEXT64}"
    body: Any = openai.payload(ASKED, config("openai", images=True))
    assert body["messages"][-1]["content"] == [
        {"type": "text", "text": "what is it?"},
        {"type": "image_url", "image_url": {"url": url}},
    ]
    body = anthropic.payload(ASKED, config("anthropic", images=True))
    source = {"type": "base64", "media_type": "image/png", "data": TEXT64}
    assert body["messages"][-1]["content"] == [
        {"type": "image", "source": source},
        {"type": "text", "text": "what is it?"},
    ]
    body = gemini.payload(ASKED, config("gemini", images=True))
    assert body["contents"][-1]["parts"] == [
        {"inlineData": {"mimeType": "image/png", "data": TEXT64}},
        {"text": "what is it?"},
    ]
    body = ollama.payload(ASKED, config("ollama", images=True))
    assert body["messages"][-1]["images"] == [TEXT64]
    assert body["messages"][0] == {"role": "user", "content": "one"}


@pytest.mark.parametrize(
    "dialect", [openai, anthropic, gemini, ollama], ids=lambda module: module.__name__[21:]
)
def test_a_model_that_takes_none_gets_none(dialect: Any) -> None:
    kind = dialect.__name__.rpartition(".")[2]
    assert TEXT64 not in str(dialect.payload(ASKED, config(kind)))
    assert TEXT64 not in str(dialect.payload(ASKED, config(kind, "gpt-4o", images=False)))


@pytest.mark.parametrize(
    ("model", "takes"),
    [
        ("gpt-4o-mini", True),
        ("gpt-5-mini", True),
        ("openai/gpt-4.1", True),
        ("o3", True),
        ("o3-mini", False),
        ("gpt-3.5-turbo", False),
        ("claude-sonnet-4-5", True),
        ("anthropic.claude-3-haiku", True),
        ("gemini-2.5-flash", True),
        ("gemma3:12b", True),
        ("gemma3:1b", False),
        ("llama3.2", False),
        ("llama3.2-vision:11b", True),
        ("qwen2.5-vl-7b", True),
        ("qwen3:8b", False),
        ("deepseek-chat", False),
    ],
)
def test_whether_a_model_looks_is_told_by_its_name(model: str, takes: object) -> None:
    assert looks(config("openai", model)) is takes


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (PICTURE, "image/png"),
        (b"\xff\xd8\xff\xe0rest", "image/jpeg"),
        (b"GIF89a...", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (b"RIFF\0\0\0\0WAVEfmt ", None),
        (b"<svg>", None),
        (b"", None),
    ],
)
def test_the_bytes_say_what_it_is(content: bytes, kind: str | None) -> None:
    assert kind_of(content) == kind


def test_a_picture_counts_in_the_window() -> None:
    assert of_turn(ASKED.turns[-1]) - of_turn(Turn(Role.USER, "what is it?")) == PER_IMAGE


def files(*contents: bytes, kind: str = "image/jpeg") -> list[Attachment]:
    return [Attachment(f"{n}.jpg", kind, c, str(n), len(c)) for n, c in enumerate(contents)]


@pytest.mark.parametrize("fallback", [False, True])
async def test_what_came_with_a_message_is_shown_once(
    chatting: Any, server: Any, answered: Any, sse: Any, fallback: Any
) -> None:
    server.script = [answered([sse("A dot.")])]
    block: dict[str, Any] = {"images": True}
    if fallback:
        other = {"base_url": server.url, "provider": "openai", "model": "n", "api_key": "k"}
        block = {"fallback": [other | block]}
        bad = answered([b"{}"], status="503 Service Unavailable")
        server.script.insert(0, bad)
    async with chatting(model=True, block=block) as bot:
        await bot.say("what is it?", attachments=files(PICTURE))
        asked = server.asked[-1].body["messages"][-1]["content"]
        assert asked[0]["text"].startswith('Attached: "0.jpg"')
        assert asked[1]["image_url"]["url"].endswith(TEXT64)
        if fallback:
            assert TEXT64 not in str(server.asked[0].body)
        await bot.say("and now?")
        assert TEXT64 not in str(server.asked[-1].body)
        assert TEXT64 not in str(await bot.store.messages.latest("test:ana", 9))


async def test_what_cannot_be_shown_is_left_out_and_the_rest_goes_on(
    chatting: Any, server: Any, answered: Any, sse: Any, caplog: pytest.LogCaptureFixture
) -> None:
    server.script = [answered([sse("Yes.")])]
    big = Attachment("big.jpg", "image/jpeg", PICTURE, size=LARGEST + 1)
    gone = Attachment("gone.jpg", "image/jpeg")
    async with chatting(model=True, block={"images": True}) as bot:
        await bot.say("a text?", attachments=files(b"%PDF", kind="application/pdf"))
        await bot.say("not what it says?", attachments=files(b"MZ..."))
        await bot.say("too big?", attachments=[big, *files(PICTURE)])
        await bot.say("many?", attachments=files(*[PICTURE] * 9))
        await bot.say("gone?", attachments=[gone])
    pictures = [str(asked.body["messages"][-1]).count(TEXT64) for asked in server.asked]
    assert pictures == [0, 0, 1, 4, 0]
    assert "a picture could not be fetched" in caplog.text
