"""The languages of the bot: negotiation, messages, plurals, the operator's wordings, packages."""

import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.api import Argument, ConfigError, Context, Plugin, PluginError, gettext_noop
from bot.i18n import Languages

SETTINGS = "Shows what I can do"
ONE = "{count} message of our conversations"
MANY = "{count} messages of our conversations"

PO = """
msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: nplurals=4; plural=(n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3);\\n"

msgid "{count} duck"
msgid_plural "{count} ducks"
msgstr[0] "{count} raca"
msgstr[1] "{count} raci"
msgstr[2] "{count} race"
msgstr[3] "{count} rac"

msgid "Shows what I can do"
msgstr "Kaj znam"

msgctxt "command"
msgid "help"
msgstr "pomoc"
"""
POT = """
msgid "{count} duck"
msgid_plural "{count} ducks"
msgstr[0] ""
msgstr[1] ""
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a new package ``duckling`` that may be imported."""
    folder = tmp_path / "duckling"
    folder.mkdir()
    (folder / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    yield folder
    sys.modules.pop("duckling", None)


def add_catalog(package: Path, language: str, text: str) -> None:
    folder = package / "locales" / language / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "bot.po").write_text(text, "utf-8")


def test_the_shipped_languages_are_there() -> None:
    assert Languages().available == ["en", "es", "pt_BR", "zh_Hans"]


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ("zh-hans", "zh_Hans"),
        ("zh-CN", "zh_Hans"),
        ("es-419", "es"),
        ("pt-br", "pt_BR"),
        ("en-US", "en"),
        ("sr-Latn", "es"),
        ("x-klingon", "es"),
        ("", "es"),
        (None, "es"),
        ("no", "es"),
        ("a" * 100_000, "es"),
    ],
)
def test_a_clients_locale_finds_its_language_or_the_default(
    code: str | None, language: str
) -> None:
    assert Languages("es").negotiate(code) == language


def test_no_finds_norwegian_where_it_is_spoken(package: Path) -> None:
    add_catalog(package, "nb", 'msgid "Says hello"\nmsgstr "Sier hei"\n')
    languages = Languages(packages=["duckling"])
    assert languages.negotiate("no") == languages.negotiate("nb-NO") == "nb"
    assert languages.translator("no").gettext("Says hello") == "Sier hei"


def test_the_first_that_fits_is_taken() -> None:
    languages = Languages("zh_Hans")
    assert languages.negotiate(None, "de", "pt", "es") == "pt_BR"
    assert languages.negotiate("es", "pt") == "es"
    assert languages.negotiate() == languages.negotiate("de", None) == "zh_Hans"


