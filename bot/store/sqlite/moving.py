"""Giving a chat's rows to another key, and finding them under the old one."""

import sqlite3

from bot.api import chat_scope
from bot.store.keys import CHAT


def present_chat(chat: str, connection: sqlite3.Connection) -> str:
    """Return the key that a chat has now."""
    row = connection.execute("SELECT new FROM moves WHERE old = ?", (chat,)).fetchone()
    return chat if row is None else row[0]


def present_scope(scope: str, connection: sqlite3.Connection) -> str:
    """Return a scope, that of a chat with the key that it has now."""
    if not scope.startswith(CHAT):
        return scope
    return chat_scope(present_chat(scope.removeprefix(CHAT), connection))


def move(old: str, new: str, connection: sqlite3.Connection) -> None:
    """Give all that a chat's key holds to another key, and let the old one stand for the new one.

    The old log comes before one that is there; of two documents with the same key, the one that
    was written later stays. A move that was made already changes nothing.
    """
    source, target = present_chat(old, connection), present_chat(new, connection)
    if source == target:
        return
    _move_log(source, target, connection)
    _move_documents(chat_scope(source), chat_scope(target), connection)
    connection.execute("UPDATE moves SET new = ? WHERE new = ?", (target, source))
    connection.execute("INSERT INTO moves (old, new) VALUES (?, ?)", (source, target))


def _move_log(source: str, target: str, connection: sqlite3.Connection) -> None:
    found = connection.execute(
        "SELECT last, archived FROM chats WHERE key = ?", (source,)
    ).fetchone()
    if found is None:
        return
    last, archived = found
    connection.execute(
        "INSERT INTO chats (key, last, archived) VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET"
        " last = last + excluded.last, archived = CASE WHEN archived > 0"
        " THEN archived + excluded.last ELSE excluded.archived END",
        (target, last, archived),
    )
    # By way of negative numbers, so that no row meets another one on its way.
    connection.execute(
        "UPDATE messages SET sequence = -(sequence + ?) WHERE chat = ?", (last, target)
    )
    connection.execute("UPDATE messages SET sequence = -sequence WHERE chat = ?", (target,))
    connection.execute("UPDATE messages SET chat = ? WHERE chat = ?", (target, source))
    connection.execute("DELETE FROM chats WHERE key = ?", (source,))


def _move_documents(source: str, target: str, connection: sqlite3.Connection) -> None:
    pair = (source, target)
    for older, newer, tie in ((target, source, "<="), (source, target, "<")):
        connection.execute(
            "DELETE FROM documents WHERE scope = ? AND EXISTS (SELECT 1 FROM documents AS other"  # noqa: S608
            " WHERE other.scope = ? AND other.namespace = documents.namespace"
            f" AND other.key = documents.key AND documents.updated {tie} other.updated)",
            (older, newer),
        )
    connection.execute("UPDATE documents SET scope = ? WHERE scope = ?", pair[::-1])
