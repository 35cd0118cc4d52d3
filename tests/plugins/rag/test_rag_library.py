"""The retriever as a library, and its commands."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bot.cli import command
from plugins.rag.errors import Code, RagError
from plugins.rag.library import create_rag, format_context


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "faq.md").write_text("# Payments\n\nWe take cards.\n> and cash\n")
    (folder / "bad.pdf").write_bytes(b"no pdf")
    return folder


async def test_it_stands_alone(docs: Path, tmp_path: Path) -> None:
    told: list[RagError] = []
    options = {"documents": [str(docs)], "top_k": 1}
    rag = create_rag(options, folder=tmp_path / "index", on_error=told.append)
    assert not (tmp_path / "index").exists(), "making one costs nothing"
    (hit,) = await rag.retrieve("which cards?")
    assert hit.citation == "faq.md › Payments"
    assert format_context([hit]) == "[1] faq.md › Payments\n> We take cards.\n> > and cash"
    assert [error.code for error in told] == [Code.LOAD_FAILED]
    await rag.save()
    await rag.close()
    assert [file.name for file in (tmp_path / "index").iterdir()] == ["index.db"]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"top_k": 0}, "top_k: "),
        ({"nonsense": 1}, "nonsense: "),
        ({"embeddings": {"provider": "openai"}}, "needs `model`"),
        ({"documents": "https://x"}, "an address cannot be fetched"),
    ],
)
def test_wrong_options_are_told_by_name(options: Any, complaint: str) -> None:
    with pytest.raises(RagError, match=complaint) as error:
        create_rag(options)
    assert error.value.code is Code.INVALID_OPTIONS


async def test_ones_own_embedder_is_an_object() -> None:
    def embed(texts: list[str]) -> list[list[float]]:
        return [[float("shoe" in text), float("sock" in text), 0.1] for text in texts]

    rag = create_rag({"embeddings": SimpleNamespace(id="mine", embed=embed)})
    await rag.add_text("shoes are red", "a")
    await rag.add_text("socks are blue", "b")
    (first, *_) = await rag.retrieve("a sock", mode="vector")
    assert first.source == "b"
    assert (await rag.status()).embedder == "own:mine:3"
    with pytest.raises(RagError) as error:
        await rag.save()
    assert error.value.code is Code.PERSIST_FAILED
    await rag.close()


async def test_files_are_added_as_they_are(docs: Path) -> None:
    rag = create_rag({})
    done = await rag.add_files([docs, docs / "none.md"], title="Help")
    assert done.changed == 1
    assert min(str(fault) for fault in done.faults).endswith(
        "none.md: there is no such file or folder"
    )
    assert await rag.documents() == ["added:faq.md"]
    (docs / "faq.md").unlink()
    assert [hit.doc_id for hit in await rag.retrieve("cards")] == ["added:faq.md"]
    assert await rag.remove_document("added:faq.md")
    assert not await rag.remove_document("added:faq.md")
    assert not await rag.retrieve("cards")
    await rag.close()


@pytest.fixture
def here(docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("bot.yaml").write_text("plugins: {rag: {}}\n")
    return docs


def test_the_commands_add_show_and_remove(here: Path, capsys: Any) -> None:
    assert command(["rag", "ingest", str(here)]) == 1, "one cannot be read"
    out, err = capsys.readouterr()
    assert "1 documents read" in out
    assert "bad.pdf" in err
    assert command(["rag", "search", "cards"]) == 0
    assert "faq.md › Payments" in capsys.readouterr().out
    assert command(["rag", "status", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ids"] == ["added:faq.md"]
    assert command(["rag", "index"]) == 0
    assert command(["rag", "search", "cards"]) == 0, "what was added stays"
    assert command(["rag", "remove", "added:nothing"]) == 1
    assert "added:faq.md" in capsys.readouterr().err
    assert command(["rag", "remove", "added:faq.md"]) == 0
    assert command(["rag", "search", "cards"]) == 1


def test_what_the_configuration_names_is_not_removed(here: Path, capsys: Any) -> None:
    Path("bot.yaml").write_text(f"plugins: {{rag: {{documents: {here / 'faq.md'}}}}}\n")
    assert command(["rag", "index"]) == 0
    assert command(["rag", "remove", "file:faq.md"]) == 1
    assert "take it out of plugins.rag.documents" in capsys.readouterr().err


def test_the_command_measures(here: Path, capsys: Any) -> None:
    command(["rag", "ingest", str(here)])
    capsys.readouterr()
    rows = [
        {"question": "do you take cards?", "source": "faq.md"},
        {"question": "cards?", "text": "We take  cards."},
        {"question": "and where is it?", "source": "map.md"},
    ]
    Path("cases.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert command(["rag", "eval", "cases.jsonl", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["questions"] == 3
    assert found["first"] == pytest.approx(2 / 3)
    assert found["mrr"] == pytest.approx(2 / 3)
    assert found["missed"] == ["and where is it?"]
    assert command(["rag", "eval", "cases.jsonl"]) == 0
    assert "answered by the first       66.7 %" in capsys.readouterr().out
    for wrong in ('{"question": "x"}', "x", '{"q": "x", "source": "y"}', '["x"]'):
        Path("cases.jsonl").write_text(f"{json.dumps(rows[0])}\n{wrong}\n")
        assert command(["rag", "eval", "cases.jsonl"]) == 1
        assert "cases.jsonl:2: a line is like" in capsys.readouterr().err
    assert command(["rag", "eval", "none.jsonl"]) == 1
