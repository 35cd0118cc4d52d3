"""The index follows its documents, and survives whatever happens to its file."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plugins.rag.config import RagConfig
from plugins.rag.connections import FILE
from plugins.rag.embedders.hashing import HashingEmbedder
from plugins.rag.errors import RagError
from plugins.rag.rag import Rag


def page(*numbers: int) -> str:
    return "\n\n".join(f"## Part {n}\n\nThe secret word of part {n} is word{n}x." for n in numbers)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "faq.md").write_text(page(1, 2, 3, 4, 5))
    (folder / "other.md").write_text(page(9))
    return folder


def made(docs: Path, told: list[Any] | None = None, **options: Any) -> Rag:
    config = RagConfig.model_validate({"documents": [str(docs)], **options})
    return Rag(config, lambda: docs.parent, on_error=([] if told is None else told).append)


async def found(rag: Rag, number: int) -> list[str]:
    hits = await rag.retrieve(f"word{number}x", match="all", top_k=9)
    return [hit.source for hit in hits]


def rows(docs: Path) -> tuple[int, int]:
    with closing(sqlite3.connect(docs.parent / FILE)) as db:
        [(chunks,)] = db.execute("SELECT count(*) FROM chunks")
        [(words,)] = db.execute("SELECT count(*) FROM words")
    assert chunks == words
    return chunks, words


async def test_a_document_that_shrinks_leaves_nothing_behind(docs: Path) -> None:
    rag = made(docs)
    await rag.warmup()
    (docs / "faq.md").write_text(page(1, 2))
    done = await rag.refresh()
    assert (done.changed, done.unchanged) == (1, 1)
    assert [await found(rag, n) for n in (1, 2, 3, 4, 5)] == [["faq.md"], ["faq.md"], [], [], []]
    await rag.close()
    assert rows(docs) == (3, 3)


async def test_only_what_changed_is_embedded_again(docs: Path) -> None:
    rag = made(docs)
    assert (await rag.warmup()).embedded == 6
    (docs / "faq.md").write_text(page(1, 2, 7, 4, 5))
    assert (await rag.refresh()).embedded == 1
    os.utime(docs / "other.md", (1, 1))
    done = await rag.refresh()
    assert (done.changed, done.embedded) == (0, 0), "a new time is no change"
    await rag.close()


async def test_a_renamed_document_is_found_under_its_new_name_without_embedding(
    docs: Path,
) -> None:
    rag = made(docs)
    await rag.warmup()
    (docs / "other.md").rename(docs / "renamed.md")
    assert await found(rag, 9) == [], "the old name is gone at once"
    done = await rag.refresh()
    assert (done.removed, done.embedded) == (1, 0)
    assert await found(rag, 9) == ["renamed.md"]
    await rag.close()


async def test_a_deleted_document_answers_nothing_from_that_moment(docs: Path) -> None:
    rag = made(docs)
    assert await found(rag, 9) == ["other.md"]
    (docs / "other.md").unlink()
    assert await found(rag, 9) == []
    await rag.close()


async def test_one_text_in_two_files_is_two_documents_with_one_embedding(docs: Path) -> None:
    (docs / "sub").mkdir()
    (docs / "sub" / "other.md").write_text(page(9))
    rag = made(docs)
    assert (await rag.warmup()).embedded == 6
    assert sorted(await found(rag, 9)) == ["other.md", "sub/other.md"]
    (docs / "other.md").unlink()
    await rag.refresh()
    assert await found(rag, 9) == ["sub/other.md"]
    assert (await rag.refresh()).embedded == 0
    await rag.close()


async def test_running_again_doubles_nothing(docs: Path) -> None:
    for _ in range(3):
        rag = made(docs)
        await rag.warmup()
        await rag.close()
        assert rows(docs) == (6, 6)


KILLED = """
import asyncio, sys
from pathlib import Path
from plugins.rag.config import RagConfig
from plugins.rag.connections import FILE
from plugins.rag.rag import Rag

async def main():
    docs = Path(sys.argv[1])
    rag = Rag(RagConfig.model_validate({"documents": [str(docs)]}), lambda: docs.parent)
    print("go", flush=True)
    await rag.warmup()
    print("done", flush=True)
    await rag.close()

