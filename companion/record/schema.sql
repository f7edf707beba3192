-- The record of a table, version 2. Rows are only ever added: undo is an entry, never an erasure.

CREATE TABLE about (              -- what there is one of: the table's id, its link's token
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE game (
    id            TEXT PRIMARY KEY, -- UUID, made once
    table_id      TEXT NOT NULL,    -- so that tables can be gathered in one place
    number        INTEGER NOT NULL UNIQUE,
    rules         TEXT NOT NULL,    -- such as tentacles
    players       TEXT NOT NULL,    -- JSON list, in seating order
    starter       TEXT,
    options       TEXT NOT NULL,    -- JSON object
    program       TEXT NOT NULL,    -- the version that began it
    rules_version INTEGER NOT NULL, -- of this game's rules when it began
    monotonic_ns  INTEGER NOT NULL, -- when it began, since the boot named beside it
    boot          TEXT NOT NULL,
    wall          TEXT NOT NULL     -- UTC; for people, never for computing
) STRICT;

-- A game's entries and notes are one chain of rows: each row's hash covers the hash of the row
-- before it. What is hashed is in companion/chain.py.

CREATE TABLE entry (                -- what changes the game
    game          TEXT NOT NULL REFERENCES game (id),
    entry         INTEGER NOT NULL, -- 1, 2, 3 …; (table, game, entry) names it for ever
    row           INTEGER NOT NULL, -- 1, 2, 3 … among the game's entries and notes
    step          INTEGER NOT NULL, -- actions in force after it; an undo makes it smaller
    command       TEXT NOT NULL,    -- JSON: {"do": …}, {"undo": n}, {"correct": […]}, {"restore": n}
    source        TEXT NOT NULL,    -- reader, page, api, service
    reader        TEXT NOT NULL,    -- its name; empty for the other sources
    uid           TEXT,             -- the tag that was read
    request       TEXT,             -- the id that makes a repeat harmless
    monotonic_ns  INTEGER NOT NULL,
    boot          TEXT NOT NULL,
    wall          TEXT NOT NULL,
    hash          BLOB NOT NULL,
    PRIMARY KEY (game, entry)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX entry_request ON entry (request) WHERE request IS NOT NULL;

CREATE TABLE note (                 -- what does not: taps, answers, refusals, devices, doubts
    game          TEXT NOT NULL REFERENCES game (id),
    row           INTEGER NOT NULL,
    after         INTEGER NOT NULL, -- the entry that it came after; 0 before the first
    kind          TEXT NOT NULL,    -- such as tap
    body          TEXT NOT NULL,    -- JSON object
    monotonic_ns  INTEGER NOT NULL,
    boot          TEXT NOT NULL,
    wall          TEXT NOT NULL,
    hash          BLOB NOT NULL,
    PRIMARY KEY (game, row)
) STRICT, WITHOUT ROWID;

CREATE TABLE head (                 -- the end of each game's chain: a last row that is missing shows
    game TEXT PRIMARY KEY REFERENCES game (id),
    row  INTEGER NOT NULL,
    hash BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER entry_stays BEFORE UPDATE ON entry
BEGIN SELECT raise(ABORT, 'an entry is never changed'); END;

CREATE TRIGGER entry_is_kept BEFORE DELETE ON entry
BEGIN SELECT raise(ABORT, 'an entry is never erased'); END;

CREATE TRIGGER note_stays BEFORE UPDATE ON note
BEGIN SELECT raise(ABORT, 'a note is never changed'); END;

CREATE TRIGGER note_is_kept BEFORE DELETE ON note
BEGIN SELECT raise(ABORT, 'a note is never erased'); END;

CREATE TABLE tag (
    uid       TEXT PRIMARY KEY,   -- canonical, see companion/uid.py
    component TEXT NOT NULL       -- such as tentacles/dots, player/1, control/stop
) STRICT;
