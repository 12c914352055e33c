import Posix
import RatingPolicy
import Testing

@testable import RatingStore

/// Damage in the write-ahead log, which SQLite passes over in silence.
struct LogDamageTests {
    let scratch: ScratchDirectory

    init() throws {
        scratch = try ScratchDirectory()
    }

    /// What a killed process leaves: ten sessions, a grant, and one more session.
    ///
    /// Answers where the first byte behind what was synced is in the log.
    private func leave() throws -> Int {
        let store = try scratch.openUsable()
        var record = AppRecord()
        for _ in 0..<10 { try addSession(to: store, &record) }
        record = try store.grant(token: "t")
        let synced = try FileTree.read(scratch.database + "-wal").count
        for _ in 0..<3 { try addSession(to: store, &record) }
        return synced
    }

    private func addSession(to store: StateStore, _ record: inout AppRecord) throws {
        let before = record
        record.sessions += 1
        try store.put(record, over: before == AppRecord() ? nil : before)
    }

    /// Opens a copy of the state with another log and another note.
    private func open(
        log: [UInt8], boot: String? = RunNote.currentBoot(), hasNote: Bool = true
    ) throws -> (ScratchDirectory, StateStore) {
        let other = try ScratchDirectory()
        try Files.makeDirectories(other.state)
        try FileTree.copy(scratch.database, to: other.database)
        try FileTree.write(log, to: other.database + "-wal")
        if hasNote {
            var note = try #require(try RunNoteFile.read(scratch.database + ".note"))
            note.boot = boot
            try FileTree.write(Array(note.text.utf8), to: other.database + ".note")
        }
        return (other, try other.openUsable())
    }

    @Test func `an undamaged log is taken in`() throws {
        _ = try leave()
        let log = try FileTree.read(scratch.database + "-wal")
        let (other, store) = try open(log: log)
        #expect(try store.load(.notes)?.sessions == 13)
        #expect(try store.load(.notes)?.grants.count == 1)
        #expect(try other.setAside().isEmpty)
    }

    @Test func `a flipped byte before what was synced is damage, after whatever boot`() throws {
        let synced = try leave()
        let log = try FileTree.read(scratch.database + "-wal")
        for boot in [RunNote.currentBoot(), "another", nil] {
            for index in stride(from: 0, to: synced, by: 97) {
                var bytes = log
                bytes[index] ^= 0x40
                let (other, store) = try open(log: bytes, boot: boot)
                let names = try other.setAside()
                try #require(names.count == 2, "byte \(index)")
                #expect(!store.ledgerIsTrusted)
                #expect(try FileTree.read(other.state + "/" + names[1]) == bytes)
            }
        }
    }

    @Test func `a hole before later commits is damage if the machine did not stop`() throws {
        let synced = try leave()
        let log = try FileTree.read(scratch.database + "-wal")
        let frame = Schema.pageBytes + 24
        for index in stride(from: synced, to: log.count - frame, by: 31) {
            var bytes = log
            bytes[index] ^= 0x40
            let (_, store) = try open(log: bytes)
            #expect(!store.ledgerIsTrusted, "byte \(index)")
            // After a power loss it is what was not synced.
            let (_, after) = try open(log: bytes, boot: "another")
            #expect(after.ledgerIsTrusted, "byte \(index)")
            #expect(try after.load(.notes)?.grants.count == 1, "byte \(index)")
        }
    }

    @Test func `cut short behind what was synced it loses the end and no more`() throws {
        let synced = try leave()
        let log = try FileTree.read(scratch.database + "-wal")
        for length in stride(from: synced, through: log.count, by: 101) {
            let (other, store) = try open(log: Array(log[..<length]))
            #expect(try other.setAside().isEmpty, "\(length)")
            let record = try #require(try store.load(.notes))
            #expect(record.sessions >= 10, "\(length)")
            #expect(record.grants.count == 1, "\(length)")
        }
    }

    @Test func `cut short before what was synced it is damage`() throws {
        let synced = try leave()
        let log = try FileTree.read(scratch.database + "-wal")
        for length in [0, 1, 31, 32] + stride(from: 33, to: synced, by: 1001) {
            let (_, store) = try open(log: Array(log[..<length]))
            #expect(!store.ledgerIsTrusted, "\(length)")
        }
    }

    @Test func `a log that was emptied by the store is no damage`() throws {
        let store = try scratch.openUsable()
        try store.grant(token: "t")
        try store.emptyLog()
        let (other, after) = try open(log: [])
        #expect(after.ledgerIsTrusted)
        #expect(try other.setAside().isEmpty)
        #expect(try after.load(.notes)?.grants.count == 1)
    }

    @Test func `a log that another program has emptied is no damage`() throws {
        _ = try leave()
        do {
            let connection = try Connection(path: scratch.database)
            _ = try connection.integer("SELECT count(*) FROM app", as: "test")
        }
        #expect(try Files.statusIfPresent(scratch.database + "-wal") == nil)
        let store = try scratch.openUsable()
        #expect(store.takeNotices().isEmpty)
        #expect(try store.load(.notes)?.sessions == 13)
    }

    @Test func `without a note of the last run SQLite's own judgement stands`() throws {
        let synced = try leave()
        var log = try FileTree.read(scratch.database + "-wal")
        log[synced - 50] ^= 1
        let (_, store) = try open(log: log, hasNote: false)
        #expect(store.ledgerIsTrusted)
    }

    @Test(arguments: ["", "x", "boot\n", "boot\n1\n", "boot\n1 x\n", "a\nb\nc\n", "boot\n-1 -1\n"])
    func `a note that cannot be read is no note`(text: String) throws {
        #expect(RunNote(text: text) == nil)
    }

    @Test func `a note comes back`() {
        var note = RunNote(boot: "5c1e")
        #expect(RunNote(text: note.text) == note)
        note.synced = .init(salt: .max, pages: 77)
        #expect(RunNote(text: note.text) == note)
        note.boot = nil
        #expect(RunNote(text: note.text) == note)
    }
}
