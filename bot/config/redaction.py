"""Keeps what was written in the configuration out of messages that other code worded."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

MASK: Final = "•••"
SHORTEST: Final = 6
HEAD: Final = 8


def redacted(message: str, texts: Iterable[str], vocabulary: Iterable[str] = ()) -> str:
    """Return the message without any of the texts, nor what begins as one of them does.

    ``vocabulary`` are words that may be shown: those of the models themselves.
    """
    shown = set(vocabulary)
    long_enough = {text for text in texts if len(text) >= SHORTEST} - shown
    for text in sorted(long_enough, key=len, reverse=True):
        for form in _forms(text):
            message = message.replace(form, MASK)
        head = (text.partition("://")[2] or text)[:HEAD]
        if len(head) == HEAD:
            message = re.sub(rf"{re.escape(head)}\S*", MASK, message)
    return message


def words(schema: object) -> Iterator[str]:
    """Yield all that a JSON Schema says: names of keys, choices, defaults."""
    if isinstance(schema, dict):
        for key, value in schema.items():
            yield key
            yield from words(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from words(value)
    elif schema is not None:
        yield str(schema)


def _forms(text: str) -> Iterable[str]:
    return {text, repr(text)[1:-1], ascii(text)[1:-1]}
