"""Finds the texts to translate in source code and keeps the catalogs up to date with them.

``python -m bot.extraction`` renews the catalogs of a checkout; a plugin's author names the plugin's
own folders: ``python -m bot.extraction weather --locales weather/locales``. A language is begun
with ``pybabel init -i locales/bot.pot -d locales -D bot -l fr``.
"""

import argparse
import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from babel.messages import Catalog
from babel.messages.pofile import read_po, write_po

SUMMARY: Final = ((1, "summary"),)
TEXTS: Final[Mapping[str, Sequence[tuple[int, str]]]] = {
    "Argument": SUMMARY,
    "DataStatement": ((0, "text"),),
    "Plugin": SUMMARY,
    "UserError": ((0, "message"),),
    "command": SUMMARY,
    "gettext": ((0, "message"),),
    "gettext_noop": ((0, "message"),),
    "ngettext": ((0, "singular"), (1, "plural")),
}
"""Which arguments of which calls are texts, by position and name."""

COMMAND: Final = "command"
"""The call whose first argument names a command, and the context of such names in catalogs."""


class Text(NamedTuple):
    """A message id, or the pair of a message with plurals, and where it stands."""

    line: int
    id: str | tuple[str, ...]
    context: str | None = None


def texts(source: str, name: str = "<source>") -> list[Text]:
    """Return the texts in a module's source, in the order of its lines."""
    calls = (node for node in ast.walk(ast.parse(source, name)) if isinstance(node, ast.Call))
    return sorted((text for call in calls for text in _of_call(call)), key=lambda text: text.line)


def template(root: Path, folders: Iterable[str]) -> Catalog:
    """Return the texts of all modules below folders of ``root``."""
    catalog = Catalog()
    for folder in folders:
        if not (root / folder).is_dir():
            message = f"there is no folder {folder} in {root}"
            raise NotADirectoryError(message)
        for path in sorted((root / folder).rglob("*.py")):
            place = path.relative_to(root).as_posix()
            for text in texts(path.read_text("utf-8"), place):
                catalog.add(text.id, context=text.context, locations=[(place, text.line)])
    return catalog


def renew(locales: Path, found: Catalog) -> None:
    """Write the template, and bring every language's catalog up to it.

    New messages come empty; reworded ones keep their old translation, marked as fuzzy.
    """
    _write(locales / "bot.pot", found, omit_header=True)
    for path in sorted(locales.glob("*/LC_MESSAGES/*.po")):
        with path.open("rb") as stream:
            catalog = read_po(stream, locale=path.parents[1].name)
        catalog.update(found, update_creation_date=False)
        _write(path, catalog, omit_header=False)


def main(arguments: Sequence[str] | None = None) -> None:
    """Renew the catalogs that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m bot.extraction", description=renew.__doc__)
    parser.add_argument("folders", nargs="*", default=["bot", "plugins"])
    parser.add_argument("--locales", type=Path, default=Path("locales"))
    options = parser.parse_args(arguments)
    try:
        renew(options.locales, template(Path.cwd(), options.folders))
    except (OSError, SyntaxError) as error:
        parser.error(str(error))


def _of_call(call: ast.Call) -> Iterator[Text]:
    name = _name(call.func)
    found = [_text(call, *place) for place in TEXTS.get(name, ())]
    words = tuple(word for word in found if word)
    if words and len(words) == len(found):
        yield Text(call.lineno, words if len(words) > 1 else words[0])
    if name == COMMAND and (command := _text(call, 0, "name")):
        yield Text(call.lineno, command, COMMAND)


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _text(call: ast.Call, position: int, keyword: str) -> str | None:
    named = [word.value for word in call.keywords if word.arg == keyword]
    given = named or call.args[position : position + 1]
    value = given[0].value if given and isinstance(given[0], ast.Constant) else None
    return value if isinstance(value, str) else None


def _write(path: Path, catalog: Catalog, *, omit_header: bool) -> None:
    with path.open("wb") as stream:
        write_po(
            stream, catalog, omit_header=omit_header, include_lineno=False, ignore_obsolete=True
        )


if __name__ == "__main__":
    main()
