"""Encryption of what people said, with a key that is kept apart from the data."""

import os
import sqlite3
from typing import Any, Final

from bot.api import ConfigError, StoreError, parse_key

SEALED: Final = (
    ("documents", "value"),
    ("messages", "content"),
    ("inbox", "message"),
    ("accounts", "name"),
)
"""The columns whose values are encrypted."""

NONCE_BYTES: Final = 12
PROOF: Final = "tertulia"

Stored = str | bytes | None


class Seal:
    """Encrypts texts with AES-256-GCM; without a key it leaves them as they are.

    A sealed value is a random nonce of 12 bytes, then the ciphertext with its tag (NIST SP
    800-38D). SQL knows it as the functions ``seal`` and ``unseal``.
    """

    def __init__(self, key: str | None = None) -> None:
        self._cipher = None if key is None else _cipher(parse_key(key))

    @property
    def keyed(self) -> bool:
        """Whether there is a key."""
        return self._cipher is not None

    def close(self, text: str | None) -> Stored:
        """Return a text as it is stored."""
        if self._cipher is None or text is None:
            return text
        nonce = os.urandom(NONCE_BYTES)
        sealed: bytes = self._cipher.encrypt(nonce, text.encode(), None)
        return nonce + sealed

    def open(self, stored: Stored) -> str | None:
        """Return the text of what is stored; `StoreError` where the key does not fit."""
        if not isinstance(stored, bytes):
            return stored
        if self._cipher is None:
            raise StoreError("the data is encrypted; set `data_key`")
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415 - an extra

        try:
            text: bytes = self._cipher.decrypt(stored[:NONCE_BYTES], stored[NONCE_BYTES:], None)
        except InvalidTag as error:
            raise StoreError("`data_key` does not fit the data") from error
        return text.decode()

    def serve(self, connection: sqlite3.Connection, prefix: str = "") -> None:
        """Let the statements of a connection use the seal."""
        connection.create_function(f"{prefix}seal", 1, self.close)
        connection.create_function(f"{prefix}unseal", 1, self.open)


def unlock(seal: Seal, connection: sqlite3.Connection) -> bool:
    """Check that the key is the data's; encrypt the data where this is its first one.

    Returns whether the file must be rewritten, since free space holds what was not encrypted.
    `StoreError` for a key that is missing or another one.
    """
    row = connection.execute("SELECT proof FROM proofs").fetchone()
    if row is not None:
        _check(seal, row[0])
        return False
    if seal.keyed:
        reseal(Seal(), seal, connection)
    return seal.keyed


def reseal(old: Seal, new: Seal, connection: sqlite3.Connection) -> None:
    """Write every sealed value anew, and the proof of the new key, in one transaction."""
    old.serve(connection, "old_")
    new.serve(connection, "new_")
    connection.execute("BEGIN IMMEDIATE")
    try:
        for table, column in SEALED:
            connection.execute(f"UPDATE {table} SET {column} = new_seal(old_unseal({column}))")  # noqa: S608
        connection.execute("DELETE FROM proofs")
        if new.keyed:
            connection.execute("INSERT INTO proofs (proof) VALUES (?)", (new.close(PROOF),))
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _check(seal: Seal, proof: bytes) -> None:
    if not seal.keyed:
        raise StoreError("the data is encrypted; set `data_key` to the key that it was made with")
    try:
        seal.open(proof)
    except StoreError as error:
        message = "`data_key` is not the key that the data was made with; nothing was changed"
        raise StoreError(message) from error


def _cipher(key: bytes) -> Any:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise ConfigError(
            "data_key: encryption is not installed; run: pip install 'tertulia[encryption]'"
        ) from error
    return AESGCM(key)
