"""All that is held of a person: counted, written out, erased."""

import sqlite3
from collections.abc import Mapping, Sequence

from bot.api import Json, person_scope
from bot.store.envelopes import message_row
from bot.store.exports import account_row, document_row, entry_row
from bot.store.keys import owner
from bot.store.sqlite.documents import find_documents
from bot.store.sqlite.inbox import count_inbox, erase_inbox, find_inbox
from bot.store.sqlite.messages import find_messages
from bot.store.sqlite.people import find_accounts, find_person
from bot.store.sqlite.scrubbing import order_scrub
from bot.store.sqlite.tombstones import (
    Stone,
    add_tombstones,
    buried_epoch,
    bury,
    present_epoch,
)


def count_rows(person: str, now: int, connection: sqlite3.Connection) -> dict[str, int]:
    """Return how many rows are held of a person by kind."""
    accounts, documents, messages = connection.execute(
        "SELECT (SELECT count(*) FROM accounts WHERE person = :person),"
        " (SELECT count(*) FROM documents WHERE scope = :scope"
        " AND (expires IS NULL OR expires > :now)),"
        " (SELECT count(*) FROM messages WHERE person = :person)",
        {"person": person, "scope": person_scope(person), "now": now},
    ).fetchone()
    inbox = count_inbox(person, connection)
    return {"accounts": accounts, "documents": documents, "messages": messages, "inbox": inbox}


def export_rows(person: str, now: int, connection: sqlite3.Connection) -> Mapping[str, Json]:
    """Return every row that is held of a person by kind."""
    known = find_person(person, connection)
    accounts = find_accounts(person, connection)
    documents = find_documents(person_scope(person), now, connection)
    messages = find_messages(person, connection)
    return {
        "accounts": [account_row(account, known) for account in accounts if known],
        "documents": [document_row(document) for document in documents],
        "messages": [entry_row(chat, entry) for chat, entry in messages],
        "inbox": [message_row(message) for message in find_inbox(person, connection)],
    }


def erase_rows(person: str, now: int, connection: sqlite3.Connection) -> dict[str, int]:
    """Delete every row of a person and raise their epoch; return the counts by kind."""
    counts = count_rows(person, now, connection)
    bury(person, present_epoch(person, connection) + 1, connection)
    connection.execute("DELETE FROM documents WHERE scope = ?", (person_scope(person),))
    _erase_messages(person, connection)
    erase_inbox(person, connection)
    joined = "SELECT id FROM people WHERE joined = ?"
    for (one,) in connection.execute(joined, (person,)).fetchall():
        bury(one, present_epoch(one, connection) + 1, connection)
    connection.execute("DELETE FROM people WHERE id = ?1 OR joined = ?1", (person,))
    order_scrub(connection)
    return counts


def erase_again(stones: Sequence[Stone], connection: sqlite3.Connection) -> Sequence[str]:
    """Add tombstones to a copy, erase the people that lie under newer ones, and return those."""
    epochs = {person: present_epoch(person, connection) for person in _people(connection)}
    add_tombstones(stones, connection)
    erased = [p for p, epoch in epochs.items() if buried_epoch(p, connection) > epoch]
    for person in erased:
        erase_rows(person, 0, connection)
    return erased


def purge_older(
    messages: int | None, documents: Mapping[str, int], connection: sqlite3.Connection
) -> int:
    """Delete messages written before an instant, and documents by namespace; return how many."""
    count = 0
    if messages is not None:
        count += connection.execute("DELETE FROM messages WHERE time < ?", (messages,)).rowcount
    for namespace, until in documents.items():
        count += connection.execute(
            "DELETE FROM documents WHERE namespace = ? AND updated < ?", (namespace, until)
        ).rowcount
    return count


def _erase_messages(person: str, connection: sqlite3.Connection) -> None:
    """Delete a person's entries, and what is known of chats that had no others."""
    chats = connection.execute(
        "SELECT DISTINCT chat FROM messages WHERE person = ?", (person,)
    ).fetchall()
    connection.execute("DELETE FROM messages WHERE person = ?", (person,))
    connection.executemany(
        "DELETE FROM chats WHERE key = ?1 AND NOT EXISTS (SELECT 1 FROM messages WHERE chat = ?1)",
        chats,
    )


def _people(connection: sqlite3.Connection) -> set[str]:
    """Return everyone of whom there is a row."""
    people = "SELECT id FROM people UNION SELECT person FROM messages WHERE person IS NOT NULL"
    scopes = "SELECT DISTINCT scope FROM documents"
    owners = {owner(scope) for (scope,) in connection.execute(scopes)} - {None}
    return {person for (person,) in connection.execute(people)} | {o for o in owners if o}
