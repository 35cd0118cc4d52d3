"""Marking the texts that catalogs translate."""


def gettext_noop(message: str) -> str:
    """Mark a message for the catalogs where it stands, to be translated where it is shown."""
    return message
