"""A question answered from the documents, by a model on loopback."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bot.cli import command
from plugins.rag.asking import ask
from plugins.rag.library import create_rag


class Model:
    def __init__(self, answer: str) -> None:
        self.answer = answer
        self.asked: list[str] = []

    async def complete(self, instructions: str, asked: str, schema: Mapping[str, Any]) -> str:
        self.asked.append(asked)
        return self.answer


async def test_an_answer_names_the_passages_it_stands_on() -> None:
    rag = create_rag({})
    await rag.add_text("# Pay\n\nWe take cards and cash.", "faq.md")
    await rag.add_text("# Secret\n\nThe cards of the staff are blue.", "x", visible_to=["chat:a"])
    model = Model(json.dumps({"answer": "Cards.", "citations": [1]}))
    found = await ask(rag, "which cards do you take?", model.complete)
    assert (found.answer, found.insufficient_evidence) == ("Cards.", False)
    assert [hit.source for hit in found.sources] == ["faq.md"]
    assert "staff" not in model.asked[0]
    model = Model(json.dumps({"answer": "", "citations": []}))
    found = await ask(rag, "which cards do you take?", model.complete)
    assert (found.insufficient_evidence, found.asked) == (True, True)
    found = await ask(rag, "zxqv?", model.complete)
    assert (found.insufficient_evidence, found.asked) == (True, False)
    assert len(model.asked) == 1
    await rag.close()


def test_the_command_needs_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bot.yaml").write_text("plugins: {rag: {}, ai: {}}\n")
    assert command(["rag", "ask", "which", "cards?"]) == 2
    assert "needs a model; offline has none" in capsys.readouterr().err
