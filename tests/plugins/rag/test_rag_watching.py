"""With ``watch`` the index follows the documents by itself."""

import asyncio
from pathlib import Path

import pytest

from plugins.rag import watching
from plugins.rag.errors import RagError
from plugins.rag.library import create_rag
from plugins.rag.rag import Rag


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "SECONDS", 0.02)


async def until_found(rag: Rag, word: str, sources: set[str]) -> None:
    async with asyncio.timeout(10):
        while {hit.source for hit in await rag.retrieve(word, match="all")} != sources:
            await asyncio.sleep(0.01)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("An apple a day.")
    return folder


async def test_what_changes_is_taken_in(docs: Path, tmp_path: Path) -> None:
    told: list[RagError] = []
    options = {"documents": [str(docs)], "watch": True}
    rag = create_rag(options, folder=tmp_path / "index", on_error=told.append)
    await until_found(rag, "apple", {"a.md"})
    (docs / "b.md").write_text("A banana a day.")
    await until_found(rag, "banana", {"b.md"})
    (docs / "a.md").write_text("A cherry a day, and nothing else.")
    await until_found(rag, "cherry", {"a.md"})
    await until_found(rag, "apple", set())
    (docs / "b.md").unlink()
    await until_found(rag, "banana", set())
    assert not told
    await rag.close()


async def test_a_fault_is_told_once_and_the_rest_goes_on(docs: Path) -> None:
    told: list[RagError] = []
    rag = create_rag({"documents": [str(docs)], "watch": True}, on_error=told.append)
    await rag.warmup()
    (docs / "bad.pdf").write_bytes(b"no pdf")
    (docs / "c.md").write_text("A date a day.")
    await until_found(rag, "date", {"c.md"})
    await asyncio.sleep(0.2)
    assert len(told) == 1
    await rag.close()


async def test_an_embedder_that_fails_leaves_the_index_as_it_is(docs: Path) -> None:
    fails = False

    class Own:
        id = "own"

        def embed(self, texts: list[str]) -> list[list[float]]:
            if fails:
                raise OSError
            return [[1.0, float(len(text))] for text in texts]

    told: list[RagError] = []
    options = {"documents": [str(docs)], "watch": True, "embeddings": Own()}
    rag = create_rag(options, on_error=told.append)
    await rag.warmup()
    fails = True
    (docs / "a.md").write_text("A lemon a day.")
    async with asyncio.timeout(10):
        while not told:
            await asyncio.sleep(0.01)
    assert [hit.source for hit in await rag.retrieve("apple", mode="bm25")] == ["a.md"]
    fails = False
    await until_found(rag, "lemon", {"a.md"})
    await rag.close()


async def test_without_it_nothing_is_looked_at(docs: Path) -> None:
    rag = create_rag({"documents": [str(docs)]})
    await rag.warmup()
    (docs / "b.md").write_text("A banana a day.")
    await asyncio.sleep(0.2)
    assert not await rag.retrieve("banana", match="all")
    await rag.close()
