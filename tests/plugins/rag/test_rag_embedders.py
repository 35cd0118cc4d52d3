"""Vectors from a server or a function, and what happens when another one makes them."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from aiohttp import web
from pydantic import ValidationError

from plugins.rag.config import RagConfig
from plugins.rag.connections import FILE
from plugins.rag.embedders.options import EmbeddingsConfig
from plugins.rag.embedders.own import OwnEmbedder
from plugins.rag.embedders.remote import RemoteEmbedder, unit
from plugins.rag.errors import Code, RagError
from plugins.rag.rag import Rag

TEXTS = ["shoes", "boots and shoes", "¿cuánto cuesta?", "鞋子"]


def vector(text: str, size: int = 16) -> list[float]:
    row = [0.0] * size
    for word in text.lower().split():
        row[crc32(word.encode()) % size] += 3.0
    return row


@dataclass
class Server:
    """Speaks as each provider does; ``faults`` are told first, each once."""

    url: str = ""
    asked: list[tuple[str, Any, str | None]] = field(default_factory=list)
    faults: list[web.Response] = field(default_factory=list)
    change: Callable[[list[Any]], Any] = field(default=lambda rows: rows)
    size: int = 16

    async def answer(self, request: web.Request) -> web.Response:
        body = await request.json()
        key = request.headers.get("authorization") or request.headers.get("x-goog-api-key")
        self.asked.append((request.path, body, key))
        if self.faults:
            return self.faults.pop(0)
        if request.path.endswith("/embeddings"):
            rows: list[Any] = [
                {"index": n, "embedding": vector(text, self.size)}
                for n, text in enumerate(body["input"])
            ]
            return web.json_response({"data": self.change(rows)})
        if request.path.endswith("/api/embed"):
            rows = [vector(text, self.size) for text in body["input"]]
            return web.json_response({"embeddings": self.change(rows)})
        texts = [one["content"]["parts"][0]["text"] for one in body["requests"]]
        rows = [{"values": vector(text, self.size)} for text in texts]
        return web.json_response({"embeddings": self.change(rows)})


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    server = Server()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", server.answer)
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    server.url = f"http://{host}:{port}"
    yield server
    await runner.cleanup()


def options(kind: str, server: Server, **more: Any) -> dict[str, Any]:
    return {
        "provider": kind,
        "base_url": server.url,
        "model": "m",
        "api_key": "sk-secret",
    } | more


def remote(kind: str, server: Server, **more: Any) -> RemoteEmbedder:
    config = EmbeddingsConfig.model_validate(options(kind, server, **more))
    return RemoteEmbedder(config, first_wait=0.01)


KINDS = {"openai": "/embeddings", "ollama": "/api/embed", "gemini": ":batchEmbedContents"}


@pytest.mark.parametrize("kind", KINDS)
async def test_each_server_is_asked_in_batches(kind: str, server: Server) -> None:
    embedder = remote(kind, server, batch=2)
    await embedder.settle(None)
    assert embedder.key == f"{kind}:m:16"
    rows = await embedder.embed(TEXTS, query=False)
    await embedder.close()
    assert np.allclose(rows, unit([vector(text) for text in TEXTS], 16))
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    assert len(server.asked) == 3, "one to learn the dimensions, two for four texts"
    for path, _, key in server.asked:
        assert path.endswith(KINDS[kind])
        assert key is not None
        assert "sk-secret" in key
        assert "sk-secret" not in path


async def test_gemini_tells_questions_from_documents(server: Server) -> None:
    embedder = remote("gemini", server, dimensions=16)
    await embedder.embed(["a"], query=True)
    await embedder.embed(["a"], query=False)
    await embedder.close()
    kinds = [body["requests"][0] for _, body, _ in server.asked]
    assert [one["taskType"] for one in kinds] == ["RETRIEVAL_QUERY", "RETRIEVAL_DOCUMENT"]
    assert kinds[0]["outputDimensionality"] == 16


async def test_vectors_are_put_to_their_texts_by_index(server: Server) -> None:
    server.change = lambda rows: [rows[i] for i in (2, 0, 1, 3)]
    embedder = remote("openai", server, dimensions=16)
    rows = await embedder.embed(TEXTS, query=False)
    await embedder.close()
    assert np.allclose(rows, unit([vector(text) for text in TEXTS], 16))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows[:3],
        lambda rows: [*rows, rows[0]],
        lambda _: "nothing",
        lambda rows: [None, *rows[1:]],
        lambda rows: [rows[0], rows[0], rows[2], rows[2]] if isinstance(rows[0], dict) else [],
    ],
)
async def test_what_does_not_match_its_texts_is_refused(
    kind: str, change: Any, server: Server
) -> None:
    server.change = change
    embedder = remote(kind, server, dimensions=16, retries=0)
    doubled = kind == "gemini" and change(list(map(dict, [{}] * 4))) == [{}] * 4
    if doubled:
        return  # without an index nobody can tell
    with pytest.raises(RagError) as error:
        await embedder.embed(TEXTS, query=False)
    await embedder.close()
    assert error.value.code is Code.EMBEDDING_FAILED


@pytest.mark.parametrize(
    "rows", [[[1.0, 2.0], [1.0]], [["a", "b"]], [[1.0] * 3], [[[1.0]], [[2.0]]]]
)
def test_odd_vectors_are_refused(rows: Any) -> None:
    with pytest.raises(RagError):
        unit(rows, 2)


async def test_what_may_pass_is_tried_again(server: Server) -> None:
    server.faults = [web.Response(status=503), web.Response(status=429)]
    embedder = remote("openai", server, dimensions=16)
    assert (await embedder.embed(["a"], query=False)).shape == (1, 16)
    assert len(server.asked) == 3
    server.faults = [web.Response(status=401, text="sk-secret is wrong")]
    with pytest.raises(RagError, match="HTTP 401") as error:
        await embedder.embed(["a"], query=False)
    await embedder.close()
    assert len(server.asked) == 4
    assert "sk-secret" not in str(error.value)


async def test_a_server_that_is_not_there_is_told() -> None:
    block = {"provider": "openai", "base_url": "http://127.0.0.1:1", "model": "m"}
    embedder = RemoteEmbedder(EmbeddingsConfig.model_validate(block), first_wait=0.01)
    with pytest.raises(RagError, match="cannot be reached"):
        await embedder.settle(None)
    await embedder.close()


@pytest.mark.parametrize(
    ("block", "complaint"),
    [
        ({"provider": "magic"}, "provider is one of"),
        ({"provider": "openai"}, "needs `model`"),
        ({"provider": "openai", "model": "m", "base_url": "http://far.example"}, "use https"),
        ({"provider": "openai", "model": "m", "base_url": "https://me:pw@x"}, "user name"),
        ({"provider": "no.such.module:f"}, "cannot be imported"),
        ({"provider": "json:nothing"}, "names no function"),
        ({"provider": "openai", "model": "m", "batch": 0}, "batch"),
        ("magic", "local"),
    ],
)
def test_wrong_options_are_told(block: Any, complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        RagConfig.model_validate({"embeddings": block})


def function(texts: Sequence[str]) -> list[list[float]]:
    return [vector(text) for text in texts]


async def later(texts: Sequence[str]) -> Any:
    await asyncio.sleep(0)
    return np.array([vector(text) for text in texts])


@pytest.mark.parametrize("embed", [function, later])
async def test_ones_own_embedder_is_a_function(embed: Any) -> None:
    embedder = OwnEmbedder(SimpleNamespace(id="mine", embed=embed))
    await embedder.settle(None)
    assert embedder.key == "own:mine:16"
    rows = await embedder.embed(TEXTS, query=False)
    assert np.allclose(rows, unit([vector(text) for text in TEXTS], 16))


@pytest.mark.parametrize(
    "embed", [lambda texts: 1 / 0, lambda texts: function(texts)[1:], lambda texts: ["x"] * 4]
)
async def test_what_fails_in_ones_own_is_told_with_its_name(embed: Any) -> None:
    embedder = OwnEmbedder(SimpleNamespace(id="mine", embed=embed), 16)
    with pytest.raises(RagError) as error:
        await embedder.embed(TEXTS, query=False)
    assert error.value.code is Code.EMBEDDING_FAILED


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name in ("shoes", "boots", "socks"):
        (folder / f"{name}.md").write_text(f"All about {name} in here.")
    return folder


def made(docs: Path, embeddings: Any, told: list[RagError], **more: Any) -> Rag:
    block = {"documents": [str(docs)], "embeddings": embeddings, **more}
    config = RagConfig.model_validate(block)
    return Rag(config, lambda: docs.parent, on_error=told.append)


async def best(rag: Rag, question: str, **more: Any) -> str:
    hits = await rag.retrieve(question, **more)
    return hits[0].source if hits else ""


def spaces(docs: Path) -> dict[str, int]:
    with closing(sqlite3.connect(docs.parent / FILE)) as db:
        return dict(db.execute("SELECT space, count(*) FROM vectors GROUP BY space"))


async def test_a_server_embeds_documents_and_questions(docs: Path, server: Server) -> None:
    told: list[RagError] = []
    rag = made(docs, options("openai", server), told)
    assert await best(rag, "boots", mode="vector") == "boots.md"
    asked = len(server.asked)
    await rag.close()
    again = made(docs, options("openai", server), told)
    assert await best(again, "socks", mode="vector") == "socks.md"
    await again.close()
    assert len(server.asked) == asked + 1, "only the question"
    assert not told


async def test_words_alone_find_what_they_find_while_the_server_is_down(
    docs: Path, server: Server
) -> None:
    told: list[RagError] = []
    rag = made(docs, options("openai", server, retries=0), told)
    await rag.warmup()
    server.faults = [web.Response(status=500), web.Response(status=500)]
    assert await best(rag, "boots") == "boots.md"
    assert [error.code for error in told] == [Code.EMBEDDING_FAILED]
    with pytest.raises(RagError):
        await rag.retrieve("boots", mode="vector")
    await rag.close()


async def test_another_embedder_embeds_all_anew_while_words_serve(
    docs: Path, server: Server
) -> None:
    told: list[RagError] = []
    rag = made(docs, "local", told)
    await rag.add_text("All about belts in here.", "belts")
    await rag.close()
    assert spaces(docs) == {"hashing-2048-1": 4}
    server.faults = [web.Response(status=500), web.Response(status=500)]
    changed = options("openai", server, retries=0, dimensions=16)
    rag = made(docs, changed, told, retry_delay="100ms")
    assert await best(rag, "belts") == "belts", "at once, by words"
    codes = [error.code for error in told]
    assert codes[0] is Code.EMBEDDER_CHANGED
    assert Code.EMBEDDING_FAILED in codes
    assert await rag.retrieve("belts", mode="vector") is not None
    await rag.settled()
    assert await best(rag, "belts", mode="vector") == "belts"
    assert await best(rag, "socks", mode="vector") == "socks.md"
    await rag.close()
    assert spaces(docs) == {"hashing-2048-1": 4, "openai:m:16": 4}, "the one before stays"
    told.clear()
    rag = made(docs, "local", told)
    assert await best(rag, "boots", mode="vector") == "boots.md"
    assert not told, "going back takes nothing"
    await rag.close()


async def test_other_dimensions_are_another_space(docs: Path, server: Server) -> None:
    told: list[RagError] = []
    for size in (16, 32):
        server.size = size
        rag = made(docs, options("openai", server, dimensions=size), told)
        await rag.warmup()
        await rag.settled()
        assert await best(rag, "boots", mode="vector") == "boots.md"
        await rag.close()
    assert [error.code for error in told] == [Code.EMBEDDER_CHANGED]


async def test_a_killed_change_goes_on_where_it_was(docs: Path, server: Server) -> None:
    told: list[RagError] = []
    rag = made(docs, "local", told)
    await rag.warmup()
    await rag.close()
    with closing(sqlite3.connect(docs.parent / FILE)) as db:
        (key,) = db.execute("SELECT hash FROM vectors LIMIT 1").fetchone()
        row = unit([vector("whatever")], 16).astype(np.float16).tobytes()
        db.execute("INSERT INTO vectors VALUES ('openai:m:16', ?, ?)", (key, row))
        db.commit()
    rag = made(docs, options("openai", server, dimensions=16), told)
    await rag.warmup()
    await rag.settled()
    await rag.close()
    texts = [text for _, body, _ in server.asked for text in body["input"]]
    assert len(texts) == 2, "what was embedded stays"


async def test_an_index_of_the_older_layout_is_taken_over(docs: Path) -> None:
    told: list[RagError] = []
    rag = made(docs, "local", told)
    await rag.add_text("All about belts in here.", "belts")
    await rag.close()
    with closing(sqlite3.connect(docs.parent / FILE)) as db:
        db.execute("DROP TABLE vectors")
        db.execute("CREATE TABLE vectors (hash BLOB PRIMARY KEY, vector BLOB NOT NULL)")
        db.execute("DELETE FROM meta WHERE key = 'space'")
        db.execute("PRAGMA user_version = 1")
        db.commit()
    rag = made(docs, "local", told)
    assert await best(rag, "belts") == "belts"
    await rag.settled()
    assert await best(rag, "belts", mode="vector") == "belts"
    assert not told
    await rag.close()


async def test_people_are_told_who_is_sent_their_questions(docs: Path) -> None:
    block = {"provider": "openai", "model": "m", "base_url": "https://vectors.example/v1"}
    for embeddings, named in ((block, ["openai (vectors.example)"]), ("local", [])):
        rag = made(docs, embeddings, [])
        assert list(rag.recipients) == named
        await rag.close()
