-- "joined" names the person that this one is part of for as long as they are linked; "origin" is the
-- key of the account that a row came from, NULL for that of the person's id.
ALTER TABLE people ADD COLUMN joined TEXT;
ALTER TABLE people ADD COLUMN paused INTEGER NOT NULL DEFAULT 0;
ALTER TABLE documents ADD COLUMN origin TEXT;
ALTER TABLE messages ADD COLUMN origin TEXT;
