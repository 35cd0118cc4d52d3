"""How well passages are found, by questions whose source is known."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plugins.rag.errors import Code, RagError
from plugins.rag.rag import Rag
from plugins.rag.search import Hit

DEEPEST = 10


@dataclass(frozen=True, slots=True)
class Case:
    """A question, and the source or a piece of the text that answers it."""

    question: str
    source: str = ""
    text: str = ""

    def met_by(self, hit: Hit) -> bool:
        """Tell whether a passage answers it."""
        if self.source and self.source not in {hit.source, hit.doc_id, hit.citation}:
            return False
        return not self.text or " ".join(self.text.split()) in " ".join(hit.text.split())


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Shares of the questions that were answered by the first, the first three…, and the misses.

    ``mrr`` is the mean reciprocal rank among the first ten.
    """

    questions: int
    first: float
    three: float
    ten: float
    mrr: float
    missed: Sequence[str]


def read(file: Path) -> Sequence[Case]:
    """Return the cases of a file of JSON lines; `RagError` says which line is wrong."""
    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RagError(Code.LOAD_FAILED, f"{file} cannot be read: {error}") from error
    cases = list(_cases(file, lines))
    if not cases:
        raise RagError(Code.LOAD_FAILED, f"{file} has no questions")
    return cases


async def evaluate(rag: Rag, cases: Sequence[Case]) -> Evaluation:
    """Ask all of it."""
    ranks: list[int | None] = []
    for case in cases:
        hits = await rag.retrieve(case.question, top_k=DEEPEST, min_score=0)
        ranks.append(next((n for n, hit in enumerate(hits, 1) if case.met_by(hit)), None))
    missed = [case.question for case, rank in zip(cases, ranks, strict=True) if rank is None]
    found = [rank for rank in ranks if rank is not None]

    def within(most: int) -> float:
        return sum(rank <= most for rank in found) / len(ranks)

    mrr = sum(1 / rank for rank in found) / len(ranks)
    return Evaluation(len(ranks), within(1), within(3), within(DEEPEST), mrr, missed)


def _cases(file: Path, lines: Sequence[str]) -> Iterator[Case]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row: Any = json.loads(line)
            case = Case(**row)
        except (ValueError, TypeError):
            case = Case("")
        fields = (case.question, case.source, case.text)
        if not all(isinstance(f, str) for f in fields) or not (case.source or case.text):
            raise RagError(
                Code.LOAD_FAILED,
                f'{file}:{number}: a line is like {{"question": "…", "source": "faq.md"}},'
                ' or has a "text" that the passage holds',
            )
        yield case
