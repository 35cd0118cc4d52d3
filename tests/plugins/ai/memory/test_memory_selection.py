from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugins.ai.memory.fact import Fact, Source, Status, key_of
from plugins.ai.memory.options import MemoryConfig
from plugins.ai.memory.selection import select

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def facts(*texts: str) -> list[Fact]:
    """Return facts that were stated one after the other."""
    times = [NOW + timedelta(minutes=number) for number in range(len(texts))]
    return [
        Fact("test:ana", key_of(text), text, Status.APPROVED, Source.AUTO, time, time)
        for text, time in zip(texts, times, strict=True)
    ]


def texts(chosen: list[Fact]) -> list[str]:
    return [fact.text for fact in chosen]


@pytest.mark.parametrize(
    ("question", "needed"),
    [
        ("Which tea should I buy?", "Likes green tea"),
        ("¿Qué perro me recomiendas?", "Tiene un perro llamado Rex"),
        ("Que cidade é esta onde moro?", "Mora na cidade do Porto"),
        ("推荐一本小说", "喜欢侦探小说"),
    ],
)
def test_what_the_message_is_about_goes_in_before_what_is_new(question: str, needed: str) -> None:
    many = facts(needed, *(f"Something else, number {number}" for number in range(60)))
    options = MemoryConfig(max_inject_chars=300)
    chosen = texts(select(many, question, options))
    assert chosen[0] == needed
    assert chosen[-1] == "Something else, number 59"
    assert sum(map(len, chosen)) <= 300


def test_newest_takes_the_last_that_were_stated() -> None:
    many = facts(*(f"Number {number}" for number in range(80)))
    chosen = texts(select(many[::-1], "Number 3", MemoryConfig(select="newest")))
    assert chosen == [f"Number {number}" for number in range(30, 80)]


def test_all_are_all() -> None:
    many = facts(*(f"Number {number}" * 20 for number in range(80)))
    assert len(select(many, "", MemoryConfig(select="all"))) == 80


@given(
    st.lists(st.text(min_size=1, max_size=300), max_size=30, unique_by=key_of),
    st.text(),
    st.integers(300, 2000),
)
def test_the_room_is_never_exceeded_and_used_where_it_can_be(
    written: list[str], question: str, room: int
) -> None:
    options = MemoryConfig(max_inject_chars=room)
    chosen = texts(select(facts(*written), question, options))
    left = room - sum(map(len, chosen))
    assert left >= 0
    assert chosen == [text for text in written if text in chosen]
    assert all(len(text) > left for text in written if text not in chosen)
