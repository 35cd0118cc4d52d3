"""Keeping what the SDK would write out of the logs."""

import logging
import re
from typing import Final

TALKATIVE: Final = ("discord.gateway", "discord.http")
"""Loggers that write whole payloads at level debug: what people said, and tokens."""

TOKEN_IN_PATH: Final = re.compile(r"/(webhooks|interactions)/(\d+)/[^/?\s]+")


class Discretion(logging.Filter):
    """Lets nothing pass at level debug, and hides the tokens of interactions in addresses."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether to keep a record, and take secrets out of it."""
        if isinstance(record.args, tuple):
            record.args = tuple(_hidden(value) for value in record.args)
        return record.levelno > logging.DEBUG


DISCRETION: Final = Discretion()


def be_discreet() -> None:
    """Have the SDK's loggers keep payloads and tokens to themselves; again does nothing."""
    for name in TALKATIVE:
        logging.getLogger(name).addFilter(DISCRETION)


def _hidden(value: object) -> object:
    return TOKEN_IN_PATH.sub(r"/\1/\2/…", value) if isinstance(value, str) else value
