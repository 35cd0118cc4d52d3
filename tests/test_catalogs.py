"""The shipped catalogs are complete and can be filled in."""

import re
from collections.abc import Iterator, Sequence
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from babel.messages import Catalog, Message
from babel.messages.pofile import read_po

from bot.extraction import template
from bot.i18n import Languages
from bot.wordings import placeholders

ROOT = Path(__file__).parents[1]
LOCALES = ROOT / "locales"
LANGUAGES = sorted(path.name for path in LOCALES.iterdir() if path.is_dir())
COMMAND = re.compile(r"(?<![\w/])/([a-z0-9_]+)")
MENU_LENGTH = 100  # Discord's limit for descriptions of commands and options; Telegram takes 256


def read(path: Path, language: str | None = None) -> Catalog:
    with path.open("rb") as stream:
        return read_po(stream, locale=language, abort_invalid=True)


def catalog(language: str) -> Catalog:
    return read(LOCALES / language / "LC_MESSAGES" / "bot.po", language)


def keys(messages: Catalog) -> set[tuple[object, str | None]]:
    return {(message.id, message.context) for message in messages if message.id}


def messages(language: str) -> Iterator[Message]:
    return (message for message in catalog(language) if message.id)


def forms(text: str | Sequence[str] | None) -> Sequence[str]:
    return (text or "",) if text is None or isinstance(text, str) else text


def pairs(language: str) -> Iterator[tuple[str, str]]:
    """Yield each form of each translation beside its message, the plural where there is one."""
    for message in messages(language):
        for form in forms(message.string):
            yield forms(message.id)[-1], form


def shape(text: str) -> tuple[int, bool]:
    return text.count("\n"), text == text.strip()


def names(language: str) -> dict[str, str]:
    return {str(m.id): str(m.string) for m in messages(language) if m.context == "command"}


def test_the_template_is_what_the_source_says() -> None:
    assert keys(read(LOCALES / "bot.pot")) == keys(template(ROOT, ["bot", "plugins"]))


def test_four_languages_are_shipped() -> None:
    assert LANGUAGES == ["es", "pt_BR", "zh_Hans"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_message_is_missing_or_stale(language: str) -> None:
    found = catalog(language)
    assert keys(found) == keys(read(LOCALES / "bot.pot"))
    assert not found.obsolete
    assert [message.id for message in found if message.fuzzy] == []
    assert [m.id for m in messages(language) if not all(forms(m.string))] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_plurals_have_as_many_forms_as_the_language(language: str) -> None:
    found, wanted = catalog(language), Catalog(language)
    assert found.num_plurals == wanted.num_plurals
    plurals = [message for message in messages(language) if message.pluralizable]
    assert plurals
    assert [m.id for m in plurals if len(forms(m.string)) != found.num_plurals] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_have_the_placeholders_of_their_message(language: str) -> None:
    assert [(m, form) for m, form in pairs(language) if placeholders(m) != placeholders(form)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_lines_and_edges_are_as_in_the_message(language: str) -> None:
    assert [(m, form) for m, form in pairs(language) if shape(m) != shape(form)] == []


def test_names_of_commands_suit_every_platform_and_mean_one_command() -> None:
    meant: dict[str, set[str]] = {}
    for language in LANGUAGES:
        for name, localized in names(language).items():
            assert re.fullmatch(r"[a-z0-9_]{1,32}", localized)
            meant.setdefault(name, set()).add(name)
            meant.setdefault(localized, set()).add(name)
    assert [localized for localized, commands in meant.items() if len(commands) > 1] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_command_in_a_text_is_called_by_its_name_in_that_language(language: str) -> None:
    found = names(language)
    for text, form in pairs(language):
        meant = [found.get(name, name) for name in COMMAND.findall(text)]
        assert sorted(COMMAND.findall(form)) == sorted(meant), form


def test_summaries_fit_the_menus_of_every_platform() -> None:
    plugins = [point.load() for point in entry_points(group="tertulia.plugins")]
    infos = Languages().command_infos(plugins)
    assert len(infos) > 5
    for info in infos:
        for summary in info.summaries.values():
            assert 0 < len(summary) <= MENU_LENGTH, summary
        for summaries in info.argument_summaries.values():
            for summary in summaries.values():
                assert 0 < len(summary) <= MENU_LENGTH, summary
