"""Tags of languages and which offer fits them."""

import pytest
from babel import Locale
from babel.localedata import locale_identifiers
from hypothesis import given
from hypothesis import strategies as st

from bot.negotiation import LONGEST, Tag, closest, parse


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("zh-hans", Tag("zh", "Hans", "CN")),
        ("zh-CN", Tag("zh", "Hans", "CN")),
        ("zh_TW", Tag("zh", "Hant", "TW")),
        ("zh-Hant-HK", Tag("zh", "Hant", "HK")),
        ("cmn-Hans", Tag("zh", "Hans", "CN")),
        ("es-419", Tag("es", "Latn", "419")),
        ("pt-br", Tag("pt", "Latn", "BR")),
        ("PT_PT", Tag("pt", "Latn", "PT")),
        ("en-US", Tag("en", "Latn", "US")),
        ("sr-Latn", Tag("sr", "Latn", "RS")),
        ("sr_ME", Tag("sr", "Latn", "ME")),
        ("sh", Tag("sr", "Latn", "RS")),
        ("no", Tag("nb", "Latn", "NO")),
        ("NO-no", Tag("nb", "Latn", "NO")),
        ("iw", Tag("he", "Hebr", "IL")),
        ("es_MX.UTF-8", Tag("es", "Latn", "MX")),
        ("ca@valencia", Tag("ca", "Latn", "ES")),
        ("en-u-ca-gregory", Tag("en", "Latn", "US")),
        (" de ", Tag("de", "Latn", "DE")),
    ],
)
def test_a_tag_is_read_however_a_client_writes_it(text: str, tag: Tag) -> None:
    assert parse(text) == tag


@pytest.mark.parametrize(
    "text",
    ["", " ", "-", "_", "x-klingon", "i-default", "C", "POSIX", "12", "e", "español", "es\n_x"],
)
def test_what_is_no_language_is_none(text: str) -> None:
    assert parse(text) is None


def test_a_tag_longer_than_any_in_use_is_none() -> None:
    assert parse("en-" + "x" * LONGEST) is None


@given(st.text(max_size=40))
def test_nothing_that_is_said_to_be_a_language_raises(text: str) -> None:
    parse(text)


def test_every_locale_of_cldr_is_read_as_babel_reads_it() -> None:
    for name in locale_identifiers():
        tag = parse(name)
        assert tag is not None
        locale = Locale.parse(name)
        assert tag.language == {"no": "nb"}.get(locale.language, locale.language), name
        assert locale.script in (None, tag.script), name
        assert locale.territory in (None, tag.territory), name


@pytest.mark.parametrize(
    ("wanted", "offered", "best"),
    [
        ("es-419", ["en", "es"], "es"),
        ("zh-HK", ["zh_Hans", "zh_Hant"], "zh_Hant"),
        ("zh-SG", ["zh_Hant", "zh_Hans"], "zh_Hans"),
        ("zh-TW", ["en", "zh_Hans"], "zh_Hans"),
        ("pt", ["pt_PT", "pt_BR"], "pt_BR"),
        ("pt-AO", ["en", "pt_BR"], "pt_BR"),
        ("sr-Latn", ["sr", "sr_Latn"], "sr_Latn"),
        ("de", ["en", "es"], None),
        ("no", ["nn", "nb"], "nb"),
    ],
)
def test_the_nearest_of_one_language_fits(
    wanted: str, offered: list[str], best: str | None
) -> None:
    tag = parse(wanted)
    assert tag is not None
    tags = {code: found for code in offered if (found := parse(code)) is not None}
    assert closest(tag, tags) == best
