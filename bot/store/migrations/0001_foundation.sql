-- Times are microseconds since 1970 in UTC; values and contents are JSON text.

CREATE TABLE people (
    id TEXT PRIMARY KEY,
    epoch INTEGER NOT NULL,
    language TEXT,
    created INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE accounts (
    number INTEGER PRIMARY KEY,
    platform TEXT NOT NULL,
    id TEXT NOT NULL,
    person TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    language TEXT,
    is_bot INTEGER NOT NULL,
    created INTEGER NOT NULL,
    UNIQUE (platform, id)
);

CREATE INDEX accounts_of_person ON accounts (person);

-- An erased person's epoch outlives the person, under a hash of the id. A restored copy may bring
-- tombstones of another database, which were made with another salt.
CREATE TABLE salts (
    number INTEGER PRIMARY KEY,
    salt BLOB NOT NULL UNIQUE
);

INSERT INTO salts (salt) VALUES (randomblob(32));

CREATE TABLE tombstones (
    salt INTEGER NOT NULL REFERENCES salts (number),
    hash BLOB NOT NULL,
    epoch INTEGER NOT NULL,
    PRIMARY KEY (salt, hash)
) WITHOUT ROWID;

CREATE TABLE documents (
    number INTEGER PRIMARY KEY,
    scope TEXT NOT NULL,
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    tag TEXT,
    revision INTEGER NOT NULL,
    created INTEGER NOT NULL,
    updated INTEGER NOT NULL,
    expires INTEGER,
    UNIQUE (scope, namespace, key)
);

CREATE INDEX documents_by_tag ON documents (namespace, tag);
CREATE INDEX documents_that_expire ON documents (expires) WHERE expires IS NOT NULL;

-- "last" is the highest sequence ever given; entries with one below "archived" are archived.
CREATE TABLE chats (
    key TEXT PRIMARY KEY,
    last INTEGER NOT NULL,
    archived INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

CREATE TABLE messages (
    chat TEXT NOT NULL REFERENCES chats (key),
    sequence INTEGER NOT NULL,
    role TEXT NOT NULL,
    person TEXT,
    content TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    time INTEGER NOT NULL,
    PRIMARY KEY (chat, sequence)
) WITHOUT ROWID;

CREATE INDEX messages_of_person ON messages (person) WHERE person IS NOT NULL;

CREATE TABLE moves (
    old TEXT PRIMARY KEY,
    new TEXT NOT NULL
) WITHOUT ROWID;

-- Work that must be done even if the process ends before it: "scrub" rewrites the file after an
-- erasure, so that no free space holds what was erased.
CREATE TABLE duties (
    name TEXT PRIMARY KEY
) WITHOUT ROWID;
