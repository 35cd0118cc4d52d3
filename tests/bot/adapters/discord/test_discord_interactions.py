"""How long an interaction can be answered through its token."""

from bot.adapters.discord.interactions import LIFE, Interactions


def test_it_is_over_after_a_quarter_of_an_hour_and_then_forgotten() -> None:
    now = 0.0
    waiting = Interactions(lambda: now)
    waiting.add("1", 900, "token", placeholder=True)
    now = LIFE - 1
    assert waiting.get("1") is not None
    now = LIFE
    assert waiting.get("1") is None
    waiting.add("2", 900, "token", placeholder=True)
    assert len(waiting) == 1


def test_one_that_was_given_up_is_not_found() -> None:
    waiting = Interactions(lambda: 0.0)
    waiting.add("1", 900, "token", placeholder=False)
    waiting.forget("1")
    waiting.forget(None)
    assert waiting.get("1") is None
    assert waiting.get(None) is None
