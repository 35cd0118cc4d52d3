"""The whole of it: documents in a folder, questions, passages."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.api import Retriever
from plugins.rag.config import RagConfig
from plugins.rag.rag import Rag

FAQ = """# FAQ

What people ask.

## Shipping

Standard shipping takes three to five working days. Express arrives the next day.

## Payments

We take cards and bank transfers.
"""
PREGUNTAS = """# Preguntas

## Envíos

El envío estándar tarda de tres a cinco días laborables.

## Pagos

Aceptamos tarjetas y transferencias.
"""
WENTI = (
    "# 常见问题\n\n## 配送\n\n标准配送需要三到五个工作日。\n\n## 付款\n\n我们接受银行卡和转账。\n"
)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "faq.md").write_text(FAQ)
    (folder / "preguntas.md").write_text(PREGUNTAS)
    (folder / "wenti.md").write_text(WENTI)
    return folder


def made(folder: Path, docs: object, **options: Any) -> Rag:
    listed = docs if isinstance(docs, list) else [str(docs)]
    config = RagConfig.model_validate({"documents": listed, **options})
    return Rag(config, lambda: folder)


@pytest.fixture(params=[True, False], ids=["file", "memory"])
async def rag(request: pytest.FixtureRequest, docs: Path, tmp_path: Path) -> AsyncIterator[Rag]:
    rag = made(tmp_path, docs, persist=request.param)
    yield rag
    await rag.close()


QUESTIONS = {
    "how long does shipping take?": "faq.md › Shipping",
    "¿cuánto tarda el envío?": "preguntas.md › Envíos",
    "¿aceptan tarjeta?": "preguntas.md › Pagos",
    "配送需要多久？": "wenti.md › 配送",
    "can I pay by bank transfer": "faq.md › Payments",
}


@pytest.mark.parametrize("mode", ["bm25", "vector", "hybrid"])
@pytest.mark.parametrize(("question", "label"), QUESTIONS.items(), ids=QUESTIONS.keys())
async def test_the_right_section_comes_first(
    rag: Rag, question: str, label: str, mode: Any
) -> None:
    assert (await rag.retrieve(question, mode=mode))[0].label == label


async def test_it_is_a_retriever(rag: Rag) -> None:
    assert isinstance(rag, Retriever)


async def test_the_best_passage_of_an_unrelated_question_is_unlikely(rag: Rag) -> None:
    (likely, *_) = await rag.retrieve("how long does shipping take?")
    unlikely = await rag.retrieve("who won the 1998 world cup?")
    assert all(hit.confidence < 0.25 for hit in unlikely)
    assert likely.confidence > 0.5


async def test_a_restart_embeds_nothing_again(docs: Path, tmp_path: Path) -> None:
    first = made(tmp_path, docs)
    assert (await first.warmup()).embedded > 0
    await first.close()
    second = made(tmp_path, docs)
    done = await second.warmup()
    assert (done.changed, done.unchanged, done.embedded) == (0, 3, 0)
    assert (await second.retrieve("shipping"))[0].label == "faq.md › Shipping"
    await second.close()


async def test_cancelling_a_question_leaves_the_build_alone(docs: Path, tmp_path: Path) -> None:
    rag = made(tmp_path, docs)
    asking = asyncio.create_task(rag.retrieve("shipping"))
    await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert (await rag.warmup()).changed == 3
    await rag.close()