def test_a_default_without_catalog_leaves_english_and_warns(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        assert Languages("de").negotiate("fr") == "en"
    assert "no catalog of language de" in caplog.text


@given(st.lists(st.none() | st.text(max_size=50), max_size=4))
def test_any_wish_ends_in_a_language_that_is_there(wishes: list[str | None]) -> None:
    assert LANGUAGES.negotiate(*wishes) in LANGUAGES.available


LANGUAGES = Languages()


def test_messages_are_translated_and_what_is_unknown_stays() -> None:
    spanish = LANGUAGES.translator("es-MX")
    assert spanish.gettext(SETTINGS) == "Mostrar lo que puedo hacer"
    assert spanish.gettext("Not in any catalog") == "Not in any catalog"
    assert spanish.gettext("") == ""
    assert LANGUAGES.translator("en").gettext(SETTINGS) == SETTINGS


@pytest.mark.parametrize(
    ("language", "count", "text"),
    [
        ("en", 1, "{count} message of our conversations"),
        ("en", 0, "{count} messages of our conversations"),
        ("es", 1, "{count} mensaje de nuestras conversaciones"),
        ("es", 2, "{count} mensajes de nuestras conversaciones"),
        ("es", 1_000_000, "{count} mensajes de nuestras conversaciones"),
        ("pt_BR", 0, "{count} mensagem das nossas conversas"),
        ("pt_BR", 2, "{count} mensagens das nossas conversas"),
        ("zh_Hans", 1, "{count} 条我们的对话消息"),
    ],
)
def test_plurals_follow_the_language(language: str, count: int, text: str) -> None:
    assert LANGUAGES.translator(language).ngettext(ONE, MANY, count) == text


def test_a_translator_is_made_once_for_a_language() -> None:
    assert LANGUAGES.translator("es") is LANGUAGES.translator("es-AR")


def test_a_package_adds_messages_and_languages(package: Path) -> None:
    add_catalog(package, "sl", PO)
    languages = Languages(packages=["duckling"])
    assert languages.negotiate("sl-SI") == "sl"
    slovenian = languages.translator("sl")
    forms = [slovenian.ngettext("{count} duck", "{count} ducks", n) for n in (101, 2, 4, 5)]
    assert [form.format(count="") for form in forms] == [" raca", " raci", " race", " rac"]
    assert slovenian.gettext("Says hello") == "Says hello"


def test_the_bots_own_catalog_comes_before_a_packages(package: Path) -> None:
    add_catalog(package, "es", f'msgid "{SETTINGS}"\nmsgstr "x"\n\nmsgid "Duck"\nmsgstr "Pato"\n')
    spanish = Languages(packages=["duckling"]).translator("es")
    assert spanish.gettext(SETTINGS) == "Mostrar lo que puedo hacer"
    assert spanish.gettext("Duck") == "Pato"
    assert spanish.ngettext(ONE, MANY, 1).startswith("{count} mensaje ")


def test_a_package_without_locales_adds_nothing(package: Path) -> None:
    assert Languages(packages=["duckling"]).available == LANGUAGES.available


def test_folders_that_are_no_language_are_passed_over(package: Path) -> None:
    for name in ("xx_nowhere", "templates", "q"):
        add_catalog(package, name, PO)
    (package / "locales" / "fr").mkdir()
    assert Languages(packages=["duckling"]).available == LANGUAGES.available


def test_a_missing_package_is_named() -> None:
    with pytest.raises(PluginError, match="nowhere"):
        Languages(packages=["nowhere"])


@pytest.mark.parametrize("text", ["msgid Duck\n", 'msgid "Ente"\nmsgstr "\xff"\n'])
def test_a_broken_catalog_is_named(package: Path, text: str) -> None:
    add_catalog(package, "de", "")
    path = package / "locales/de/LC_MESSAGES/bot.po"
    path.write_bytes(text.encode("latin-1"))
    languages = Languages(packages=["duckling"])
    with pytest.raises(PluginError, match=r"bot\.po cannot be read"):
        languages.translator("de")


def test_an_operators_wording_comes_first() -> None:
    wordings = {"es-419": {SETTINGS: "Todo"}, "en": {SETTINGS: "All"}}
    languages = Languages("en", wordings)
    assert languages.translator("es").gettext(SETTINGS) == "Todo"
    assert languages.translator("en").gettext(SETTINGS) == "All"
    assert languages.translator("pt").gettext(SETTINGS) != SETTINGS


@pytest.mark.parametrize(
    ("language", "wordings", "one", "two"),
    [
        ("es", {ONE: "{count} cosa", MANY: "{count} cosas"}, "{count} cosa", "{count} cosas"),
        ("es", {ONE: "una"}, "una", "{count} mensajes de nuestras conversaciones"),
        ("en", {MANY: "{count} things"}, ONE, "{count} things"),
        ("zh_Hans", {MANY: "{count}"}, "{count}", "{count}"),
    ],
)
def test_a_wording_may_change_each_form_of_a_plural(
    language: str, wordings: dict[str, str], one: str, two: str
) -> None:
    said = Languages("en", {language: wordings}).translator(language)
    assert [said.ngettext(ONE, MANY, n) for n in (1, 2)] == [one, two]


def test_all_faults_of_wordings_are_told_at_once() -> None:
    wordings = {"es": {"Nothing": "x", SETTINGS: "{loose"}, "tlh": {SETTINGS: "{y}"}}
    with pytest.raises(ConfigError) as caught:
        Languages("en", wordings)
    assert len(caught.value.faults) == 4
    assert all(
        fault.startswith(("messages.es: ", "messages.tlh: ")) for fault in caught.value.faults
    )
    assert "messages.tlh: there is only en, es, pt_BR, zh_Hans" in caught.value.faults


def test_a_packages_messages_may_be_reworded(package: Path) -> None:
    add_catalog(package, "sl", PO)
    (package / "locales" / "bot.pot").write_text(POT)
    languages = Languages("en", {"en": {"{count} ducks": "a flock"}}, ["duckling"])
    assert languages.translator("en").ngettext("{count} duck", "{count} ducks", 3) == "a flock"


def plugin_with(*names: str) -> Plugin[None]:
    plugin: Plugin[None] = Plugin("test", "For a test")

    async def handle(context: Context[None]) -> None:
        """Do nothing."""

    for name in names:
        plugin.command(name, SETTINGS, Argument("what", gettext_noop("What to do with it")))(handle)
    return plugin


def test_commands_are_described_in_every_language() -> None:
    (info,) = LANGUAGES.command_infos([plugin_with("help")])
    assert info.name == "help"
    assert info.plugin == "test"
    assert info.names == {"en": "help", "es": "ayuda", "pt_BR": "ajuda", "zh_Hans": "help"}
    assert info.summaries["es"] == "Mostrar lo que puedo hacer"
    assert info.summaries["en"] == SETTINGS
    assert info.argument_summaries["es"] == {"what": "Qué hacer con ello"}
    assert info.arguments[0].name == "what"


def test_the_first_of_two_commands_with_one_name_counts() -> None:
    first, second = plugin_with("help"), plugin_with("HELP", "other")
    second.name = "second"
    infos = LANGUAGES.command_infos([first, second])
    assert [(info.plugin, info.name) for info in infos] == [("test", "help"), ("second", "other")]


def test_a_localized_name_never_means_another_command() -> None:
    helping, other = LANGUAGES.command_infos([plugin_with("help", "ayuda")])
    assert helping.names["es"] == "help"
    assert helping.names["pt_BR"] == "ajuda"
    assert other.names["es"] == "ayuda"


@pytest.mark.parametrize("name", ["ayüda", "with space", "Ayuda", "a" * 33, "帮助"])
def test_a_localized_name_that_a_platform_refuses_is_left_out(package: Path, name: str) -> None:
    text = f'msgctxt "command"\nmsgid "help"\nmsgstr "{name}"\n'
    add_catalog(
        package, "sl", 'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\n' + text
    )
    (info,) = Languages(packages=["duckling"]).command_infos([plugin_with("help")])
    assert info.names["sl"] == "help"
