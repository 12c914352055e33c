internal import Posix

/// The files of the state, by their paths.
struct StatePaths: Sendable {
    let directory: String

    init(directory: String) {
        // SQLite reads some relative names in its own way.
        self.directory = directory.hasPrefix("/") ? directory : "./" + directory
    }

    static let databaseName = "ratingd.db"
    static let setAsidePrefix = databaseName + ".corrupt-"

    var database: String { path(Self.databaseName) }
    var log: String { database + "-wal" }
    /// What a new database is called until it is whole.
    var unfinished: String { database + ".new" }
    /// There if the database was found damaged while it was in use; holds the reason.
    var damageMark: String { database + ".damaged" }
    /// What the running store notes for the next start.
    var note: String { database + ".note" }
    var lock: String { path("ratingd.lock") }

    func path(_ name: String) -> String {
        directory.hasSuffix("/") ? directory + name : directory + "/" + name
    }

    /// The files SQLite keeps beside a database.
    static func companions(of database: String) -> [String] {
        [database + "-wal", database + "-shm", database + "-journal"]
    }

    /// Set-aside databases in the directory, oldest first, without their logs.
    func setAside() throws(PosixError) -> [String] {
        try Files.directoryEntries(directory).filter { name in
            name.hasPrefix(Self.setAsidePrefix)
        }
    }
}
