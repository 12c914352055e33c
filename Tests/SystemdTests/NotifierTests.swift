import TestSupport
import Testing

struct NotifierTests {
    private let directory = TemporaryDirectory()

    /// What the probe's notifications returned, a line each, and NOTIFY_SOCKET afterwards.
    private func notify(_ socket: String?) throws -> [Substring] {
        let environment = socket.map { ["NOTIFY_SOCKET": $0] } ?? [:]
        let child = try Child.run(Child.probe, ["notify"], environment: environment)
        #expect(child.status == 0)
        return child.output.split(separator: "\n")
    }

    @Test func `each notification reaches a socket at a path and at an abstract name`() throws {
        for path in [directory.file("notify"), "@" + directory.file("notify")] {
            let manager = DatagramReceiver(path: path)
            #expect(try notify(path) == ["nil", "nil", "nil", "nil", "nil", path[...]])
            let messages = manager.all()
            try #require(messages.count == 5)
            #expect(messages[0] == "READY=1")
            #expect(messages[1] == #"STATUS=a\x0aREADY=0\u{202e}"#)
            #expect(messages[2].wholeMatch(of: /RELOADING=1\nMONOTONIC_USEC=[1-9][0-9]*/) != nil)
            #expect(messages[3] == "WATCHDOG=1")
            #expect(messages[4] == "STOPPING=1")
        }
    }

    @Test func `without a service manager nothing is said and nothing fails`() throws {
        #expect(try notify(nil) == ["nil", "nil", "nil", "nil", "nil", "unset"])
    }

    @Test func `a socket that is not there, or cannot be, fails once`() throws {
        let long = "/" + String(repeating: "x", count: 200)
        for socket in [directory.file("none"), "relative", "@", long, directory.path] {
            let lines = try notify(socket)
            #expect(lines.first?.hasPrefix("sd_notify '") == true)
            #expect(lines.dropFirst() == ["nil", "nil", "nil", "nil", socket[...]])
        }
    }

    @Test(arguments: [
        ("WATCHDOG_USEC=500000", "500000000"), ("WATCHDOG_USEC=1", "1000"),
        ("WATCHDOG_USEC=500000 WATCHDOG_PID=$$", "500000000"),
        ("WATCHDOG_USEC=500000 WATCHDOG_PID=1", "none"), ("WATCHDOG_USEC=0", "none"),
        ("WATCHDOG_USEC=", "none"), ("WATCHDOG_USEC=soon", "none"), ("WATCHDOG_USEC=-1", "none"),
        ("WATCHDOG_USEC=500000 WATCHDOG_PID=x", "none"), ("", "none"),
        ("WATCHDOG_USEC=18446744073709551614", "none"),
        ("WATCHDOG_USEC=9999999999999999999999", "none"),
    ])
    func `the watchdog's period is told only if it is one and ours`(
        variables: String, expected: String
    ) throws {
        #expect(try Child.shell("\(variables) exec $PROBE watchdog").output == expected + "\n")
    }
}
