"""A thousand chats that are answered at once, piece by piece, against bare HTTP streams.

python tests/bench/streams.py [CHATS]
"""

import asyncio
import gc
import json
import multiprocessing
import resource
import statistics
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from time import perf_counter
from typing import Any

import httpx

from bot.testing import talking_to
from plugins.ai import plugin

PIECES = 40
PAUSE = 0.25
TICK = 0.01


def piece(chat: str, number: int) -> str:
    return f"{chat}-{number} "


def answer_to(chat: str) -> str:
    return "".join(piece(chat, number) for number in range(PIECES)).strip()


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError, asyncio.IncompleteReadError):
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            fields = dict(line.lower().split(": ", 1) for line in head.decode().splitlines()[1:-1])
            body = json.loads(await reader.readexactly(int(fields["content-length"])))
            await answer(writer, body["messages"][-1]["content"])
    writer.close()


async def answer(writer: asyncio.StreamWriter, chat: str) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n")
    writer.write(b"transfer-encoding: chunked\r\n\r\n")
    for number in range(PIECES):
        await asyncio.sleep(PAUSE)
        send(writer, {"delta": {"content": piece(chat, number)}})
    send(writer, {"delta": {}, "finish_reason": "stop"})
    writer.write(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")
    await writer.drain()


def send(writer: asyncio.StreamWriter, choice: Any) -> None:
    event = f"data: {json.dumps({'choices': [{'index': 0, **choice}]})}\n\n".encode()
    writer.write(f"{len(event):x}\r\n".encode() + event + b"\r\n")


def server(pipe: Connection) -> None:
    async def run() -> None:
        listening = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=4096)
        pipe.send(listening.sockets[0].getsockname()[1])
        await listening.serve_forever()

    asyncio.run(run())


@dataclass
class Figures:
    seconds: float
    delays: Sequence[float]
    kibibytes: float

    def __str__(self) -> str:
        ranked = sorted(self.delays)
        p99 = ranked[int(len(ranked) * 0.99)]
        return (
            f"{self.seconds:8.2f}{statistics.median(ranked) * 1e3:10.1f}{p99 * 1e3:8.1f}"
            f"{ranked[-1] * 1e3:8.1f}{self.kibibytes:10.1f}"
        )


@asynccontextmanager
async def watched(delays: list[float]) -> AsyncIterator[None]:
    """Note by how much the event loop is late while the context is open, in seconds."""

    async def tick() -> None:
        while True:
            start = perf_counter()
            await asyncio.sleep(TICK)
            delays.append(perf_counter() - start - TICK)

    ticking = asyncio.create_task(tick())
    try:
        yield
    finally:
        ticking.cancel()


async def measured(chats: int, run: Callable[[], Awaitable[None]]) -> Figures:
    gc.collect()
    before = resident()
    delays: list[float] = []
    start = perf_counter()
    async with watched(delays):
        await run()
    seconds = perf_counter() - start
    return Figures(seconds, delays, (peak() - before) / chats)


def resident() -> float:
    with open("/proc/self/statm") as file:  # noqa: PTH123
        return int(file.read().split()[1]) * resource.getpagesize() / 1024


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


async def bare(url: str, chats: int) -> Figures:
    limits = httpx.Limits(max_connections=None)

    async def one(client: httpx.AsyncClient, chat: str) -> None:
        text = ""
        body = {"messages": [{"role": "user", "content": chat}]}
        async with client.stream("POST", f"{url}/chat/completions", json=body) as response:
            async for line in response.aiter_lines():
                if line.startswith("data: {"):
                    delta = json.loads(line[6:])["choices"][0]["delta"]
                    text += delta.get("content", "")
        if text.strip() != answer_to(chat):
            raise RuntimeError(f"{chat} got another text")

    async with httpx.AsyncClient(limits=limits, timeout=60) as client:
        return await measured(chats, lambda: _gather(*(one(client, f"c{n}") for n in range(chats))))


async def ours(url: str, chats: int) -> Figures:
    block = {"provider": "openai", "base_url": url, "model": "m", "api_key": "k"}
    config = {"ai": {**block, "debounce": "0s", "rate": False}}
    async with talking_to(plugin, config=config) as bot:
        bot.adapter.features = type(bot.adapter.features)(edit_interval=1.0)

        async def one(chat: str) -> None:
            await bot.dispatcher.receive(bot.message(chat, sender=chat))

        async def run() -> None:
            await _gather(*(one(f"c{n}") for n in range(chats)))
            await bot.settle()

        figures = await measured(chats, run)
        texts = {bot.adapter.chats[i]: reply.text for i, reply in bot.adapter.shown.items()}
        wrong = [
            n for n in range(chats) if texts.get(f"test:c{n}", "").strip() != answer_to(f"c{n}")
        ]
        if wrong or len(bot.adapter.shown) != chats:
            raise RuntimeError(f"{len(wrong)} answers are lost or mixed")
        return figures


async def _gather(*coroutines: Awaitable[None]) -> None:
    await asyncio.gather(*coroutines)


async def main() -> None:
    chats = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    mine, its = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=server, args=(its,), daemon=True)
    process.start()
    url = f"http://127.0.0.1:{mine.recv()}"
    print(f"{chats} answers of {PIECES} pieces, one each {PAUSE * 1000:.0f} ms; loop delay in ms")
    print(f"{'way':28}{'seconds':>8}{'median':>10}{'p99':>8}{'most':>8}{'KiB each':>10}")
    plain = await bare(url, chats)
    print(f"{'bare HTTP streams':28}{plain}")
    whole = await ours(url, chats)
    print(f"{'ours, shown once a second':28}{whole}")
    print(f"no piece lost or mixed; {whole.seconds / plain.seconds:.2f} times as long")
    process.kill()


if __name__ == "__main__":
    asyncio.run(main())
