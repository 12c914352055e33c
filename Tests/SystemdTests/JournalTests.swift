import Glibc
import Posix
import Systemd
import TestSupport
import Testing

struct JournalTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory.file("socket") }

    @Test func `an entry is one datagram with a line for each field`() {
        let journald = DatagramReceiver(path: path)
        var journal = Journal(path: path)
        let isSent = journal.send([("MESSAGE", "granted"), ("PRIORITY", "5"), ("EMPTY", "")])
        #expect(isSent)
        #expect(journald.all() == ["MESSAGE=granted\nPRIORITY=5\nEMPTY=\n"])
        let dropped = journal.takeDropped()
        #expect(dropped == 0)
    }

    @Test func `no value can forge a field, a colour or a direction`() {
        let journald = DatagramReceiver(path: path)
        var journal = Journal(path: path)
        let value = "a\nPRIORITY=0\n\nMESSAGE=forged\u{1B}[31m\u{202E}\0"
        let isSent = journal.send([("MESSAGE", value), ("RATINGD_APP", "b=c")])
        #expect(isSent)
        #expect(
            journald.all() == [
                #"MESSAGE=a\x0aPRIORITY=0\x0a\x0aMESSAGE=forged\x1b[31m\u{202e}\x00"#
                    + "\nRATINGD_APP=b=c\n"
            ])
    }

    @Test func `a value of a megabyte is cut to a kilobyte`() throws {
        let journald = DatagramReceiver(path: path)
        var journal = Journal(path: path)
        let isSent = journal.send([("X", String(repeating: "\n", count: 1 << 20)), ("Y", "end")])
        #expect(isSent)
        let entry = try #require(journald.next())
        #expect(entry.utf8.count <= 1024 + "X=\nY=end\n".utf8.count)
        #expect(entry.hasSuffix("…\nY=end\n"))
    }

    @Test func `without a journal entries are dropped and counted`() {
        for path in [path, directory.path, "", directory.file(String(repeating: "x", count: 200))] {
            var journal = Journal(path: path)
            let sent = [journal.send([("MESSAGE", "a")]), journal.send([("MESSAGE", "b")])]
            #expect(sent == [false, false])
            let dropped = [journal.takeDropped(), journal.takeDropped()]
            #expect(dropped == [2, 0])
        }
    }

    @Test func `a journal that was restarted is found again`() throws {
        var journal = Journal(path: path)
        for round in 0..<3 {
            let journald = DatagramReceiver(path: path)
            let isSent = journal.send([("MESSAGE", "\(round)")])
            #expect(isSent)
            #expect(journald.all() == ["MESSAGE=\(round)\n"])
            try Files.unlink(path)
        }
    }

    @Test func `a journal that does not read makes nobody wait, and gets on when it does`() {
        let journald = DatagramReceiver(path: path)
        var journal = Journal(path: path)
        var sent = 0
        while sent < 100_000, journal.send([("MESSAGE", "x")]) { sent += 1 }
        #expect((1..<100_000).contains(sent))
        #expect(journald.all().count == sent)
        let isSent = journal.send([("MESSAGE", "again")])
        #expect(isSent)
        let dropped = journal.takeDropped()
        #expect(dropped == 1)
    }

    @Test func `standard error is the journal if the variable names just that file`() throws {
        let log = directory.file("log")
        let named = "JOURNAL_STREAM=$(stat -c %d:%i \(log))"
        let cases = [
            ("touch \(log); \(named) exec $PROBE journal 2>>\(log)", "true"),
            ("touch \(log); \(named) exec $PROBE journal 2>/dev/null", "false"),
            ("touch \(log); \(named)1 exec $PROBE journal 2>>\(log)", "false"),
            ("touch \(log); \(named) exec $PROBE journal 2>&-", "false"),
            ("JOURNAL_STREAM= exec $PROBE journal", "false"), ("exec $PROBE journal", "false"),
        ]
        for (script, expected) in cases {
            #expect(try Child.shell(script).output == expected + "\n")
        }
    }
}
