"""One-time codes that show that two accounts are one person's."""

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from bot.api import Chat, ChatKind, Context, Json, UserError

VALID: Final = timedelta(minutes=10)
TRIES: Final = 5
SIGNS: Final = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Without those that are taken for one another."""

NAME: Final = 4
SECRET: Final = 8
KEY: Final = "code"


@dataclass(frozen=True, slots=True)
class Side:
    """One of two people who may be the same: who, where they are written to, in what language."""

    person: str
    epoch: int
    chat: Chat
    language: str

    def stored(self) -> Mapping[str, Json]:
        """Return it as JSON."""
        chat = {"platform": self.chat.platform, "id": self.chat.id, "thread": self.chat.thread}
        return {
            "person": self.person,
            "epoch": self.epoch,
            "chat": chat,
            "language": self.language,
        }

    @classmethod
    def read(cls, stored: Any) -> "Side":
        """Return the side of a JSON value."""
        chat = Chat(**stored["chat"], kind=ChatKind.PRIVATE)
        return cls(stored["person"], stored["epoch"], chat, stored["language"])

    @classmethod
    def of(cls, context: Context[Any]) -> "Side":
        """Return the sender's side."""
        if context.person is None:
            raise AssertionError
        chat = context.message.chat
        return cls(context.person.id, context.person.epoch, chat, context.language)


async def give(context: Context[Any]) -> str:
    """Return a new code of the sender, in place of an earlier one; only its hash is kept."""
    signs = "".join(secrets.choice(SIGNS) for _ in range(NAME + SECRET))
    salt = secrets.token_hex(16)
    await context.user.put(
        KEY,
        {"hash": _hash(signs, salt), "salt": salt, "tries": 0, "side": Side.of(context).stored()},
        tag=_tag(signs),
        expires=context.state.clock() + VALID,
    )
    return "-".join(signs[start : start + NAME] for start in range(0, len(signs), NAME))


async def take(context: Context[Any], text: str) -> Side:
    """Use a code up and return whose it is.

    The beginning of a code names it, so that each wrong try counts against that one; after five it
    is void. A wrong, used or old code changes nothing else.
    """
    signs = "".join(sign for sign in text.upper() if sign.isalnum())
    documents = context.store.documents
    for found in await documents.scan(context.plugin, tag=_tag(signs)):
        value: Any = found.value
        place = (found.scope, found.namespace, found.key)
        if secrets.compare_digest(value["hash"], _hash(signs, value["salt"])):
            if await documents.delete(*place):
                return Side.read(value["side"])
        else:
            await documents.update(*place, _tried)
    raise UserError(
        "That code is wrong, used up or older than {minutes} minutes. Send /link on your other"
        " account for a new one.",
        minutes=int(VALID.total_seconds() // 60),
    )


def _tried(value: Any) -> Json:
    if value is None or value["tries"] + 1 >= TRIES:
        return None
    return {**value, "tries": value["tries"] + 1}


def _tag(signs: str) -> str:
    return f"code-{signs[:NAME]}"


def _hash(signs: str, salt: str) -> str:
    return hashlib.sha256(f"{salt}{signs}".encode()).hexdigest()
