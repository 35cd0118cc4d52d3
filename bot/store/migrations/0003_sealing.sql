-- A sealed text by which the key is known; without a row nothing is encrypted. What is sealed then:
-- documents.value, messages.content, inbox.message and accounts.name, as BLOBs.
CREATE TABLE proofs (
    number INTEGER PRIMARY KEY CHECK (number = 1),
    proof BLOB NOT NULL
);
