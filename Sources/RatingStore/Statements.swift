/// Every statement of the store, compiled once a connection.
final class Statements {
    let begin: Statement
    let commit: Statement
    let rollback: Statement

    let findApp: Statement
    let readApp: Statement
    let listApps: Statement
    let countApps: Statement
    let insertApp: Statement
    let updateCounters: Statement
    let updateSettings: Statement
    let deleteApp: Statement

    let readGrants: Statement
    let listGrants: Statement
    let findToken: Statement
    let countAppGrants: Statement
    let countUserGrants: Statement
    let insertGrant: Statement
    let updateGrant: Statement
    let deleteGrant: Statement

    let readUser: Statement
    let readUserGrants: Statement
    let writeUser: Statement

    let addFunnel: Statement
    let deleteFunnel: Statement
    let deleteOldFunnel: Statement
    let sumAppFunnel: Statement
    let sumUserFunnel: Statement

    init(_ connection: borrowing Connection) throws(StoreFailure) {
        begin = try Statement(connection, "BEGIN IMMEDIATE", as: "begin a transaction")
        commit = try Statement(connection, "COMMIT", as: "commit")
        rollback = try Statement(connection, "ROLLBACK", as: "roll back")

        findApp = try Statement(
            connection, "SELECT id FROM app WHERE uid = ?1 AND name = ?2", as: "find an app")
        readApp = try Statement(
            connection,
            "SELECT id, name, \(Self.counters), \(Self.settings) FROM app"
                + " WHERE uid = ?1 AND name = ?2", as: "read an app")
        listApps = try Statement(
            connection,
            """
            SELECT id, name, \(Self.counters), \(Self.settings) FROM app
            WHERE uid = ?1 AND name > ?2 AND (first_seen IS NOT NULL
                OR EXISTS (SELECT 1 FROM "grant" WHERE app_id = app.id AND NOT forgotten))
            ORDER BY name LIMIT ?3
            """, as: "list apps")
        countApps = try Statement(
            connection, "SELECT count(*) FROM app WHERE uid = ?1", as: "count apps")
        insertApp = try Statement(
            connection, "INSERT INTO app (uid, name) VALUES (?1, ?2)", as: "insert an app")
        updateCounters = try Statement(
            connection,
            """
            UPDATE app SET sessions = ?2, last_session = ?3, last_session_repaired = ?4,
                first_seen = ?5, first_seen_repaired = ?6, last_seen = ?7,
                last_seen_repaired = ?8, version = ?9, events = ?10 WHERE id = ?1
            """, as: "write an app's counters")
        updateSettings = try Statement(
            connection, "UPDATE app SET opted_out = ?2, hello_policy = ?3 WHERE id = ?1",
            as: "write an app's settings")
        deleteApp = try Statement(
            connection, "DELETE FROM app WHERE id = ?1", as: "delete an app")

        readGrants = try Statement(
            connection, "SELECT id, \(Self.grant) FROM \"grant\" WHERE app_id = ?1 ORDER BY id",
            as: "read an app's grants")
        listGrants = try Statement(
            connection,
            """
            SELECT id, \(Self.grant) FROM "grant"
            WHERE uid = ?1 AND granted_at >= ?2 ORDER BY id
            """, as: "read a user's grants")
        findToken = try Statement(
            connection,
            """
            SELECT app.uid, app.name FROM "grant" JOIN app ON app.id = app_id WHERE token = ?1
            """, as: "find a token")
        countAppGrants = try Statement(
            connection, "SELECT count(*) FROM \"grant\" WHERE app_id = ?3 AND \(Self.isInWindow)",
            as: "count an app's grants")
        countUserGrants = try Statement(
            connection, "SELECT count(*) FROM \"grant\" WHERE uid = ?3 AND \(Self.isInWindow)",
            as: "count a user's grants")
        insertGrant = try Statement(
            connection,
            """
            INSERT INTO "grant" (granted_at, granted_at_repaired, shown_at, shown_at_repaired,
                outcome, outcome_at, outcome_at_repaired, token, version, forgotten, app_id, uid)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
            """, as: "insert a grant")
        updateGrant = try Statement(
            connection,
            """
            UPDATE "grant" SET granted_at = ?1, granted_at_repaired = ?2, shown_at = ?3,
                shown_at_repaired = ?4, outcome = ?5, outcome_at = ?6, outcome_at_repaired = ?7,
                token = ?8, version = ?9, forgotten = ?10 WHERE id = ?11
            """, as: "write a grant")
        deleteGrant = try Statement(
            connection, "DELETE FROM \"grant\" WHERE id = ?1", as: "delete a grant")

        readUser = try Statement(
            connection, "SELECT opted_out_of_all FROM user WHERE uid = ?1", as: "read a user")
        readUserGrants = try Statement(
            connection,
            """
            SELECT granted_at, granted_at_repaired FROM "grant" WHERE uid = ?1 ORDER BY id
            """, as: "read the times of a user's grants")
        writeUser = try Statement(
            connection, "INSERT OR REPLACE INTO user (uid, opted_out_of_all) VALUES (?1, ?2)",
            as: "write a user")

        addFunnel = try Statement(
            connection,
            """
            INSERT INTO funnel (app_id, day, step, n) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT DO UPDATE SET n = n + excluded.n
            """, as: "write the funnel")
        deleteFunnel = try Statement(
            connection, "DELETE FROM funnel WHERE app_id = ?1", as: "delete an app's funnel")
        deleteOldFunnel = try Statement(
            connection,
            """
            DELETE FROM funnel WHERE (app_id, day, step) IN
                (SELECT app_id, day, step FROM funnel WHERE day < ?1 LIMIT ?2)
            """, as: "delete old lines of the funnel")
        sumAppFunnel = try Statement(
            connection,
            """
            SELECT step, sum(n) FROM funnel
            WHERE app_id = (SELECT id FROM app WHERE uid = ?1 AND name = ?2) AND day >= ?3
            GROUP BY step
            """, as: "read an app's funnel")
        sumUserFunnel = try Statement(
            connection,
            """
            SELECT step, sum(n) FROM funnel
            WHERE app_id IN (SELECT id FROM app WHERE uid = ?1) AND day >= ?2 GROUP BY step
            """, as: "read a user's funnel")
    }

    /// The columns of `readApp` and `readGrants`, of all rows.
    static let allApps = "SELECT id, name, \(counters), \(settings) FROM app"
    static let allGrants = "SELECT id, \(grant) FROM \"grant\""

    private static let counters =
        "sessions, last_session, last_session_repaired, first_seen, first_seen_repaired, "
        + "last_seen, last_seen_repaired, version, events"
    private static let settings = "opted_out, hello_policy"
    private static let grant =
        "granted_at, granted_at_repaired, shown_at, shown_at_repaired, "
        + "outcome, outcome_at, outcome_at_repaired, token, version, forgotten"

    /// Stamp.age(at: ?1) < ?2; a difference that is no 64-bit integer becomes a real number.
    private static let isInWindow =
        "?1 - CASE WHEN granted_at <= ?1 THEN granted_at"
        + " ELSE min(coalesce(granted_at_repaired, ?1), ?1) END < ?2"
}
