import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugins.ai.thinking import Thoughts


def shown(text: str, size: int) -> str:
    thoughts = Thoughts()
    pieces = [thoughts.feed(text[i : i + size]) for i in range(0, len(text), size)]
    return "".join(pieces) + thoughts.finish()


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("<think>maybe</think>Yes", "Yes"),
        ("<think>a</think>Yes<think>b</think>, no", "Yes, no"),
        ("<THINKING>a <b></thinking>\n\nYes", "\n\nYes"),
        ("<think>never closed", ""),
        ("<think>closed by </thinking> another", ""),
        ("late</think> end", "late end"),
        ("a < b, <thin> and <b>", "a < b, <thin> and <b>"),
        ("The tag `<think>` is spoken of", "The tag `<think>` is spoken of"),
        ("<think></think>", ""),
        ("half <thin", "half <thin"),
    ],
)
@pytest.mark.parametrize("size", [1, 2, 5, 100])
def test_reasoning_is_kept_out(text: str, seen: str, size: int) -> None:
    assert shown(text, size) == seen


TOKENS = st.sampled_from(["<", "think>", "</think>", "<think>", "a", "`", ">", "</", "reasoning>"])


@given(st.lists(TOKENS, max_size=12).map("".join), st.integers(1, 5))
def test_pieces_do_not_matter(text: str, size: int) -> None:
    assert shown(text, size) == shown(text, len(text) or 1)
