"""Language tags as clients write them, and which of the languages on offer fits one best."""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from babel.core import get_global

TAG: Final = re.compile(
    r"([a-z]{2,3})(?:_([a-z]{4}))?(?:_([a-z]{2}|\d{3}))?(?:[_.@].*)?", re.IGNORECASE
)
LONGEST: Final = 35
"""More characters than any tag in use has (BCP 47, section 4.4.1)."""

RETIRED: Final = {"no": "nb"}
"""Codes of languages that Babel takes for languages of their own."""


class Tag(NamedTuple):
    """A language with its script and territory, the likely ones where none were named."""

    language: str
    script: str | None
    territory: str | None


def parse(text: str) -> Tag | None:
    """Return what a tag names (``pt-br``, ``zh_Hans``, ``es-419``), None if it names nothing."""
    if len(text) > LONGEST:
        return None
    language, separator, rest = text.strip().replace("-", "_").partition("_")
    found = TAG.fullmatch(_current(language.lower()) + separator + rest)
    if found is None:
        return None
    language = found[1].lower()
    script, territory = (found[2] or "").title(), (found[3] or "").upper()
    likely_script, likely_territory = _likely(language, script, territory)
    return Tag(language, script or likely_script, territory or likely_territory)


def closest(wanted: Tag, offered: Mapping[str, Tag]) -> str | None:
    """Return the code of the offer in the wanted language, best in its script and territory.

    Another script or territory is still nearer to the reader than another language.
    """
    same = [code for code, tag in offered.items() if tag.language == wanted.language]
    return max(same, key=lambda code: _likeness(wanted, offered[code]), default=None)


def _current(language: str) -> str:
    code: str = get_global("language_aliases").get(language, language)
    return RETIRED.get(code, code)


def _likely(language: str, script: str, territory: str) -> tuple[str | None, str | None]:
    likely: Mapping[str, str] = get_global("likely_subtags")
    for named in (f"{language}_{territory}", f"{language}_{script}", language):
        if named in likely:
            _, likely_script, likely_territory = likely[named].split("_")
            return likely_script, likely_territory
    return None, None


def _likeness(wanted: Tag, offered: Tag) -> tuple[bool, bool]:
    return offered.script == wanted.script, offered.territory == wanted.territory
