/// What a statement of the store says in SQL, and what it is for, as errors tell it.
struct StatementText: Sendable {
    let sql: String
    let purpose: String

    private init(_ sql: String, as purpose: String) {
        self.sql = sql
        self.purpose = purpose
    }

    /// The columns of `readApp` and `readGrants`, of all rows.
    static let allApps = StatementText(
        "SELECT id, name, \(counters), \(settings) FROM app", as: "check the apps")
    static let allGrants = StatementText(
        "SELECT id, \(grant) FROM ledger", as: "check the ledger")

    private static let counters =
        "sessions, last_session, last_session_repaired, first_seen, first_seen_repaired, "
        + "last_seen, last_seen_repaired, version, events"
    private static let settings = "opted_out, hello_policy"
    private static let grant =
        "granted_at, granted_at_repaired, shown_at, shown_at_repaired, "
        + "outcome, outcome_at, outcome_at_repaired, token, version, forgotten, is_whole"

    /// Stamp.age(at: ?1) < ?2; a difference that is no 64-bit integer becomes a real number.
    private static let isInWindow =
        "?1 - CASE WHEN granted_at <= ?1 THEN granted_at"
        + " ELSE min(coalesce(granted_at_repaired, ?1), ?1) END < ?2"
}

/// Transactions.
extension StatementText {
    static let begin = StatementText("BEGIN IMMEDIATE", as: "begin a transaction")
    static let commit = StatementText("COMMIT", as: "commit")
    static let rollback = StatementText("ROLLBACK", as: "roll back")
    /// There always is a row, and as long as it is being read a read transaction is open.
    static let keepReading = StatementText(
        "SELECT name FROM sqlite_schema", as: "keep reading")
}

/// Apps.
extension StatementText {
    static let findApp = StatementText(
        "SELECT id FROM app WHERE uid = ?1 AND name = ?2", as: "find an app")
    static let readApp = StatementText(
        "SELECT id, name, \(counters), \(settings) FROM app"
            + " WHERE uid = ?1 AND name = ?2", as: "read an app")
    /// Only what stands before the texts of a row is read.
    static let listApps = StatementText(
        """
        SELECT id, name, sessions, events_total, last_seen,
            (SELECT count(*) FROM ledger WHERE app_id = app.id AND \(isInWindow)),
            first_seen IS NOT NULL
                OR EXISTS (SELECT 1 FROM ledger WHERE app_id = app.id AND NOT forgotten)
        FROM app WHERE uid = ?3 AND name > ?4 ORDER BY name LIMIT ?5
        """, as: "list apps")
    static let countApps = StatementText(
        "SELECT count(*) FROM app WHERE uid = ?1", as: "count apps")
    static let insertApp = StatementText(
        "INSERT INTO app (uid, name) VALUES (?1, ?2)", as: "insert an app")
    static let updateCounters = StatementText(
        """
        UPDATE app SET sessions = ?2, last_session = ?3, last_session_repaired = ?4,
            first_seen = ?5, first_seen_repaired = ?6, last_seen = ?7,
            last_seen_repaired = ?8, version = ?9, events = ?10, events_total = ?11 WHERE id = ?1
        """, as: "write an app's counters")
    static let updateSettings = StatementText(
        "UPDATE app SET opted_out = ?2, hello_policy = ?3 WHERE id = ?1",
        as: "write an app's settings")
    static let deleteApp = StatementText("DELETE FROM app WHERE id = ?1", as: "delete an app")
}

/// The ledger.
extension StatementText {
    static let readGrants = StatementText(
        "SELECT id, \(grant) FROM ledger WHERE app_id = ?1 ORDER BY id",
        as: "read an app's grants")
    static let listGrants = StatementText(
        """
        SELECT id, \(grant) FROM ledger
        WHERE uid = ?1 AND granted_at >= ?2 ORDER BY id
        """, as: "read a user's grants")
    static let findToken = StatementText(
        """
        SELECT app.uid, app.name FROM ledger JOIN app ON app.id = app_id WHERE token = ?1
        """, as: "find a token")
    static let countAppGrants = StatementText(
        "SELECT count(*) FROM ledger WHERE app_id = ?3 AND \(isInWindow)",
        as: "count an app's grants")
    static let countUserGrants = StatementText(
        "SELECT count(*) FROM ledger WHERE uid = ?3 AND \(isInWindow)",
        as: "count a user's grants")
    static let insertGrant = StatementText(
        """
        INSERT INTO ledger (granted_at, granted_at_repaired, shown_at, shown_at_repaired,
            outcome, outcome_at, outcome_at_repaired, token, version, forgotten, app_id, uid)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
        """, as: "insert a grant")
    static let updateGrant = StatementText(
        """
        UPDATE ledger SET granted_at = ?1, granted_at_repaired = ?2, shown_at = ?3,
            shown_at_repaired = ?4, outcome = ?5, outcome_at = ?6, outcome_at_repaired = ?7,
            token = ?8, version = ?9, forgotten = ?10 WHERE id = ?11
        """, as: "write a grant")
    static let deleteGrant = StatementText(
        "DELETE FROM ledger WHERE id = ?1", as: "delete a grant")
}

/// Users.
extension StatementText {
    static let readUser = StatementText(
        "SELECT opted_out_of_all FROM user WHERE uid = ?1", as: "read a user")
    static let readUserGrants = StatementText(
        """
        SELECT id, granted_at, granted_at_repaired, is_whole FROM ledger WHERE uid = ?1 ORDER BY id
        """, as: "read the times of a user's grants")
    static let writeUser = StatementText(
        "INSERT OR REPLACE INTO user (uid, opted_out_of_all) VALUES (?1, ?2)", as: "write a user")
}

/// The tally.
extension StatementText {
    static let readTally = StatementText(
        "SELECT sheet, began, marks FROM tally ORDER BY sheet", as: "read the tally")
    static let writeSheet = StatementText(
        "INSERT OR REPLACE INTO tally (sheet, began, marks) VALUES (?1, ?2, ?3)",
        as: "write the tally")
    static let clearTally = StatementText("DELETE FROM tally", as: "clear the tally")
    static let readEvents = StatementText(
        "SELECT events FROM app WHERE id = ?1", as: "read an app's events")
    static let updateEvents = StatementText(
        """
        UPDATE app SET events = ?2, events_total = ?3, last_seen = ?4, last_seen_repaired = NULL
        WHERE id = ?1
        """, as: "write an app's events")
}

/// The funnel.
extension StatementText {
    static let addFunnel = StatementText(
        """
        INSERT INTO funnel (app_id, day, step, n) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT DO UPDATE SET n = n + excluded.n
        """, as: "write the funnel")
    static let deleteFunnel = StatementText(
        "DELETE FROM funnel WHERE app_id = ?1", as: "delete an app's funnel")
    static let deleteOldFunnel = StatementText(
        """
        DELETE FROM funnel WHERE (app_id, day, step) IN
            (SELECT app_id, day, step FROM funnel WHERE day < ?1 LIMIT ?2)
        """, as: "delete old lines of the funnel")
    static let readAppFunnel = StatementText(
        """
        SELECT day, step, n FROM funnel
        WHERE app_id = (SELECT id FROM app WHERE uid = ?1 AND name = ?5)
            AND (day, step) > (?2, ?3) ORDER BY day, step LIMIT ?4
        """, as: "read an app's funnel")
    static let readUserFunnel = StatementText(
        """
        SELECT day, step, n FROM user_funnel
        WHERE uid = ?1 AND (day, step) > (?2, ?3) ORDER BY day, step LIMIT ?4
        """, as: "read a user's funnel")
}
