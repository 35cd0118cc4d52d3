"""A model server of faults on loopback, and a bot that talks to it."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from bot.api import Passage, Plugin, Services
from bot.testing import Bot, talking_to
from plugins.ai import plugin


@dataclass
class Asked:
    """A request as the server got it."""

    line: str
    headers: dict[str, str]
    body: Any


@dataclass
class Answered:
    """What the server sends: pieces of a body, each after a pause of ``wait`` seconds.

    Without ``length`` the body is chunked. ``end`` is what comes after it: ``keep`` the connection,
    ``close`` it properly, ``cut`` it without the last chunk, or ``hang``.
    """

    pieces: Sequence[bytes] = ()
    status: str = "200 OK"
    headers: dict[str, str] = field(default_factory=lambda: {"content-type": "text/event-stream"})
    end: str = "keep"
    wait: float = 0.0
    before: asyncio.Event | None = None


class FaultyServer:
    """Answers the n-th request with the n-th script, and the last one for ever."""

    def __init__(self) -> None:
        self.script: list[Answered] = []
        self.asked: list[Asked] = []
        self.connections = 0
        self.drop_next = False
        self.open: list[asyncio.StreamWriter] = []
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.open.append(writer)
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while await self._one(reader, writer):
                pass
        writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().splitlines()
        headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
        raw = await reader.readexactly(int(headers.get("content-length", "0")))
        self.asked.append(Asked(head[0], headers, json.loads(raw or b"null")))
        if self.drop_next:
            self.drop_next = False
            return False
        answer = self.script[min(len(self.asked), len(self.script)) - 1]
        if answer.before is not None:
            await answer.before.wait()
        await self._answer(writer, answer)
        return answer.end == "keep"

    async def _answer(self, writer: asyncio.StreamWriter, answer: Answered) -> None:
        lines = [f"HTTP/1.1 {answer.status}", "transfer-encoding: chunked"]
        lines += [f"{name}: {value}" for name, value in answer.headers.items()]
        writer.write("\r\n".join([*lines, "", ""]).encode())
        for piece in answer.pieces:
            writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            await writer.drain()
            await asyncio.sleep(answer.wait)
        if answer.end == "hang":
            await asyncio.Event().wait()
        if answer.end != "cut":
            writer.write(b"0\r\n\r\n")
            await writer.drain()


@pytest.fixture
async def server() -> AsyncIterator[FaultyServer]:
    faulty = FaultyServer()
    listening = await asyncio.start_server(faulty.serve, "127.0.0.1", 0)
    host, port = listening.sockets[0].getsockname()
    faulty.url = f"http://{host}:{port}/v1"
    yield faulty
    listening.close()
    for writer in faulty.open:
        writer.close()
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        if "FaultyServer" in repr(task.get_coro()):
            task.cancel()
    await asyncio.sleep(0)


@pytest.fixture
def answered() -> type[Answered]:
    return Answered


@pytest.fixture
def sse() -> Callable[..., bytes]:
    """Server-sent events of chat completions: texts become chunks, mappings stand as they are."""

    def encode(*chunks: object, stop: str | None = "stop", done: bool = True) -> bytes:
        made = [c if isinstance(c, dict) else _chunk({"content": c}) for c in chunks]
        made += [] if stop is None else [_chunk({}, stop)]
        lines = [json.dumps(chunk, ensure_ascii=False) for chunk in made] + ["[DONE]"] * done
        return "".join(f"data: {line}\n\n" for line in lines).encode()

    return encode


def _chunk(delta: object, stop: str | None = None) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": stop}]}


@dataclass
class Library:
    """A retriever that finds what it is given, or does what ``act`` does."""

    passages: Sequence[Passage] = ()
    act: Callable[[], Any] | None = None
    asked: list[tuple[str, set[str]]] = field(default_factory=list)

    async def retrieve(
        self, query: str, *, top_k: int = 3, audience: Sequence[str] = ()
    ) -> Sequence[Passage]:
        self.asked.append((query, set(audience)))
        if self.act is not None:
            await self.act()
        return self.passages[:top_k]


@pytest.fixture
def library() -> Library:
    return Library()


@pytest.fixture
def chatting(
    library: Library, server: FaultyServer
) -> Callable[..., AbstractAsyncContextManager[Bot]]:
    """A bot with the AI plugin and the library; with ``model`` it asks the server."""

    @asynccontextmanager
    async def offering(services: Services[Any]) -> AsyncIterator[None]:
        services.offer(library)
        yield

    @asynccontextmanager
    async def chat(
        *plugins: Plugin[Any],
        model: bool = False,
        block: dict[str, Any] | None = None,
        **options: Any,
    ) -> AsyncIterator[Bot]:
        ai: dict[str, Any] = {"rag": {"retriever": "rag"}, "retries": 0, "debounce": timedelta(0)}
        if model:
            ai |= {"provider": "openai", "base_url": server.url, "model": "m", "api_key": "sk-key"}
        ai |= block or {}
        rag: Plugin[None] = Plugin("rag", "Finds.", setup=offering)
        async with talking_to(rag, plugin, *plugins, config={"ai": ai}, **options) as bot:
            yield bot

    return chat
