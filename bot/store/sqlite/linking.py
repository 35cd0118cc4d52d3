"""Making two people one, and taking an account out again, in SQLite."""

import sqlite3
from collections.abc import Mapping, Sequence

from bot.api import Account, person_scope
from bot.store.keys import linkable
from bot.store.sqlite.tombstones import present_epoch

ACCOUNT: str = "platform || ':' || id"


def link(keep: str, join: str, connection: sqlite3.Connection) -> Mapping[str, int]:
    """Give all that is a person's to another one, who keeps it where both have something."""
    linkable(keep, join, [_known(person, connection) for person in (keep, join)])
    scopes = (person_scope(keep), person_scope(join))
    for person, scope in zip((keep, join), scopes, strict=True):
        connection.execute(
            "UPDATE documents SET origin = ? WHERE scope = ? AND origin IS NULL", (person, scope)
        )
        connection.execute(
            "UPDATE messages SET origin = ? WHERE person = ? AND origin IS NULL", (person, person)
        )
    connection.execute(
        "DELETE FROM documents WHERE scope = ?2 AND EXISTS (SELECT 1 FROM documents AS other"
        " WHERE other.scope = ?1 AND other.namespace = documents.namespace"
        " AND other.key = documents.key)",
        scopes,
    )
    counts = {
        "accounts": "UPDATE accounts SET person = ?1 WHERE person = ?2",
        "messages": "UPDATE messages SET person = ?1 WHERE person = ?2",
    }
    moved = {kind: connection.execute(sql, (keep, join)).rowcount for kind, sql in counts.items()}
    moved["documents"] = connection.execute(
        "UPDATE documents SET scope = ?1 WHERE scope = ?2", scopes
    ).rowcount
    connection.execute("UPDATE people SET joined = ?1 WHERE joined = ?2", (keep, join))
    connection.execute(
        "UPDATE people SET epoch = epoch + 1, joined = ?1, paused = 0 WHERE id = ?2", (keep, join)
    )
    connection.execute(
        "UPDATE people SET epoch = epoch + 1, language = coalesce(language,"
        " (SELECT language FROM people WHERE id = ?2)) WHERE id = ?1",
        (keep, join),
    )
    return moved


def unlink(account: Account, now: int, connection: sqlite3.Connection) -> str | None:
    """Take an account out of a person with the rows that came from it; return whose the rest is."""
    row = connection.execute(
        "SELECT person FROM accounts WHERE platform = ? AND id = ?", (account.platform, account.id)
    ).fetchone()
    if row is None:
        return None
    person: str = row[0]
    keys = [
        key
        for (key,) in connection.execute(
            f"SELECT {ACCOUNT} FROM accounts WHERE person = ? ORDER BY number",  # noqa: S608
            (person,),
        )
    ]
    others = [key for key in keys if key != account.key]
    if not others:
        return None
    # The person's id is an account's key, so that when this account goes the others do.
    moving, heir = (others, others[0]) if account.key == person else ([account.key], account.key)
    _move(person, heir, moving, now, connection)
    return heir if account.key == person else person


def _move(
    person: str, heir: str, keys: Sequence[str], now: int, connection: sqlite3.Connection
) -> None:
    connection.execute(
        "INSERT INTO people (id, epoch, language, created, paused)"
        " SELECT ?1, ?2, language, ?3, paused FROM people WHERE id = ?4"
        " ON CONFLICT (id) DO UPDATE SET epoch = people.epoch + 1, joined = NULL",
        (heir, present_epoch(heir, connection) + 1, now, person),
    )
    connection.execute("UPDATE people SET epoch = epoch + 1 WHERE id = ?", (person,))
    for key in keys:
        connection.execute(
            f"UPDATE accounts SET person = ? WHERE {ACCOUNT} = ?",  # noqa: S608
            (heir, key),
        )
        connection.execute(
            "UPDATE documents SET scope = ? WHERE scope = ? AND origin = ?",
            (person_scope(heir), person_scope(person), key),
        )
        connection.execute(
            "UPDATE messages SET person = ? WHERE person = ? AND origin = ?", (heir, person, key)
        )
        if key != heir:
            connection.execute("UPDATE people SET joined = ? WHERE id = ?", (heir, key))


def _known(person: str, connection: sqlite3.Connection) -> bool:
    query = "SELECT 1 FROM people WHERE id = ? AND joined IS NULL"
    return connection.execute(query, (person,)).fetchone() is not None
