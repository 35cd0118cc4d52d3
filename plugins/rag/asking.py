"""A question answered from the documents, or not at all."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from bot.api import Complete, grounded
from plugins.rag.rag import Rag
from plugins.rag.search import Hit

EVIDENCE = 0.2
"""Which confidence a passage needs to be evidence at all."""


@dataclass(frozen=True, slots=True)
class Asked:
    """An answer and the passages that it comes from; ``insufficient_evidence`` where there is none.

    ``asked`` tells whether a model was asked.
    """

    answer: str = ""
    sources: Sequence[Hit] = ()
    insufficient_evidence: bool = False
    asked: bool = True


async def ask(
    rag: Rag,
    question: str,
    complete: Complete,
    *,
    top_k: int | None = None,
    audience: Collection[str] = (),
) -> Asked:
    """Answer a question with a model, from passages that the audience may see.

    An answer that cites or quotes what is not there is asked for once more, and then dropped.
    """
    hits = await rag.retrieve(question, top_k=top_k, audience=audience)
    evidence = [hit for hit in hits if hit.confidence >= EVIDENCE]
    found = await grounded(question, evidence, complete)
    if found is None:
        return Asked(insufficient_evidence=True, asked=bool(evidence))
    return Asked(found.answer, [evidence[number - 1] for number in found.citations])
