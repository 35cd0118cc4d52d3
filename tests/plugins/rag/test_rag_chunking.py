"""Chunks: never too long, always ahead, nothing lost."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugins.rag.chunking import chunk, spans
from plugins.rag.documents import Section
from plugins.rag.loaders import markdown, text

ALPHABET = st.sampled_from(["a", "é", "中", "。", ".", " ", "\n", "\n\n", "🌍", "```\n", "| x |\n"])


def places(written: str, size: int, overlap: int) -> Sequence[tuple[int, int]]:
    found = []
    for span in spans(written, size, overlap):
        found.append(span)
        assert len(found) <= len(written), "more chunks than characters"
    return found


@given(
    st.lists(ALPHABET, max_size=300).map("".join),
    st.integers(4, 60).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n // 4))),
)
def test_chunks_fit_go_on_and_lose_nothing(written: str, sizes: tuple[int, int]) -> None:
    size, overlap = sizes
    found = places(written, size, overlap)
    assert all(0 < end - start <= size for start, end in found)
    assert all(a[0] < b[0] and a[1] <= b[1] for a, b in pairwise(found))
    assert all(a[1] - b[0] <= overlap for a, b in pairwise(found))
    covered = {place for start, end in found for place in range(start, end)}
    lost = [letter for place, letter in enumerate(written) if place not in covered]
    assert not "".join(lost).strip()


@pytest.mark.parametrize(("size", "overlap"), [(50, 49), (512, 512), (100, 26), (4, 2)])
def test_an_overlap_of_more_than_a_quarter_is_refused(size: int, overlap: int) -> None:
    with pytest.raises(ValueError, match="quarter"):
        chunk(text.load("abc\n" * 50), size, overlap)


def test_long_lines_and_words_end() -> None:
    assert len(places("abc\n" * 50, 50, 12)) < 10
    assert len(places("a" * 5000, 512, 128)) == 10


def test_cuts_prefer_paragraphs_then_sentences_then_words() -> None:
    written = "One two. Three four.\n\nFive six. Seven eight nine ten."
    assert [written[a:b] for a, b in places(written, 40, 0)] == [
        "One two. Three four.",
        "Five six. Seven eight nine ten.",
    ]
    sentences = "First one here. Second one here. Third one here."
    assert [sentences[a:b] for a, b in places(sentences, 35, 0)] == [
        "First one here. Second one here.",
        "Third one here.",
    ]
    assert next(b - a for a, b in places("word " * 30, 52, 0)) == 49


def test_chinese_is_cut_after_its_sentences() -> None:
    written = "第一句话在这里。第二句话在这里！第三句话在这里？第四句"
    assert next(written[a:b] for a, b in places(written, 16, 0)).endswith("！")


def test_neighbours_share_whole_sentences() -> None:
    written = "".join(f"Sentence number {n} stands here. " for n in range(30))
    found = places(written, 200, 50)
    assert all(written[b[0] :].startswith("Sentence") for b in found)
    assert any(a[1] > b[0] for a, b in pairwise(found))


@pytest.mark.parametrize(
    "block",
    ["```py\n" + "x = 1\n\n" * 8 + "```", "| a | b |\n|---|---|\n" + "| 1. 2 | 3 |\n" * 5],
)
def test_code_and_tables_stay_whole_where_they_fit(block: str) -> None:
    written = "Some words before it all. " * 5 + "\n\n" + block + "\n\n" + "And after. " * 20
    document = text.load(written)
    assert any(block.strip() in piece.text for piece in chunk(document, 150, 20))


def test_sections_are_never_mixed_and_know_their_bytes() -> None:
    written = "# Año\n\nprimero ñandú 🌍\n\n## Dos\n\nsegundo\n"
    document = markdown.load(written)
    found = chunk(document, 100, 10)
    assert [(piece.heading, piece.text) for piece in found] == [
        ("Año", "primero ñandú 🌍"),
        ("Dos", "segundo"),
    ]
    for piece in found:
        assert written.encode()[piece.start : piece.end].decode() == piece.text


def test_a_section_without_text_makes_no_chunk() -> None:
    document = markdown.load("# Only\n\n## Headings\n\n   \n")
    assert document.sections[0] == Section("", 0, 0)
    assert chunk(document, 100, 10) == []
