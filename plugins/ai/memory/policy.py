"""What a person allows: their own policy, as strict as the operator's or stricter."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bot.api import Documents, Json, person_scope
from plugins.ai.memory.options import Review

STRICTNESS: Final[tuple[Review, ...]] = ("auto", "required", "off")
KEY: Final = "policy"


@dataclass(frozen=True, slots=True)
class Wish:
    """A person's own choice, None where they made none.

    ``revision`` goes up whenever the person changes it or has something forgotten, so that work
    which began before can tell.
    """

    review: Review | None = None
    revision: int = 0


class Policies:
    """Keeps people's wishes, beside their facts."""

    def __init__(self, documents: Documents, namespace: str) -> None:
        self._documents = documents
        self._namespace = f"{namespace}.settings"

    async def wish(self, person: str) -> Wish:
        """Return a person's wish."""
        found = await self._documents.get(person_scope(person), self._namespace, KEY)
        if found is None:
            return Wish()
        chosen = found.value.get("review") if isinstance(found.value, Mapping) else None
        known = next((review for review in STRICTNESS if review == chosen), None)
        return Wish(known, found.revision)

    async def choose(self, person: str, review: Review, *, epoch: int | None) -> None:
        """Keep a person's choice."""
        await self._update(person, {"review": review}, epoch)

    async def touch(self, person: str, *, epoch: int | None = None) -> None:
        """Let work that began before know that it is out of date."""
        await self._update(person, {}, epoch)

    async def _update(self, person: str, fields: Mapping[str, Json], epoch: int | None) -> None:
        def change(present: Json) -> Json:
            return {**(present if isinstance(present, Mapping) else {}), **fields}

        await self._documents.update(
            person_scope(person), self._namespace, KEY, change, epoch=epoch
        )


def stricter(first: Review, second: Review | None) -> Review:
    """Return the stricter of two policies."""
    return first if second is None else max(first, second, key=STRICTNESS.index)
