internal import Glibc
internal import Posix

/// `logs`: hands over to journalctl with the selection that fits the daemon.
struct Logs {
    enum Unit: Equatable {
        case user
        case system
    }

    private let invocation: Invocation

    init(_ invocation: Invocation) {
        self.invocation = invocation
    }

    /// Becomes journalctl; comes back only as a failure.
    func show() throws(ControlFailure) -> Never {
        let arguments = self.arguments(selection: try selection())
        let code = run(["journalctl"] + arguments)
        let reason = unsafe String(cString: strerror(code))
        throw ControlFailure(
            .noDaemon, "journalctl cannot be started: \(reason)",
            hint: "Without systemd the daemon logs to its standard error.")
    }

    /// What follows `journalctl`.
    func arguments(selection: [String]) -> [String] {
        var arguments = selection
        if invocation.has(.follow) { arguments.append("--follow") }
        if let lines = invocation.options[.limit] { arguments.append("--lines=\(lines)") }
        if let since = invocation.options[.since] { arguments.append("--since=\(since)") }
        if !invocation.usesPager { arguments.append("--no-pager") }
        if case .json(let style) = invocation.format {
            arguments.append("--output=" + (style == .pretty ? "json-pretty" : "json"))
        }
        arguments += invocation.rest
        if let app = invocation.word(0) { arguments.append("RATINGD_APP=\(app)") }
        return arguments
    }

    private func selection() throws(ControlFailure) -> [String] {
        switch try unit() {
        case .system: return Self.systemUnit
        case .user: return Self.userUnit(hasOwnJournal: hasOwnJournal)
        case nil:
            Messages.print(
                "a socket does not tell its service, so these are the entries of every ratingd; "
                    + "one that was started by hand writes to its standard error")
            return Self.anyDaemon
        }
    }

    /// The service that is meant; nil: one that listens where neither of them does.
    func unit() throws(ControlFailure) -> Unit? {
        switch invocation.target {
        case .system: return .system
        case .user: return .user
        case .socket, .unsaid: break
        }
        let address = try Address.find(invocation.target)
        let systemPath = SocketPath.system.string
        if address.kind == .user {
            // What cannot be looked at counts as not there.
            let isSystemOnly =
                (try? Files.status(address.path)) == nil && (try? Files.status(systemPath)) != nil
            return isSystemOnly ? .system : .user
        }
        if address.path == systemPath { return .system }
        // Without a path of the user's own it is not that one.
        return address.path == (try? SocketPath.user())?.string ? .user : nil
    }

    /// A daemon that was started by hand belongs to no unit.
    static let anyDaemon = ["--identifier=ratingd"]
    static let systemUnit = ["--unit=ratingd.service"]

    /// Where the journal is not split by user, `--user` finds no file at all.
    static func userUnit(hasOwnJournal: Bool) -> [String] {
        hasOwnJournal ? ["--user", "--unit=ratingd.service"] : ["--user-unit=ratingd.service"]
    }

    private var hasOwnJournal: Bool {
        guard let bytes = try? Files.readFile("/etc/machine-id", maxBytes: 64) else { return false }
        let machine = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        return ["/var/log/journal", "/run/log/journal"].contains { directory in
            let path = "\(directory)/\(machine)/user-\(OwnProcess.effectiveUserID).journal"
            return (try? Files.status(path)) != nil
        }
    }

    /// execvp(3); the error number if it comes back.
    private func run(_ arguments: [String]) -> Int32 {
        var pointers = unsafe arguments.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        unsafe execvp(arguments[0], pointers)
        return errno
    }
}
