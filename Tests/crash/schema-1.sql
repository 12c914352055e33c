-- The first version of the database, as RatingStore made it. Never to be changed.
PRAGMA page_size = 1024;
PRAGMA journal_mode = WAL;
PRAGMA application_id = 0x52746744;

CREATE TABLE app (
    id INTEGER PRIMARY KEY,
    uid INTEGER NOT NULL,
    name TEXT NOT NULL,
    sessions INTEGER NOT NULL DEFAULT 0,
    last_session INTEGER, last_session_repaired INTEGER,
    first_seen INTEGER, first_seen_repaired INTEGER,
    last_seen INTEGER, last_seen_repaired INTEGER,
    version TEXT,
    events TEXT NOT NULL DEFAULT '',
    opted_out INTEGER NOT NULL DEFAULT 0,
    hello_policy TEXT,
    UNIQUE (uid, name)
) STRICT;

CREATE TABLE "grant" (
    id INTEGER PRIMARY KEY,
    app_id INTEGER NOT NULL,
    uid INTEGER NOT NULL,
    granted_at INTEGER NOT NULL, granted_at_repaired INTEGER,
    shown_at INTEGER, shown_at_repaired INTEGER,
    outcome TEXT,
    outcome_at INTEGER, outcome_at_repaired INTEGER,
    token TEXT UNIQUE,
    version TEXT,
    forgotten INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX grant_app ON "grant" (app_id);
CREATE INDEX grant_user ON "grant" (uid);

CREATE TABLE user (
    uid INTEGER PRIMARY KEY,
    opted_out_of_all INTEGER NOT NULL
) STRICT;

CREATE TABLE funnel (
    app_id INTEGER NOT NULL,
    day INTEGER NOT NULL,
    step TEXT NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY (app_id, day, step)
) STRICT, WITHOUT ROWID;
CREATE INDEX funnel_day ON funnel (day);

PRAGMA user_version = 1;
