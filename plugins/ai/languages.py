"""The languages that people read, by their tags."""

from babel import Locale, UnknownLocaleError


def locale(language: str) -> Locale:
    """Return how a language writes numbers and times; English where that is unknown."""
    return _known(language) or Locale("en")


def english_name(language: str) -> str:
    """Return a language's name, or its tag where nobody knows it."""
    known = _known(language)
    return (known and known.english_name) or language


def _known(language: str) -> Locale | None:
    try:
        return Locale.parse(language, sep="-" if "-" in language else "_")
    except (ValueError, UnknownLocaleError):
        return None
