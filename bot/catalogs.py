"""Where the translations lie, and how they are read: straight from the .po files, into memory."""

import gettext
import io
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from babel import localedata
from babel.messages import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import PoFileError, read_po

from bot.api import PluginError

FOLDER: Final = "LC_MESSAGES"


def locate(packages: Iterable[str] = ()) -> Sequence[Traversable]:
    """Return the folders of catalogs that are there: the bot's own, then those of packages."""
    packaged = files("bot") / "locales"
    own = packaged if packaged.is_dir() else Path(__file__).parents[1] / "locales"
    return [own, *(folder for name in packages if (folder := _of_package(name)).is_dir())]


def languages(folders: Iterable[Traversable]) -> set[str]:
    """Return the codes of the languages, as CLDR names them, with a catalog in a folder."""
    return {
        child.name
        for folder in folders
        for child in _children(folder)
        if (child / FOLDER).is_dir() and localedata.exists(child.name)
    }


def translations(folders: Iterable[Traversable], language: str) -> gettext.NullTranslations:
    """Return the messages of one language; where two folders have one message, the first's."""
    chain = gettext.NullTranslations()
    for position, source in enumerate(_sources(folders, language)):
        found = _compile(source, language)
        if position == 0:
            chain = found
        else:
            chain.add_fallback(found)
    return chain


def message_ids(folders: Iterable[Traversable]) -> set[str]:
    """Return every message id, singular and plural, of the templates in the folders."""
    found: set[str] = set()
    for folder in folders:
        for source in _children(folder):
            if source.name.endswith(".pot"):
                found.update(_ids(_read(source)))
    return found


def _of_package(name: str) -> Traversable:
    try:
        return files(name) / "locales"
    except ModuleNotFoundError as error:
        raise PluginError(f"there is no package {name!r} to look for `locales` in") from error


def _children(folder: Traversable) -> Iterable[Traversable]:
    return sorted(folder.iterdir(), key=lambda child: child.name) if folder.is_dir() else ()


def _sources(folders: Iterable[Traversable], language: str) -> Iterator[Traversable]:
    for folder in folders:
        for source in _children(folder / language / FOLDER):
            if source.name.endswith(".po"):
                yield source


def _compile(source: Traversable, language: str) -> gettext.GNUTranslations:
    buffer = io.BytesIO()
    write_mo(buffer, _read(source, language))
    buffer.seek(0)
    return gettext.GNUTranslations(buffer)


def _read(source: Traversable, language: str | None = None) -> Catalog:
    try:
        with source.open("rb") as stream:
            return read_po(stream, locale=language, abort_invalid=True)
    except (PoFileError, ValueError) as error:
        raise PluginError(f"the catalog {source} cannot be read: {error}") from error


def _ids(catalog: Catalog) -> Iterator[str]:
    for message in catalog:
        if message.id and message.context is None:
            yield from (message.id,) if isinstance(message.id, str) else message.id
