-- A message's row stays after it is finished, without what it said and who said it, so that one
-- that is delivered again is known. "number" ascends in the order of the coming.
CREATE TABLE inbox (
    number INTEGER PRIMARY KEY,
    platform TEXT NOT NULL,
    event TEXT NOT NULL,
    account TEXT,
    message TEXT,
    received INTEGER NOT NULL,
    UNIQUE (platform, event)
);

CREATE INDEX inbox_pending ON inbox (number) WHERE message IS NOT NULL;
CREATE INDEX inbox_finished ON inbox (received) WHERE message IS NULL;

-- What a platform shows of the answers to a message; "ids" is a JSON list.
CREATE TABLE outbox (
    inbox INTEGER NOT NULL REFERENCES inbox (number) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    ids TEXT NOT NULL,
    whole INTEGER NOT NULL,
    PRIMARY KEY (inbox, number)
) WITHOUT ROWID;
