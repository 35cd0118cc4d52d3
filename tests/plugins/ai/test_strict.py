"""With ``rag.strict`` nothing is said but what stands on passages."""

import json
from typing import Any

import pytest

from bot.api import Passage

SHIPPING = Passage("Shipping takes 3 to 5 working days.", "faq.md › Shipping", 1.0)
STRICT = {"rag": {"retriever": "rag", "strict": True}}
UNKNOWN = "I don't know: I found no answer to that in my documents."


def told(answer: str, *citations: int) -> str:
    return json.dumps({"answer": answer, "citations": list(citations)})


async def asked(
    chatting: Any, server: Any, answered: Any, sse: Any, *answers: str, **more: Any
) -> str:
    server.script = [answered([sse(answer)]) for answer in answers]
    async with chatting(model=True, block=STRICT | more) as bot:
        (reply,) = await bot.say("how long?")
        return str(reply.text)


async def test_what_stands_on_passages_is_said_with_them(
    chatting: Any, server: Any, answered: Any, sse: Any, library: Any
) -> None:
    library.passages = [SHIPPING]
    text = await asked(chatting, server, answered, sse, told("3 to 5 days.", 1))
    assert text == "3 to 5 days. [1]\n\nSources: [1] faq.md › Shipping"
    body = server.asked[0].body
    assert body["response_format"]["json_schema"]["schema"]["required"] == ["answer", "citations"]
    assert "tools" not in body


@pytest.mark.parametrize("wrong", ["Five days, I guess.", told("5 days.", 2), told("5 days.")])
async def test_what_does_not_is_asked_for_once_more(
    chatting: Any, server: Any, answered: Any, sse: Any, library: Any, wrong: str
) -> None:
    library.passages = [SHIPPING]
    text = await asked(chatting, server, answered, sse, wrong, told("3 to 5 days.", 1))
    assert text.startswith("3 to 5 days. [1]")
    server.asked.clear()
    text = await asked(chatting, server, answered, sse, wrong)
    assert text == UNKNOWN
    assert len(server.asked) == 2
    assert wrong not in text


async def test_without_passages_no_model_is_asked(
    chatting: Any, server: Any, answered: Any, sse: Any
) -> None:
    assert await asked(chatting, server, answered, sse, "never") == UNKNOWN
    assert not server.asked


async def test_an_empty_answer_is_no_answer(
    chatting: Any, server: Any, answered: Any, sse: Any, library: Any
) -> None:
    library.passages = [SHIPPING]
    assert await asked(chatting, server, answered, sse, told("")) == UNKNOWN
    assert len(server.asked) == 1


async def test_a_server_without_schemas_is_asked_without(
    chatting: Any, server: Any, answered: Any, sse: Any, library: Any
) -> None:
    library.passages = [SHIPPING]
    refusal = answered([b'{"error": {"message": "no response_format"}}'], status="400 Bad Request")
    server.script = [refusal, answered([sse(told("3 to 5 days.", 1))])]
    async with chatting(model=True, block=STRICT) as bot:
        (reply,) = await bot.say("how long?")
        assert reply.text.startswith("3 to 5 days. [1]")
        assert "response_format" not in server.asked[1].body


async def test_a_conversation_goes_on_in_valid_turns(
    chatting: Any, server: Any, answered: Any, sse: Any, library: Any
) -> None:
    library.passages = [SHIPPING]
    server.script = [answered([sse(told("3 to 5 days.", 1))])]
    async with chatting(model=True, block=STRICT) as bot:
        await bot.say("how long?")
        await bot.say("and abroad?")
    said = server.asked[1].body["messages"]
    assert [message["role"] for message in said] == ["system", "user", "assistant", "user"]
    assert said[2]["content"] == "3 to 5 days. [1]"


async def test_links_of_the_models_own_are_withheld(
    chatting: Any, server: Any, answered: Any, sse: Any, library: Any
) -> None:
    library.passages = [SHIPPING]
    text = await asked(
        chatting, server, answered, sse, told("See [here](https://evil.example/x).", 1)
    )
    assert "](https://evil" not in text
