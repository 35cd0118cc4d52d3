"""How a row looks in a person's export."""

from datetime import datetime

from bot.api import Account, Document, Entry, Json, Person


def account_row(account: Account, person: Person) -> dict[str, Json]:
    """Return an account with what the person chose."""
    return {
        "person": person.id,
        "platform": account.platform,
        "id": account.id,
        "name": account.name,
        "language": account.language,
        "is_bot": account.is_bot,
        "chosen_language": person.language,
        "paused": person.paused,
    }


def document_row(document: Document) -> dict[str, Json]:
    """Return a document with all that the store knows of it."""
    return {
        "scope": document.scope,
        "namespace": document.namespace,
        "key": document.key,
        "value": document.value,
        "tag": document.tag,
        "revision": document.revision,
        "created": document.created.isoformat(),
        "updated": document.updated.isoformat(),
        "expires": _written(document.expires),
        "origin": document.origin,
    }


def entry_row(chat: str, entry: Entry) -> dict[str, Json]:
    """Return an entry of a chat's log."""
    return {
        "chat": chat,
        "sequence": entry.sequence,
        "role": entry.role.value,
        "content": entry.content,
        "tokens": entry.tokens,
        "time": _written(entry.time),
        "archived": entry.archived,
        "origin": entry.origin,
    }


def _written(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat()
