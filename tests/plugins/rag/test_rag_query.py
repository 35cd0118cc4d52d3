"""Whatever a person types is looked up as words; nothing of it is an operator."""

import sqlite3
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plugins.rag.config import Match, RagConfig
from plugins.rag.database import connect
from plugins.rag.query import MOST_BYTES, MOST_TERMS, parse
from plugins.rag.rag import Rag

STRANGE = [
    "don't",
    "POL-358",
    '"unclosed',
    "C++ AND",
    "(a",
    "NEAR(",
    "*",
    "20.04",
    ":",
    "x" * 5000,
    "what is the",
    "title: body",
    "a OR NOT b",
    "{title}: x",
    "^start",
    "-minus +plus",
    "\x00null",
    "🎩",
    "",
    "\ud800",
]
DOCUMENT = (
    "# Policy POL-358\n\nDon't use C++ AND Ubuntu 20.04.\n\n## Plus\n\nOR NOT, NEAR the title."
)


@pytest.fixture
async def rag(tmp_path: Path) -> Any:
    config = RagConfig.model_validate({"documents": [{"id": "d", "text": DOCUMENT}]})
    rag = Rag(config)
    yield rag
    await rag.close()


@pytest.mark.parametrize("match", get_args(Match))
@pytest.mark.parametrize("text", STRANGE, ids=range(len(STRANGE)))
async def test_strange_questions_are_answered(rag: Rag, text: str, match: Match) -> None:
    hits = await rag.retrieve(text, match=match)
    assert len(hits) <= 3


@pytest.mark.parametrize("text", ["don't", "POL-358", "20.04", "C++"])
async def test_signs_inside_words_are_found(rag: Rag, text: str) -> None:
    assert (await rag.retrieve(text, match="all"))[0].section == "Policy POL-358"


async def test_an_operator_is_a_word(rag: Rag) -> None:
    assert await rag.retrieve("ubuntu NOT windows", match="all") == []
    assert (await rag.retrieve("near title", match="all"))[0].section.endswith("Plus")


def _table() -> sqlite3.Connection:
    db = connect(None)
    db.execute("INSERT INTO words (title, body, metadata) VALUES ('a', 'b', 'c')")
    return db


DATABASE = _table()


@settings(max_examples=10_000, deadline=None)
@given(st.text(max_size=80) | st.lists(st.sampled_from(STRANGE), max_size=4).map(" ".join))
def test_no_text_is_a_fault_of_syntax(text: str) -> None:
    query = parse(text, ["en", "es", ""])
    assert len(query.terms) <= MOST_TERMS
    assert len(query.text.encode("utf-8", "ignore")) <= MOST_BYTES
    if query.terms:
        for wanted in (query.all(), query.phrase()):
            DATABASE.execute("SELECT rowid FROM words WHERE words MATCH ?", (wanted,)).fetchall()
