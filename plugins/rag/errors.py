"""What can go wrong in retrieval, by a code that programs can act on."""

from enum import StrEnum

from bot.api import BotError


class Code(StrEnum):
    """The kinds of failure."""

    INVALID_OPTIONS = "INVALID_OPTIONS"
    UNSUPPORTED_FORMAT = "UNSUPPORTED_FORMAT"
    LOAD_FAILED = "LOAD_FAILED"
    MISSING_DEPENDENCY = "MISSING_DEPENDENCY"
    EMBEDDING_FAILED = "EMBEDDING_FAILED"
    INVALID_INDEX = "INVALID_INDEX"
    PERSIST_FAILED = "PERSIST_FAILED"
    EMBEDDER_CHANGED = "EMBEDDER_CHANGED"


class RagError(BotError):
    """A failure of retrieval; the text says what, where and what to do."""

    def __init__(self, code: Code, text: str) -> None:
        super().__init__(text)
        self.code = code
