"""Finding facts in what a person wrote, with a model; what does not fit the rules is dropped."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from logging import Logger
from typing import Final

from plugins.ai.matching import terms
from plugins.ai.memory.asking import request
from plugins.ai.memory.options import Extracting, MemoryConfig, load_filter
from plugins.ai.memory.parsing import Candidate, Malformed, parse
from plugins.ai.memory.refusing import refusal
from plugins.ai.memory.sensitive import is_health
from plugins.ai.providers.provider import Fault, Provider, ProviderError, Request, Stop
from plugins.ai.providers.whole import whole

TRIES: Final = 2
QUOTED: Final = (">", "＞")


class Extractor:
    """Asks a model for facts.

    ``make`` returns the provider to ask, which is made when it is first needed. ``counts`` counts
    what was dropped by its reason, under ``memory answers dropped`` and ``memory facts dropped``.
    """

    def __init__(
        self,
        make: Callable[[], Provider],
        options: MemoryConfig,
        counts: Counter[str],
        log: Logger,
    ) -> None:
        self._make = make
        self._options = options
        self._extracting = options.extracting or Extracting()
        self._counts = counts
        self._log = log
        path = self._extracting.filter
        self._filter = None if path is None else load_filter(path)

    @cached_property
    def _provider(self) -> Provider:
        return self._make()

    async def close(self) -> None:
        """Let go of connections, where any were made."""
        if "_provider" in self.__dict__:
            await self._provider.close()

    async def extract(self, text: str, answer: str) -> Sequence[Candidate]:
        """Return what a person's text states about them; raises `ProviderError`.

        An answer that is not exactly what was asked for is asked for once more, and then dropped.
        """
        words = own_words(text)
        if not words:
            return ()
        asked = request(words, answer, self._options, self._extracting)
        for attempt in range(1, TRIES + 1):
            try:
                found = parse(await self._answer(asked), typed=self._options.typed)
            except Malformed as error:
                self._counts[f"memory answers dropped: {error}"] += 1
            except ProviderError as error:
                if error.fault is not Fault.REFUSED or asked.schema is None or attempt == TRIES:
                    raise
                asked = replace(asked, schema=None)  # a server that knows no JSON Schema
            else:
                others = f"{asked.system}\n{answer}"
                return list(self._fitting(found, words, others))
        self._log.warning("the model's list of facts was not as agreed; nothing was noted")
        return ()

    async def _answer(self, asked: Request) -> str:
        found = await whole(self._provider, asked)
        if found.stop is not Stop.DONE:
            raise Malformed("cut")
        return found.text

    def _fitting(self, found: Sequence[Candidate], words: str, others: str) -> Iterator[Candidate]:
        most = self._extracting.max_facts_per_turn
        for number, candidate in enumerate(found):
            reason = "too many" if number >= most else self._unfit(candidate, words, others)
            if reason is None:
                yield candidate
            else:
                self._counts[f"memory facts dropped: {reason}"] += 1

    def _unfit(self, candidate: Candidate, words: str, others: str) -> str | None:
        """Return why a candidate is not kept; the operator's filter sees what else may pass."""
        options, text = self._options, candidate.text
        refused = refusal(text, options.max_fact_length)
        sure = candidate.confidence is None or candidate.confidence >= options.min_confidence
        faults = {
            "" if refused is None else refused.value: refused is not None,
            "health": is_health(text),
            "type": candidate.type is not None and candidate.type not in options.types,
            "confidence": not sure,
            "not the person's words": _from_elsewhere(text, words, others),
        }
        reason = next((name for name, found in faults.items() if found), None)
        if reason is None and self._filter is not None and self._filter(text) is False:
            return "filter"
        return reason


def own_words(text: str) -> str:
    """Return a message without the lines that quote somebody."""
    lines = (line for line in text.splitlines() if not line.lstrip().startswith(QUOTED))
    return "\n".join(lines).strip()


def _from_elsewhere(fact: str, words: str, others: str) -> bool:
    """Tell whether a fact has nothing of a person's words, and most of it from ``others``.

    Small models note what they were answered, or copy the examples out of their instructions.
    """
    about = set(terms(fact))
    if about & set(terms(words)):
        return False
    return len(about & set(terms(others))) * 2 > len(about) or not about