asyncio.run(main())
"""


async def test_killed_at_any_moment_it_has_the_old_state_or_the_new_one(docs: Path) -> None:
    rag = made(docs)
    await rag.warmup()
    await rag.close()
    dice = random.Random(5)  # noqa: S311 - the same kills each time
    for turn in range(8):
        for n in range(30):
            (docs / f"more{n}.md").write_text(page(*range(100 + turn, 130 + turn)))
        process = subprocess.Popen(  # noqa: ASYNC220 - nothing else runs here
            [sys.executable, "-c", KILLED, str(docs)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(dice.uniform(0, 0.3))  # noqa: ASYNC251 - nothing else runs here
        process.send_signal(signal.SIGKILL)
        process.communicate()
        with closing(sqlite3.connect(docs.parent / FILE)) as db:
            assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            whole = db.execute(
                "SELECT count(*) FROM documents JOIN chunks ON document = documents.id"
                " WHERE name LIKE 'more%' GROUP BY name"
            ).fetchall()
            assert {count for (count,) in whole} <= {30}
        rows(docs)
    rag = made(docs)
    await rag.warmup()
    assert len(await found(rag, 131)) == 9
    assert await found(rag, 101) == []
    await rag.close()


@pytest.mark.parametrize("spoil", ["half", "garbage", "empty", "middle"])
async def test_a_damaged_file_is_set_aside_and_built_anew(docs: Path, spoil: str) -> None:
    rag = made(docs)
    await rag.warmup()
    await rag.close()
    file = docs.parent / FILE
    content = file.read_bytes()
    middle = content[:8192] + b"\xee" * 8192 + content[16384:]
    spoiled = {"half": content[: len(content) // 2], "garbage": b"x" * 9000, "empty": b""}
    file.write_bytes(spoiled.get(spoil, middle))
    for neighbour in docs.parent.glob(f"{FILE}-*"):
        neighbour.unlink()
    told: list[RagError] = []
    rag = made(docs, told)
    assert await found(rag, 9) == ["other.md"]
    assert await found(rag, 3) == ["faq.md"]
    assert [error.code for error in told] == [] if spoil == "empty" else ["INVALID_INDEX"]
    await rag.close()
    assert rows(docs) == (6, 6)


async def test_a_file_that_is_damaged_while_it_is_used_is_built_anew(docs: Path) -> None:
    told: list[RagError] = []
    rag = made(docs, told)
    assert await found(rag, 9) == ["other.md"]
    file = docs.parent / FILE
    await rag._index.let_go()
    for neighbour in docs.parent.glob(f"{FILE}-*"):
        neighbour.unlink()
    file.write_bytes(b"x" * 9000)
    assert await found(rag, 9) == ["other.md"]
    assert [error.code for error in told] == ["INVALID_INDEX"]
    await rag._index.let_go()
    for neighbour in docs.parent.glob(f"{FILE}-*"):
        neighbour.unlink()
    file.write_bytes(b"x" * 9000)
    assert (await rag.status()).chunks == 0
    await rag.close()


class Broken(HashingEmbedder):
    """Answers with the wrong number of vectors."""

    def __init__(self, more: int) -> None:
        super().__init__()
        self.more = more

    def encode(self, texts: Any, *, query: bool) -> Any:
        vectors = super().encode(texts, query=query)
        return vectors[: self.more] if self.more < 0 else np.vstack([vectors, vectors[: self.more]])


@pytest.mark.parametrize("more", [-1, 1])
async def test_vectors_that_do_not_match_their_texts_change_nothing(docs: Path, more: int) -> None:
    rag = made(docs)
    await rag.warmup()
    (docs / "faq.md").write_text(page(1, 2, 8))
    rag._embedder = Broken(more)
    with pytest.raises(RagError) as error:
        await rag.refresh()
    assert error.value.code == "EMBEDDING_FAILED"
    rag._embedder = HashingEmbedder()
    await rag.close()
    with closing(sqlite3.connect(docs.parent / FILE)) as db:
        [(count,)] = db.execute("SELECT count(*) FROM chunks")
    assert count == 6
