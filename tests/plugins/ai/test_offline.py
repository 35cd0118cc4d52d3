"""Answering without a model."""

import pytest

from bot.api import Passage
from plugins.ai.providers.offline import Offline, best
from plugins.ai.providers.provider import End, Piece, Request, Stop
from plugins.ai.sentences import sentences

FAQ = [
    Passage(
        "## How long does shipping take?\n"
        "Standard delivery reaches you within 3 to 5 working days. Express needs one.",
        "faq.md › Shipping › How long does shipping take?",
        1.0,
    ),
    Passage("Shipping costs 4.90 EUR. Orders over 50 EUR ship free.", "faq.md › Prices", 0.9),
    Passage("We accept these cards:\n\n- Visa\n- Mastercard [2]\n\nNo cheques.", "pay.md", 0.8),
]
PREGUNTAS = [
    Passage(
        "## ¿Cuánto tarda el envío?\n"
        "El envío estándar tarda de 3 a 5 días laborables. El exprés, uno.",
        "preguntas.md › Envíos",
        1.0,
    ),
    Passage(
        "Aceptamos devoluciones durante 30 días. El reembolso llega en una semana.", "d.md", 0.5
    ),
]
WENDA = [
    Passage("标准配送需要三到五个工作日。加急配送只需一天。", "faq.md › 配送", 1.0),
    Passage("收到商品后三十天内可以退货。退款会在一周内到账。", "faq.md › 退货", 0.5),
]


async def answer(question: str, passages: list[Passage]) -> tuple[str, Stop]:
    request = Request("", [], question, passages)
    events = [event async for event in Offline().stream(request)]
    text = "".join(event.text for event in events if isinstance(event, Piece))
    end = events[-1]
    assert isinstance(end, End)
    return text, end.stop


@pytest.mark.parametrize(
    ("question", "passages", "said"),
    [
        (
            "how long does shipping take?",
            FAQ,
            "Standard delivery reaches you within 3 to 5 working days. [1]",
        ),
        ("What does shipping cost?", FAQ, "Shipping costs 4.90 EUR. [2]"),
        ("Do large orders ship for free?", FAQ, "Orders over 50 EUR ship free. [2]"),
        ("which cards do you accept", FAQ, "We accept these cards: [3]\n\n- Visa\n- Mastercard"),
        (
            "¿cuánto tarda un envío?",
            PREGUNTAS,
            "El envío estándar tarda de 3 a 5 días laborables. [1]",
        ),
        ("como hago una devolucion", PREGUNTAS, "Aceptamos devoluciones durante 30 días. [2]"),
        ("配送要多久？", WENDA, "标准配送需要三到五个工作日。 [1]"),
        ("怎么退货", WENDA, "收到商品后三十天内可以退货。 [2]"),
    ],
)
async def test_the_best_sentence_is_quoted_whole(
    question: str, passages: list[Passage], said: str
) -> None:
    assert await answer(question, passages) == (said, Stop.DONE)


@pytest.mark.parametrize(
    "question",
    [
        "Who is the king of Spain?",
        "¿Quién ganó el mundial?",
        "火星上有水吗？",
        "",
        "?",
        "the of and",
    ],
)
@pytest.mark.parametrize("passages", [FAQ, PREGUNTAS, WENDA, []])
async def test_what_nothing_fits_is_unknown(question: str, passages: list[Passage]) -> None:
    assert await answer(question, passages) == ("", Stop.UNKNOWN)


async def test_what_the_retriever_doubts_is_unknown() -> None:
    doubted = [Passage(passage.text, passage.label, 1.0, 0.1) for passage in FAQ]
    assert await answer("how long does shipping take?", doubted) == ("", Stop.UNKNOWN)


def test_a_doubted_passage_keeps_its_number_free() -> None:
    doubted = [Passage("Shipping takes a year.", "a.md", 1.0, 0.1), FAQ[0]]
    found = best("how long does shipping take?", doubted)
    assert found is not None
    assert found.passage == 2


@pytest.mark.parametrize(
    ("passage", "found"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("It costs 3.50 EUR. It is e.g. here", ["It costs 3.50 EUR.", "It is e.g. here"]),
        ("Dr. Foo wrote it. J. Bar too.", ["Dr. Foo wrote it.", "J. Bar too."]),
        ("Va a EE. UU. por avión. Llega.", ["Va a EE. UU. por avión.", "Llega."]),
        ("¿Cuánto? ¡Poco! Nada.", ["¿Cuánto?", "¡Poco!", "Nada."]),
        ("第一句。第二句！“第三句？”第四句", ["第一句。", "第二句！", "“第三句？”", "第四句"]),
        ("A line\nbroken here. And more.", ["A line broken here.", "And more."]),
        ("# Title #\ntext", ["Title", "text"]),
        ("- one\n  goes on\n- two\n3. three", ["one goes on", "two", "three"]),
        ("> said so.\n> And so.", ["said so.", "And so."]),
        ("| a | b |\n|---|---|\n| 1 | 2 |", ["a | b", "1 | 2"]),
        ("Run:\n```sh\npip install x\n```\nDone.", ["Run:", "`pip install x`", "Done."]),
        ('He said "Go." Then left.', ['He said "Go."', "Then left."]),
        ("", []),
        ("***\n---", []),
    ],
)
def test_sentences(passage: str, found: list[str]) -> None:
    assert [sentence.text for sentence in sentences(passage)] == found
