/// Looks whether the content of a database is whole.
enum DatabaseCheck {
    /// The largest file that is checked wholly at every start; it takes some 20 ms.
    static let wholeCheckBytesMax: Int64 = 4 << 20

    /// The most grants that are compared with their copies and indexes at every start; it takes
    /// some 35 ms. Above, only the ledger's pages are checked, which takes a tenth of that; every
    /// row is compared with its copy when it is read.
    static let comparedGrantsMax: Int64 = 20_000

    /// Throws `damaged` with the first thing that is wrong.
    ///
    /// The ledger, which the annual cap rests on, is checked at every start.
    static func run(
        _ connection: borrowing Connection, schema: Schema, version: Int64, isWhole: Bool
    ) throws(StoreFailure) {
        try checkObjects(connection, schema: schema, version: version)
        guard !isWhole, version == schema.version else {
            // What is about to be brought up to date is looked at once more as it was.
            try check(connection, "PRAGMA integrity_check")
            return version == schema.version ? try compareCopies(connection) : ()
        }
        let last = try connection.integer("SELECT max(id) FROM ledger", as: "check the ledger")
        let isSmall = (last ?? 0) <= comparedGrantsMax
        try check(connection, "PRAGMA \(isSmall ? "integrity" : "quick")_check('ledger')")
        try check(connection, "PRAGMA integrity_check('user')")
        if isSmall { try compareCopies(connection) }
    }

    private static func compareCopies(_ connection: borrowing Connection) throws(StoreFailure) {
        let row = try connection.integer(
            "SELECT id FROM ledger WHERE NOT is_whole LIMIT 1", as: "check the ledger")
        if let row { throw .damaged("row \(row) of the ledger is not what its copy says") }
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
            // A heading that names the database says nothing here, and some faults have a hundred
            // followers.
            let lines = (answer ?? "nothing").split(separator: "\n").filter { $0.first != "*" }
            throw .damaged(
                "the check of the database found: " + lines.prefix(3).joined(separator: "; "))
        }
    }
}
