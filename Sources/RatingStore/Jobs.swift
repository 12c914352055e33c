internal import Posix

/// A sync of the write-ahead log that a helper thread can run. See fdatasync(2).
package struct SyncJob: Sendable {
    let log: SyncableFile
    let covers: RunNote.Synced?

    package struct Result: Sendable {
        let failure: StoreFailure?
        package var succeeded: Bool { failure == nil }
    }

    /// Waits for the disk.
    package func run() -> Result {
        do {
            try log.sync()
            return Result(failure: nil)
        } catch {
            return Result(failure: error)
        }
    }
}

/// A checkpoint on its own connection that a helper thread can run.
package struct CheckpointJob: Sendable {
    let path: String
    /// Says which connection of the store it belongs to.
    let log: SyncableFile

    package struct Result: Sendable {
        let outcome: Swift.Result<(pages: Int64, done: Int64), StoreFailure>
    }

    /// Waits for the disk.
    package func run() -> Result {
        do {
            let connection = try Connection(path: path)
            // The store's own connection is there; should it be gone, the log stays as it is.
            connection.keepLogOnClose(true)
            _ = try connection.integer("PRAGMA user_version", as: "checkpoint")
            return Result(outcome: .success(try connection.checkpoint(.passive)))
        } catch {
            return Result(outcome: .failure(error))
        }
    }
}
