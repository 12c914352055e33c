/// Looks whether the content of a database is whole.
enum DatabaseCheck {
    /// The largest file that is checked wholly at every start; it takes some 20 ms.
    static let wholeCheckBytesMax: Int64 = 4 << 20

    /// The most grants whose indexes are compared with the table at every start; it takes some
    /// 20 ms. Above, the ledger's pages and rows are checked, which takes a third of that.
    static let indexedGrantsMax: Int64 = 20_000

    /// Throws `damaged` with the first thing that is wrong.
    ///
    /// The ledger, which the annual cap rests on, is checked at every start.
    static func run(
        _ connection: borrowing Connection, schema: Schema, version: Int64, isWhole: Bool
    ) throws(StoreFailure) {
        try checkObjects(connection, schema: schema, version: version)
        if isWhole { return try check(connection, "PRAGMA integrity_check") }
        let last = try connection.integer("SELECT max(id) FROM \"grant\"", as: "check the ledger")
        let isSmall = (last ?? 0) <= indexedGrantsMax
        try check(connection, "PRAGMA \(isSmall ? "integrity" : "quick")_check('grant')")
    }

    private static func checkObjects(
        _ connection: borrowing Connection, schema: Schema, version: Int64
    ) throws(StoreFailure) {
        let found = Set(try Schema.objects(in: connection))
        // More than ours is none of our business.
        for object in try schema.objects(at: version) where !found.contains(object) {
            throw .damaged("the schema lacks '\(object.prefix { $0 != ":" })'")
        }
    }

    private static func check(
        _ connection: borrowing Connection, _ sql: String
    ) throws(StoreFailure) {
        let answer = try connection.texts(sql, as: "check the database").first
        guard let answer, answer == "ok" else {
            throw .damaged(
                "the check of the database found: "
                    + (answer ?? "nothing").split(separator: "\n").joined(separator: "; "))
        }
    }
}
