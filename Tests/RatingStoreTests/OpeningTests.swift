import Glibc
import Posix
import RatingPolicy
import Testing

@testable import RatingStore

struct OpeningTests {
    let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    @Test func `missing directories are made for the owner alone, and the files too`() throws {
        let store = try scratch.openUsable()
        try store.put(fullRecord())
        #expect(try Files.status(scratch.state).mode == 0o700)
        for name in try scratch.names() {
            #expect(try Files.status(scratch.state + "/" + name).mode == 0o600, "\(name)")
        }
        #expect(store.takeNotices().isEmpty)
        #expect(store.ledgerIsTrusted)
        #expect(store.path == scratch.database)
    }

    @Test func `the state is one process's at a time`() throws {
        let store = try scratch.openUsable()
        guard case .held(let detail) = StateStore.open(directory: scratch.state, now: .start)
        else {
            Issue.record("opened twice")
            return
        }
        #expect(detail.contains(scratch.state))
        try store.put(fullRecord())
        try store.close()
        #expect(try scratch.openUsable().load(.notes) == fullRecord())
    }

    @Test func `a closed store says so and writes nothing`() throws {
        let store = try scratch.openUsable()
        try store.close()
        #expect(throws: StoreError.self) { try store.load(.notes) }
        #expect(throws: StoreError.self) { try store.put(fullRecord()) }
        #expect(throws: StoreError.self) { try store.sync() }
        #expect(try scratch.names() == ["ratingd.db", "ratingd.db.note", "ratingd.lock"])
    }

    @Test func `a store that goes without being closed keeps what was committed`() throws {
        do {
            let store = try scratch.openUsable()
            try store.put(fullRecord())
        }
        let store = try scratch.openUsable()
        #expect(try store.load(.notes) == fullRecord())
        #expect(store.takeNotices().isEmpty)
    }

    @Test func `an unfinished new database is taken away`() throws {
        try Files.makeDirectories(scratch.state)
        for suffix in ["", "-wal", "-shm", "-journal"] {
            try FileTree.write(Array("garbage".utf8), to: scratch.database + ".new" + suffix)
        }
        let store = try scratch.openUsable()
        #expect(try scratch.names().filter { $0.contains(".new") }.isEmpty)
        #expect(store.takeNotices().isEmpty)
        #expect(store.ledgerIsTrusted)
    }

    @Test func `an empty log or shared memory without a database is no sign of one`() throws {
        try Files.makeDirectories(scratch.state)
        try FileTree.write([], to: scratch.database + "-wal")
        try FileTree.write([1, 2, 3], to: scratch.database + "-shm")
        let store = try scratch.openUsable()
        #expect(store.takeNotices().isEmpty)
        try store.put(fullRecord())
    }

    @Test func `what is no file at the path is left alone`() throws {
        try Files.makeDirectories(scratch.database)
        let store = try scratch.open()
        guard case .unavailable(let detail) = store.failure else {
            Issue.record("\(String(describing: store.failure))")
            return
        }
        #expect(detail.contains(scratch.database) && detail.contains("directory"))
        #expect(try scratch.names() == ["ratingd.db", "ratingd.lock"])
        unsafe rmdir(scratch.database)
        try store.recover(now: .start)
        #expect(store.failure == nil)
    }

    @Test func `a directory that cannot be made is no end`() throws {
        try FileTree.write([], to: scratch.path + "/file")
        let directory = scratch.path + "/file/state"
        guard case .opened(let store) = StateStore.open(directory: directory, now: .start) else {
            Issue.record("held")
            return
        }
        guard case .unavailable(let detail) = store.failure else {
            Issue.record("\(String(describing: store.failure))")
            return
        }
        #expect(detail.contains("Not a directory"))
        #expect(throws: StoreError.self) { try store.load(.notes) }
        try Files.unlink(scratch.path + "/file")
        try store.recover(now: .start)
        try store.put(fullRecord())
        #expect(try store.load(.notes) == fullRecord())
    }

    @Test func `a retry finds the state held by another`() throws {
        try FileTree.write([], to: scratch.state)
        let late = try scratch.open()
        try #require(late.failure != nil)
        try Files.unlink(scratch.state)
        let store = try scratch.openUsable()
        let error = #expect(throws: StoreError.self) { try late.recover(now: .start) }
        #expect(error?.detail.contains("another ratingd") == true)
        try store.close()
        try late.recover(now: .start)
        #expect(late.failure == nil)
    }

    @Test func `a relative directory with a name that SQLite reads in its own way is a directory`()
        throws
    {
        #expect(StatePaths(directory: "file:x").database == "./file:x/ratingd.db")
        #expect(StatePaths(directory: "/a/").database == "/a/ratingd.db")
    }

    @Test func `a database in the old journal mode is taken back to the log`() throws {
        try scratch.openUsable().close()
        do {
            let connection = try Connection(path: scratch.database)
            try connection.expect("delete", of: "PRAGMA journal_mode = DELETE", as: "test")
        }
        let store = try scratch.openUsable()
        try store.put(fullRecord(), .synced)
        #expect(store.syncNeeded == false)
        #expect(try store.load(.notes) == fullRecord())
    }

    @Test func `another program that writes is waited for, and then the commit is refused`() throws
    {
        let store = try scratch.openUsable()
        do {
            let other = try Connection(path: scratch.database)
            try other.run("BEGIN IMMEDIATE", as: "test")
            let error = #expect(throws: StoreError.self) { try store.put(fullRecord()) }
            guard case .unavailable = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(store.failure == nil)
            try other.run("ROLLBACK", as: "test")
        }
        try store.put(fullRecord())
        #expect(try store.load(.notes) == fullRecord())
    }

    @Test func `another program that reads does not keep the store from starting`() throws {
        try scratch.openUsable().put(fullRecord())
        let other = try Connection(path: scratch.database)
        try other.run("BEGIN; SELECT * FROM app", as: "test")
        let store = try scratch.openUsable()
        #expect(try store.load(.notes) == fullRecord())
        try store.grant(token: "t", for: .maps)
        #expect(store.takeNotices().isEmpty)
    }

    @Test func `a database that was moved away while in use takes no grant`() throws {
        let store = try scratch.openUsable()
        try Files.rename(scratch.database, to: scratch.path + "/elsewhere")
        #expect(throws: StoreError.self) { try store.grant(token: "t") }
        #expect(store.failure != nil)
        try Files.rename(scratch.path + "/elsewhere", to: scratch.database)
        try store.recover(now: .start)
        try store.grant(token: "u")
    }

    @Test func `a state that is taken away while in use is begun anew, by one process`() throws {
        let store = try scratch.openUsable()
        try store.put(fullRecord())
        FileTree.remove(scratch.state)
        #expect(throws: StoreError.self) { try store.sync() }
        do {
            let other = try scratch.openUsable()
            #expect(throws: StoreError.self) { try store.recover(now: .start) }
            try other.close()
        }
        try store.recover(now: .start)
        #expect(try store.load(.notes) == nil)
        try store.grant(token: "t")
        guard case .held = StateStore.open(directory: scratch.state, now: .start) else {
            Issue.record("opened twice")
            return
        }
    }
}
