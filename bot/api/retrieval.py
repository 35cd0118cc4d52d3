"""What a retriever offers to the plugin that answers questions."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document that may hold an answer.

    ``label`` is how a reader is told of it (``faq.md › Shipping``). ``confidence`` in [0, 1]
    estimates that the answer is in here.
    """

    text: str
    label: str
    score: float
    confidence: float = 1.0


@runtime_checkable
class Retriever(Protocol):
    """Anything that finds passages."""

    async def retrieve(
        self, query: str, *, top_k: int = 3, audience: Collection[str] = ()
    ) -> Sequence[Passage]:
        """Return the best passages first; only those that ``audience`` (scopes) may see."""
        ...
