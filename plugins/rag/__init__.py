"""Answers come from the operator's documents: this plugin finds the passages."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.api import DataStatement, Plugin, Services
from plugins.rag.config import RagConfig
from plugins.rag.rag import Rag


@asynccontextmanager
async def setup(services: Services[RagConfig]) -> AsyncIterator[Rag]:
    """Offer a retriever; its documents are loaded in the background."""
    rag = Rag(
        services.config,
        services.folder,
        on_error=lambda error: services.log.warning("%s", error, extra={"code": error.code}),
    )
    services.offer(rag)
    services.tasks.start(_warmed(rag), name="rag warmup")
    try:
        yield rag
    finally:
        await rag.close()


async def _warmed(rag: Rag) -> None:
    await rag.warmup()


plugin: Plugin[Rag] = Plugin(
    "rag",
    "Finds passages in the operator's documents",
    config=RagConfig,
    setup=setup,
    data=DataStatement(
        "The search through the documents keeps nothing of what you ask.",
        recipients=lambda rag: rag.recipients,
    ),
)
