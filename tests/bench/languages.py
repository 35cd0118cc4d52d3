"""Choosing a language and looking a message up, against Babel, gettext and a plain dict.

python tests/bench/languages.py
"""

import io
from collections.abc import Callable
from pathlib import Path
from timeit import repeat

from babel import negotiate_locale
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.support import Translations

from bot.i18n import Languages

CALLS = 20_000
ROUNDS = 5
MESSAGE = "Shows what I can do"
PO = Path(__file__).parents[2] / "locales" / "es" / "LC_MESSAGES" / "bot.po"


def microseconds(call: Callable[[], object], number: int = CALLS) -> float:
    return min(repeat(call, number=number, repeat=ROUNDS)) / number * 1e6


def table(title: str, rows: dict[str, float]) -> None:
    least = min(rows.values())
    print(f"\n{title:44}{'µs':>10}{'ratio':>8}")
    for name, took in rows.items():
        print(f"{name:44}{took:10.3f}{took / least:8.1f}")


def compiled() -> Translations:
    buffer = io.BytesIO()
    with PO.open("rb") as stream:
        write_mo(buffer, read_po(stream))
    buffer.seek(0)
    return Translations(buffer)


def main() -> None:
    languages = Languages()
    offered = list(languages.available)
    plain = {"es-419": "es"}
    table(
        "choosing a language for es-419",
        {
            "a dict": microseconds(lambda: plain.get("es-419")),
            "Languages.negotiate": microseconds(lambda: languages.negotiate(None, "es-419")),
            "babel.negotiate_locale": microseconds(
                lambda: negotiate_locale(["es-419"], offered, sep="-")
            ),
        },
    )
    ours, peer, texts = languages.translator("es"), compiled(), {MESSAGE: "x"}
    table(
        "looking a message up",
        {
            "a dict": microseconds(lambda: texts.get(MESSAGE, MESSAGE)),
            "Languages": microseconds(lambda: languages.translator("es").gettext(MESSAGE)),
            "a translator in hand": microseconds(lambda: ours.gettext(MESSAGE)),
            "Babel's Translations": microseconds(lambda: peer.gettext(MESSAGE)),
        },
    )
    table(
        "reading a catalog for the first time",
        {
            "read_po and write_mo alone": microseconds(compiled, 1),
            "Languages": microseconds(lambda: Languages().translator("es"), 1),
        },
    )


if __name__ == "__main__":
    main()
