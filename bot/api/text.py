"""Messages in a language, and marking the texts that catalogs translate.

The catalogs' template is extracted from the source. It takes the literal texts of `Plugin`,
``plugin.command``, `Argument`, `DataStatement` and `UserError` and of calls of ``gettext`` and
``ngettext`` as they stand, and the names of commands too; only a text that is written elsewhere
(in a constant, a table) needs `gettext_noop` around it.
"""

from typing import Protocol


def gettext_noop(message: str) -> str:
    """Mark a message for the catalogs where it stands, to be translated where it is shown."""
    return message


class Translator(Protocol):
    """Messages in one language."""

    def gettext(self, message: str) -> str:
        """Return the translation, or the message itself."""
        ...

    def ngettext(self, singular: str, plural: str, count: int) -> str:
        """Return the form of the translation for ``count``."""
        ...
