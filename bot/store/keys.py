"""What may name a thing in the store: nothing empty, nothing that is no text, nothing cut short."""

from collections.abc import Sequence
from typing import Final

from bot.api import GLOBAL, Account, Entry, Erased, Role

PERSON: Final = "person:"
CHAT: Final = "chat:"
LARGEST: Final = 2**63 - 1
"""The largest integer that a column holds."""


def named(what: str, text: object) -> str:
    """Return a key as it is; ValueError where it is empty or no valid text."""
    if not isinstance(text, str) or not text:
        message = f"{what} must be a text that is not empty"
        raise ValueError(message)
    return valid(what, text)


def valid(what: str, text: str) -> str:
    """Return a text as it is; ValueError where it holds a lone surrogate, which is no character."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        message = f"{what} holds a lone surrogate at position {error.start}"
        raise ValueError(message) from None
    return text


def optional(what: str, text: str | None) -> str | None:
    """Return a key as `named` does, or None."""
    return None if text is None else named(what, text)


def shown(text: str) -> str:
    """Return a text that is only shown, with a question mark for each lone surrogate."""
    return text.encode(errors="replace").decode()


def scoped(scope: str) -> str:
    """Return a scope as it is; ValueError unless it is that of a person, a chat or all."""
    named("a scope", scope)
    if scope == GLOBAL or any(
        scope.removeprefix(kind) not in {scope, ""} for kind in (PERSON, CHAT)
    ):
        return scope
    message = "a scope is `global`, `person:<id>` or `chat:<key>`, with the id or key whole"
    raise ValueError(message)


def owner(scope: str) -> str | None:
    """Return the person whose scope it is, None for a scope of another kind."""
    return scope.removeprefix(PERSON) if scope.startswith(PERSON) else None


def guarded(scope: str, epoch: int | None) -> str | None:
    """Return the person whose epoch a write must be checked against, None where there is none."""
    if epoch is None:
        return None
    person = owner(scope)
    if person is None:
        message = "an epoch belongs to a write to a person's scope only"
        raise ValueError(message)
    return person


def speaker(entries: Sequence[Entry], epoch: int | None) -> str | None:
    """Return the person whose epoch a turn must be checked against, None where there is none."""
    people = {entry.person for entry in entries if entry.person is not None}
    if epoch is None or not people:
        return None
    if len(people) > 1:
        message = "entries that are written under an epoch must be of one person"
        raise ValueError(message)
    return people.pop()


def refuse_older(epoch: int | None, current: int) -> None:
    """Raise `Erased` where work began in an epoch that has passed."""
    if epoch is not None and epoch < current:
        message = "the person was erased since this work began, so nothing was written"
        raise Erased(message)


def identified(account: Account) -> Account:
    """Return an account as it is; ValueError where it could be taken for another or for nobody."""
    named("an account's id", account.id)
    if ":" in named("an account's platform", account.platform):
        message = "a platform's name holds no colon"
        raise ValueError(message)
    if account.anonymous:
        message = "an anonymous account is nobody, so nothing is kept of it"
        raise ValueError(message)
    return account


def linkable(keep: str, join: str, known: Sequence[bool]) -> None:
    """Raise ValueError unless two ids are those of two people that there are."""
    named("a person's id", keep)
    named("a person's id", join)
    if keep == join:
        message = "a person cannot be linked with themselves"
        raise ValueError(message)
    if not all(known):
        message = "there is no such person (any more)"
        raise ValueError(message)


def counted(entry: Entry) -> Entry:
    """Return an entry as it is; ValueError where its role, person or tokens cannot be stored."""
    Role(entry.role)
    optional("a person's id", entry.person)
    if not 0 <= entry.tokens <= LARGEST:
        message = "an entry's tokens are a number from 0 on"
        raise ValueError(message)
    return entry


def limited(limit: int) -> int:
    """Return a number of entries to read; ValueError for one below 0."""
    if limit < 0:
        message = "a limit is 0 or more"
        raise ValueError(message)
    return min(limit, LARGEST)
