"""Embedders on a server: OpenAI's protocol, Ollama's and Gemini's."""

import asyncio
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import httpx
import numpy as np

from plugins.rag.embedders import Vectors
from plugins.rag.embedders.options import EmbeddingsConfig
from plugins.rag.errors import Code, RagError

PASSING: Final = frozenset({408, 429, 500, 502, 503, 504})
LONGEST_WAIT: Final = 30.0
FIRST_WAIT: Final = 0.5
QUERY_SECONDS: Final = 5.0
"""How long a question's vector may take; without it, words alone find what they find."""

PROBE: Final = "a"
Body = Mapping[str, Any]


class Dialect(NamedTuple):
    """How a server is asked, and how vectors are read from its answer, in the texts' order."""

    path: Callable[[EmbeddingsConfig], str]
    key: Callable[[str], Mapping[str, str]]
    body: Callable[[EmbeddingsConfig, Sequence[str], bool], Body]
    vectors: Callable[[Any], Sequence[Any]]


class RemoteEmbedder:
    """Asks a server in batches; a `Service`.

    ``settle`` has to be called first, which finds out how long the vectors are.
    """

    def __init__(self, config: EmbeddingsConfig, *, first_wait: float = FIRST_WAIT) -> None:
        self.dimensions = config.dimensions or 0
        self._config = config
        self._first_wait = first_wait
        self._dialect = DIALECTS[config.provider]
        secret = config.api_key.get_secret_value()
        self._client = httpx.AsyncClient(
            base_url=config.address,
            headers=self._dialect.key(secret) if secret else {},
            timeout=config.timeout.total_seconds(),
            follow_redirects=False,
        )

    @property
    def key(self) -> str:
        """The space's name."""
        return f"{self._prefix}{self.dimensions}"

    @property
    def _prefix(self) -> str:
        return f"{self._config.provider}:{self._config.model}:"

    async def settle(self, space: str | None) -> None:
        """Learn the length of a vector: from the space at hand where it is this model's, or ask."""
        if self.dimensions == 0 and space is not None and space.startswith(self._prefix):
            size = space.removeprefix(self._prefix)
            self.dimensions = int(size) if size.isdecimal() else 0
        if self.dimensions == 0:
            self.dimensions = len((await self._ask([PROBE], query=False))[0])

    async def embed(self, texts: Sequence[str], *, query: bool) -> Vectors:
        """Return the texts' vectors; `RagError` EMBEDDING_FAILED where the server gives none."""
        found: list[Any] = []
        for first in range(0, len(texts), self._config.batch):
            found += await self._ask(texts[first : first + self._config.batch], query=query)
        return unit(found, self.dimensions)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _ask(self, texts: Sequence[str], *, query: bool) -> Sequence[Any]:
        seconds = self._config.timeout.total_seconds()
        try:
            async with asyncio.timeout(min(QUERY_SECONDS, seconds) if query else None):
                answer = await self._posted(self._dialect.body(self._config, texts, query))
        except TimeoutError as error:
            raise self._failed("did not answer in time") from error
        try:
            found = self._dialect.vectors(answer)
        except (KeyError, TypeError, ValueError) as error:
            raise self._failed("gave an answer of another form than agreed") from error
        if len(found) != len(texts):
            raise self._failed(f"gave {len(found)} vectors for {len(texts)} texts")
        return found

    async def _posted(self, body: Body) -> Any:
        wait = self._first_wait
        for left in reversed(range(self._config.retries + 1)):
            try:
                response = await self._client.post(self._dialect.path(self._config), json=body)
            except httpx.HTTPError as error:
                if not left:
                    raise self._failed(f"cannot be reached ({type(error).__name__})") from error
            else:
                if response.is_success:
                    return self._read(response)
                if not left or response.status_code not in PASSING:
                    raise self._failed(f"answered with HTTP {response.status_code}")
                wait = max(wait, _asked_wait(response.headers))
            await asyncio.sleep(wait * random.uniform(0.8, 1.2))  # noqa: S311 - not a secret
            wait *= 2
        raise AssertionError

    def _read(self, response: httpx.Response) -> Any:
        try:
            return response.json()
        except ValueError as error:
            raise self._failed("gave an answer that is no JSON") from error

    def _failed(self, what: str) -> RagError:
        return RagError(Code.EMBEDDING_FAILED, f"embeddings.{self._config.provider} {what}")


def unit(rows: Sequence[Any], dimensions: int) -> Vectors:
    """Return vectors of length 1; EMBEDDING_FAILED for what is no list of so many numbers."""
    try:
        vectors = np.array(rows, np.float32).reshape(len(rows), -1)
    except (TypeError, ValueError) as error:
        raise RagError(
            Code.EMBEDDING_FAILED, "vectors are lists of numbers, of one length"
        ) from error
    if len(rows) and vectors.shape[1] != dimensions:
        raise RagError(
            Code.EMBEDDING_FAILED,
            f"the embedder gives vectors of {vectors.shape[1]} dimensions where {dimensions} are"
            " expected; set embeddings.dimensions to what it gives",
        )
    lengths = np.sqrt(np.square(vectors).sum(axis=1, keepdims=True))
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), np.float32)


def _asked_wait(headers: Mapping[str, str]) -> float:
    try:
        return min(LONGEST_WAIT, max(0.0, float(headers.get("retry-after", "0"))))
    except ValueError:
        return 0.0


def _openai_body(config: EmbeddingsConfig, texts: Sequence[str], query: bool) -> Body:  # noqa: ARG001, FBT001
    body = {"model": config.model, "input": list(texts), "encoding_format": "float"}
    return body | ({} if config.dimensions is None else {"dimensions": config.dimensions})


def _openai_vectors(answer: Any) -> Sequence[Any]:
    """Return the vectors by their index, which need not be the order in which they come."""
    rows = answer["data"]
    found = {row["index"]: row["embedding"] for row in rows}
    if sorted(found) != list(range(len(rows))):
        raise ValueError("the indices do not count the texts")
    return [found[index] for index in range(len(rows))]


def _ollama_body(config: EmbeddingsConfig, texts: Sequence[str], query: bool) -> Body:  # noqa: ARG001, FBT001
    body = {"model": config.model, "input": list(texts)}
    return body | ({} if config.dimensions is None else {"dimensions": config.dimensions})


def _gemini_body(config: EmbeddingsConfig, texts: Sequence[str], query: bool) -> Body:  # noqa: FBT001
    size = {} if config.dimensions is None else {"outputDimensionality": config.dimensions}
    common = {
        "model": f"models/{config.model}",
        "taskType": "RETRIEVAL_QUERY" if query else "RETRIEVAL_DOCUMENT",
        **size,
    }
    return {"requests": [{**common, "content": {"parts": [{"text": text}]}} for text in texts]}


DIALECTS: Final[Mapping[str, Dialect]] = {
    "openai": Dialect(
        lambda _: "embeddings",
        lambda key: {"Authorization": f"Bearer {key}"},
        _openai_body,
        _openai_vectors,
    ),
    "ollama": Dialect(
        lambda _: "api/embed",
        lambda key: {"Authorization": f"Bearer {key}"},
        _ollama_body,
        lambda answer: list(answer["embeddings"]),
    ),
    "gemini": Dialect(
        lambda config: f"v1beta/models/{config.model}:batchEmbedContents",
        lambda key: {"x-goog-api-key": key},
        _gemini_body,
        lambda answer: [row["values"] for row in answer["embeddings"]],
    ),
}
