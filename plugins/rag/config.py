"""The plugin's options."""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from bot.api import Duration, LocalPath, Size, parse_duration
from plugins.rag.embedders.options import Embeddings

Mode = Literal["bm25", "vector", "hybrid"]
Match = Literal["any", "all", "phrase"]
Fusion = Literal["adaptive", "rrf"]


class Strict(BaseModel):
    """Options that stay as they are, without unknown ones."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Named(Strict):
    """A file, a folder with all that is in it, or a glob, and who may see its passages.

    ``visible_to`` lists scopes (``chat:telegram:-100123``, ``person:discord:42``); without it
    everybody may.
    """

    path: LocalPath
    visible_to: tuple[str, ...] | None = None

    @field_validator("path", mode="before")
    @classmethod
    def _no_address(cls, value: object) -> object:
        if isinstance(value, str) and "://" in value:
            raise ValueError("documents are files; an address cannot be fetched")
        return value


class Inline(Strict):
    """A document that is written in the configuration itself."""

    id: str = Field(min_length=1)
    text: str
    source: str = ""
    visible_to: tuple[str, ...] | None = None


def _document(value: Any) -> Any:
    return {"path": value} if isinstance(value, str | Path) else value


Documents = tuple[Annotated[Named | Inline, BeforeValidator(_document)], ...]


class RagConfig(Strict):
    """Where the documents are and how passages are found in them.

    ``watch`` takes in what changes in the documents, a few seconds later.
    """

    documents: Annotated[
        Documents, BeforeValidator(lambda value: [value] if isinstance(value, str) else value)
    ] = ()
    embeddings: Embeddings = "local"
    mode: Mode = "hybrid"
    match: Match = "any"
    fusion: Fusion = "adaptive"
    chunk_size: int = Field(1000, ge=100, le=20000)
    chunk_overlap: int = Field(150, ge=0)
    top_k: int = Field(3, ge=1, le=50)
    min_score: float = Field(0.0, ge=0, le=1)
    persist: bool = True
    max_file_size: Size = 20 << 20
    watch: bool = False
    retry_delay: Duration = parse_duration("30s")

    @property
    def overlap(self) -> int:
        """The overlap of chunks; one that nobody asked for shrinks with their size."""
        if "chunk_overlap" in self.model_fields_set:
            return self.chunk_overlap
        return min(self.chunk_overlap, self.chunk_size // 4)

    @model_validator(mode="after")
    def _overlap_fits(self) -> Self:
        if self.overlap * 4 > self.chunk_size:
            raise ValueError(
                f"chunk_overlap is {self.chunk_overlap}; a quarter of chunk_size"
                f" ({self.chunk_size // 4}) is the most"
            )
        return self
