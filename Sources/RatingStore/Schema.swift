/// The tables of the database, as the list of steps that make them.
///
/// A database says in `PRAGMA user_version` how many of the steps it has seen. A step is never
/// changed once released; what is to be different is a further step.
struct Schema: Sendable {
    let steps: [String]

    var version: Int64 { Int64(steps.count) }

    /// `PRAGMA application_id` of our databases: "RtgD".
    static let applicationID: Int64 = 0x5274_6744

    /// In bytes. A one-row commit takes as long with 4096, but writes four times as much to the
    /// write-ahead log, and so needs four times the checkpoints.
    static let pageBytes = 1024

    static let current = Schema(steps: [
        // Times are milliseconds since 1970; `…_repaired` is Stamp.repaired. `events` is
        // EventsText, `hello_policy` HelloPolicy.text. The columns of counters come first, so
        // that an update of them finds them in the row's first page.
        """
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
        """,
        // What a cap or a *never* rests on is kept twice, since SQLite sees no damage in the content
        // of a row. `copy` is written by SQLite itself; no value but the last has spaces in it.
        // The indexes are for SQLite's check, which compares them with their tables.
        """
        CREATE TABLE ledger (
            id INTEGER PRIMARY KEY,
            app_id INTEGER NOT NULL,
            uid INTEGER NOT NULL,
            granted_at INTEGER NOT NULL, granted_at_repaired INTEGER,
            shown_at INTEGER, shown_at_repaired INTEGER,
            outcome TEXT,
            outcome_at INTEGER, outcome_at_repaired INTEGER,
            token TEXT UNIQUE,
            version TEXT,
            forgotten INTEGER NOT NULL DEFAULT 0,
            copy TEXT AS (format('%s %s %s %s %s %s %s %s %s %s %s %s', app_id, uid,
                granted_at, granted_at_repaired, shown_at, shown_at_repaired, outcome,
                outcome_at, outcome_at_repaired, token, forgotten, version)) STORED,
            is_whole INTEGER AS (copy IS format('%s %s %s %s %s %s %s %s %s %s %s %s', app_id, uid,
                granted_at, granted_at_repaired, shown_at, shown_at_repaired, outcome,
                outcome_at, outcome_at_repaired, token, forgotten, version)) VIRTUAL
        ) STRICT;
        INSERT INTO ledger (id, app_id, uid, granted_at, granted_at_repaired, shown_at,
                shown_at_repaired, outcome, outcome_at, outcome_at_repaired, token, version,
                forgotten)
            SELECT id, app_id, uid, granted_at, granted_at_repaired, shown_at,
                shown_at_repaired, outcome, outcome_at, outcome_at_repaired, token, version,
                forgotten FROM "grant";
        DROP TABLE "grant";
        CREATE INDEX ledger_app ON ledger (app_id);
        CREATE INDEX ledger_user ON ledger (uid);
        CREATE INDEX app_opted_out ON app (uid) WHERE opted_out;
        CREATE INDEX user_opted_out ON user (opted_out_of_all) WHERE opted_out_of_all;
        """,
        // What lists and reports of a user are answered with, so that they read neither the names of
        // events nor the funnel of each app. `events_total` comes before the texts, or SQLite would
        // have to read through them. The sums are kept by SQLite itself.
        """
        CREATE TABLE app_with_total (
            id INTEGER PRIMARY KEY,
            uid INTEGER NOT NULL,
            name TEXT NOT NULL,
            sessions INTEGER NOT NULL DEFAULT 0,
            last_session INTEGER, last_session_repaired INTEGER,
            first_seen INTEGER, first_seen_repaired INTEGER,
            last_seen INTEGER, last_seen_repaired INTEGER,
            events_total INTEGER NOT NULL DEFAULT 0,
            version TEXT,
            events TEXT NOT NULL DEFAULT '',
            opted_out INTEGER NOT NULL DEFAULT 0,
            hello_policy TEXT,
            UNIQUE (uid, name)
        ) STRICT;
        INSERT INTO app_with_total SELECT id, uid, name, sessions, last_session,
                last_session_repaired, first_seen, first_seen_repaired, last_seen,
                last_seen_repaired, (
                    WITH RECURSIVE line (rest, total) AS (
                        SELECT events, 0
                        UNION ALL
                        SELECT substr(rest, nullif(instr(rest, char(10)), 0) + 1),
                            min(total + CAST(rest AS INTEGER), 9007199254740991)
                            FROM line WHERE rest <> ''
                    ) SELECT max(total) FROM line
                ), version, events, opted_out, hello_policy FROM app;
        DROP TABLE app;
        ALTER TABLE app_with_total RENAME TO app;
        CREATE INDEX app_opted_out ON app (uid) WHERE opted_out;

        CREATE TABLE user_funnel (
            uid INTEGER NOT NULL,
            day INTEGER NOT NULL,
            step TEXT NOT NULL,
            n INTEGER NOT NULL,
            PRIMARY KEY (uid, day, step)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO user_funnel SELECT uid, day, step, sum(n)
            FROM funnel JOIN app ON app.id = app_id GROUP BY uid, day, step;
        CREATE TRIGGER funnel_added AFTER INSERT ON funnel BEGIN
            INSERT INTO user_funnel SELECT uid, NEW.day, NEW.step, NEW.n
                FROM app WHERE id = NEW.app_id
                ON CONFLICT DO UPDATE SET n = n + excluded.n;
        END;
        CREATE TRIGGER funnel_changed AFTER UPDATE ON funnel BEGIN
            UPDATE user_funnel SET n = n + NEW.n - OLD.n
                WHERE uid = (SELECT uid FROM app WHERE id = NEW.app_id)
                    AND day = NEW.day AND step = NEW.step;
        END;
        CREATE TRIGGER funnel_deleted AFTER DELETE ON funnel BEGIN
            UPDATE user_funnel SET n = n - OLD.n
                WHERE uid = (SELECT uid FROM app WHERE id = OLD.app_id)
                    AND day = OLD.day AND step = OLD.step;
            DELETE FROM user_funnel
                WHERE uid = (SELECT uid FROM app WHERE id = OLD.app_id)
                    AND day = OLD.day AND step = OLD.step AND n <= 0;
        END;
        """,
        // Tally: what many apps have counted at once, before it goes into their rows. It is settled
        // behind all steps: one that changes `app` leaves ids, and the order of names, as they are.
        """
        CREATE TABLE tally (
            sheet INTEGER PRIMARY KEY,
            began INTEGER NOT NULL,
            marks BLOB NOT NULL
        ) STRICT;
        """,
    ])

    /// What a database of this version holds, one text an object.
    func objects(at version: Int64) throws(StoreFailure) -> [String] {
        let model = try Connection.inMemory()
        for step in steps.prefix(Int(version)) { try model.run(step, as: "make the schema") }
        return try Self.objects(in: model)
    }

    /// The same of a database that is there; indexes that SQLite makes by itself are left out.
    static func objects(in connection: borrowing Connection) throws(StoreFailure) -> [String] {
        try connection.texts(
            "SELECT type || ' ' || name || ': ' || sql FROM sqlite_schema WHERE sql IS NOT NULL",
            as: "read the schema")
    }

    /// Takes the steps that the database has not seen, each wholly or not at all.
    func migrate(_ connection: borrowing Connection, from version: Int64) throws(StoreFailure) {
        for (index, step) in steps.enumerated().dropFirst(Int(version)) {
            let sql = "BEGIN IMMEDIATE; \(step); PRAGMA user_version = \(index + 1); COMMIT"
            do {
                try connection.run(sql, as: "change the schema to version \(index + 1)")
            } catch {
                // Closing the connection would do the same; the error to tell is the first.
                if connection.isInTransaction { try? connection.run("ROLLBACK", as: "roll back") }
                throw error
            }
        }
    }
}
