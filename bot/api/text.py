"""Marking the texts that catalogs translate.

The catalogs' template is extracted from the source. It takes the literal texts of `Plugin`,
``plugin.command``, `Argument`, `DataStatement` and `UserError` and of calls of ``gettext`` and
``ngettext`` as they stand, and the names of commands too; only a text that is written elsewhere
(in a constant, a table) needs `gettext_noop` around it.
"""


def gettext_noop(message: str) -> str:
    """Mark a message for the catalogs where it stands, to be translated where it is shown."""
    return message
