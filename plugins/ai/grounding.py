"""Passages for a turn, in time or not at all."""

import asyncio
from collections.abc import Collection, Sequence
from logging import Logger

from bot.api import Passage, Retriever, Tasks
from plugins.ai.config import RagConfig

Found = asyncio.Future[Sequence[Passage]]


class Grounding:
    """Asks a retriever under a deadline; whatever fails in it leaves the answer without passages.

    The asking runs as background work, so that a failure is logged as any other and a retriever
    that does not heed its cancellation holds nobody up.
    """

    def __init__(self, retriever: Retriever, config: RagConfig, tasks: Tasks, log: Logger) -> None:
        self._retriever = retriever
        self._config = config
        self._tasks = tasks
        self._log = log

    async def passages(self, question: str, audience: Collection[str]) -> Sequence[Passage]:
        """Return the passages for a question that ``audience`` may see, best first."""
        if not question.strip():
            return ()
        found: Found = asyncio.get_running_loop().create_future()
        self._tasks.start(self._retrieve(question, audience, found), name="retrieval")
        try:
            async with asyncio.timeout(self._config.timeout.total_seconds()):
                passages = await found
        except TimeoutError:
            self._log.warning("retrieval took too long; answering without passages")
            return ()
        return [p for p in passages if p.confidence >= self._config.min_confidence]

    async def _retrieve(self, question: str, audience: Collection[str], found: Found) -> None:
        # Who waits no longer has cancelled `found`, and that cancels this task.
        task = asyncio.current_task()
        found.add_done_callback(lambda done: done.cancelled() and task and task.cancel())
        try:
            passages = await self._retriever.retrieve(
                question, top_k=self._config.top_k, audience=audience
            )
            if not found.done():
                found.set_result(passages)
        finally:
            if not found.done():
                found.set_result(())
