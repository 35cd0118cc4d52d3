"""Files that would cost much are refused before they do (B51)."""

import tracemalloc
from collections.abc import Callable

import pytest

MEGABYTE = 1 << 20
Faults = Callable[..., list[str]]


def bomb(levels: int, width: int, form: str) -> str:
    """Return a few hundred bytes that stand for ``width ** levels`` values."""
    lines = ["a0: &a0 [x, x]" if form == "list" else "a0: &a0 {x: 1}"]
    for level in range(1, levels):
        uses = ", ".join([f"*a{level - 1}"] * width)
        if form == "keys":
            uses = ", ".join(f"k{i}: *a{level - 1}" for i in range(width))
        inside = f"[{uses}]" if form == "list" else f"{{{uses}}}"
        if form == "merge":
            inside = f"{{<<: [{uses}]}}"
        lines.append(f"a{level}: &a{level} {inside}")
    return "plugins:\n  ai:\n    options:\n" + "".join(f"      {line}\n" for line in lines)


HOSTILE = [
    pytest.param(bomb(10, 9, "list"), "more than 10000 values", id="list of lists"),
    pytest.param(bomb(10, 9, "keys"), "more than 10000 values", id="block of blocks"),
    pytest.param(bomb(10, 9, "merge"), "more than 10000 values", id="merge keys"),
    pytest.param("a: &a [*a]", "inside of what it names", id="self reference"),
    pytest.param("a: &a {b: {c: [*a]}}", "inside of what it names", id="deep self reference"),
    pytest.param("&a a: &b\n  c: *b", "inside of what it names", id="self reference of a block"),
    pytest.param("[" * 100_000, "nests too deeply", id="brackets"),
    pytest.param("a: " + "[x, " * 50_000, "nests too deeply", id="mixed brackets"),
    pytest.param("{a: " * 50_000, "nests too deeply", id="braces"),
    pytest.param("- " * 50_000, "nests too deeply", id="dashes"),
    pytest.param("".join(" " * i + "a:\n" for i in range(300)), "nests too deeply", id="indents"),
    pytest.param("a: [" + "x," * 20_000 + "]", "more than 10000 values", id="long list"),
    pytest.param("a: [" + "[]," * 20_000 + "]", "more than 10000 values", id="empty lists"),
    pytest.param("".join(f"k{i}: 1\n" for i in range(9_000)), "more than 10000", id="keys"),
    pytest.param("x" * 5 * MEGABYTE, "larger than 256 KiB", id="5 MB"),
    pytest.param("a: b\n" * 10 * MEGABYTE, "larger than 256 KiB", id="50 MB"),
]


@pytest.mark.parametrize(("content", "reason"), HOSTILE)
def test_what_would_cost_much_is_refused_for_little(
    faults: Faults, content: str, reason: str
) -> None:
    encoded = content.encode()
    tracemalloc.start()
    try:
        [fault] = faults(encoded)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert reason in fault
    assert peak < 100 * MEGABYTE


def test_as_much_as_is_allowed_is_read(ai: Callable[..., object]) -> None:
    ai("names: [" + "word, " * 9_900 + "]")
    ai("model: " + "x" * 200_000)


@pytest.mark.parametrize(
    "tag",
    [
        *(
            "!!python/object:os.system",
            "!!python/object/apply:os.system",
            "!!python/name:os.system",
        ),
        *("!!python/tuple", "!!binary", "!!timestamp", "!!set", "!!omap", "!mine", "!<x:y>"),
    ],
)
@pytest.mark.parametrize("value", ["[echo]", "{a: b}", "text", "'text'"])
def test_an_unknown_tag_is_refused(faults: Faults, tag: str, value: str) -> None:
    assert "bot.yaml:1:7 this tag (!) is unknown; leave it out" in faults(f"data: {tag} {value}\n")


def test_merge_keys_are_refused(faults: Faults) -> None:
    content = "log: &base {level: info}\ndispatch: {<<: *base}\nplugins:\n  ai:\n    <<: *base\n"
    assert faults(content) == [
        "bot.yaml:2:12 `<<` merges nothing in YAML 1.2; write the keys out",
        "bot.yaml:5:5 `<<` merges nothing in YAML 1.2; write the keys out",
    ]
