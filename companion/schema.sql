-- The record of a table. Actions are only ever added: undo is an entry, never an erasure.

CREATE TABLE about (              -- what there is one of: the table's id, its link's token
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

CREATE TABLE game (
    id          TEXT PRIMARY KEY, -- UUID, made once
    table_id    TEXT NOT NULL,    -- so that tables can be gathered in one place
    number      INTEGER NOT NULL UNIQUE,
    rules       TEXT NOT NULL,    -- such as tentacles
    players     TEXT NOT NULL,    -- JSON list, in seating order
    starter     TEXT,
    options     TEXT NOT NULL,    -- JSON object
    program     TEXT NOT NULL,    -- the version that began it
    started_at  TEXT NOT NULL     -- wall clock, UTC; for people, never for computing
) STRICT;

CREATE TABLE entry (
    game          TEXT NOT NULL REFERENCES game (id),
    entry         INTEGER NOT NULL, -- 1, 2, 3 …; (table, game, entry) names it for ever
    step          INTEGER NOT NULL, -- actions in force after it; an undo makes it smaller
    command       TEXT NOT NULL,    -- JSON, as in the play protocol: {"do": …} or {"undo": n}
    source        TEXT NOT NULL,    -- reader, page, api
    reader        TEXT NOT NULL,    -- its name; empty for the other sources
    uid           TEXT,             -- the tag that was read
    request       TEXT UNIQUE,      -- the id that makes a repeat harmless
    monotonic_ns  INTEGER NOT NULL, -- since the boot named beside it
    boot          TEXT NOT NULL,
    wall          TEXT NOT NULL,
    PRIMARY KEY (game, entry)
) STRICT;

CREATE TRIGGER entry_stays BEFORE UPDATE ON entry
BEGIN SELECT raise(ABORT, 'an entry is never changed'); END;

CREATE TRIGGER entry_is_kept BEFORE DELETE ON entry
BEGIN SELECT raise(ABORT, 'an entry is never erased'); END;

CREATE TABLE tag (
    uid       TEXT PRIMARY KEY,   -- canonical, see companion/uid.py
    component TEXT NOT NULL       -- such as tentacles/dots, player/1, control/stop
) STRICT;
