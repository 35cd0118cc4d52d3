"""B56: nothing that a passage or a person smuggles in makes a client fetch or follow a link."""

import pytest

from plugins.ai.citations import Citations
from plugins.ai.links import Links
from plugins.ai.screen import Screen

KNOWN = "See https://shop.example/faq and [terms](https://shop.example/terms?v=2)."


def shown(text: str, size: int = 5) -> tuple[str, int]:
    screen = Screen(Citations(3), Links([KNOWN], ["trusted.example"]))
    pieces = [screen.feed(text[i : i + size]) for i in range(0, len(text), size)]
    return "".join(pieces) + screen.finish(), screen.withheld


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("![x](https://evil.example/p?q=secret)", "x"),
        ("![x](https://shop.example/faq)", "x"),
        ("![x][ref]", "x"),
        ("![a ![b](https://evil.example/1) c](https://evil.example/2)", "a b c"),
        ("[![x](https://evil.example/1)](https://evil.example/2)", "x (`https://evil.example/2`)"),
        ("go https://evil.example/p?q=secret now", "go `https://evil.example/p?q=secret` now"),
        ("<https://evil.example>", "`https://evil.example`"),
        ("[here](https://evil.example/p?q=1)", "here (`https://evil.example/p?q=1`)"),
        ("[here](javascript:alert)", "here (`javascript:alert`)"),
        ("[ref]: https://evil.example/x", "[ref]: `https://evil.example/x`"),
        ("www.evil.example", "`www.evil.example`"),
        ("evil.example/p?q=secret", "`evil.example/p?q=secret`"),
        ("https://shop.example/faq?q=secret", "`https://shop.example/faq?q=secret`"),
        ("https://user@shop.example/faq", "`https://user@shop.example/faq`"),
        ("https://trusted.example.evil.example/", "`https://trusted.example.evil.example/`"),
        ("http://[::1", "`http://`[::1"),
        ('<img src="https://evil.example/x.png">', '<img src="`https://evil.example/x.png`">'),
    ],
)
@pytest.mark.parametrize("size", [1, 6, 1000])
def test_withheld(text: str, seen: str, size: int) -> None:
    result, withheld = shown(text, size)
    assert result == seen
    assert withheld > 0


@pytest.mark.parametrize(
    "text",
    [
        "https://shop.example/faq",
        "https://shop.example/faq/",
        "HTTPS://SHOP.example/faq.",
        "[terms](https://shop.example/terms?v=2)",
        "https://trusted.example/any?thing=1",
        "https://docs.trusted.example",
        "`https://evil.example`",
        "```\ncurl https://evil.example\n```",
        "faq.md, v1.2 and/or 3/4",
    ],
)
def test_trusted_links_and_code_stand(text: str) -> None:
    assert shown(text) == (text, 0)
