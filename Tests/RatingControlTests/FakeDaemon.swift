import Glibc
import Posix
import RatingWire
import Testing

@testable import RatingControl

/// A daemon for one connection that says what a test wants it to.
final class FakeDaemon {
    enum Reaction: Sendable {
        case say([String])
        case close([String])
    }

    let path: String
    private let directory: String
    private let worker: Worker

    /// What `stats` is answered with.
    static let stats = #"{"server":"ratingd/0.1.0"}"#

    /// `react` gets each request; `stats` is answered with `stats` before it is asked.
    init(
        stats: String = FakeDaemon.stats,
        _ react: @escaping @Sendable (_ method: String, _ request: JSONValue) -> Reaction
    ) throws {
        var template = Array("/tmp/ratingctl-test-XXXXXX".utf8CString)
        let made = unsafe mkdtemp(&template) != nil
        try #require(made)
        directory = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        path = directory + "/s"
        worker = Worker()
        let path = self.path
        let ready = try EventDescriptor()
        let isTaken = worker.submit {
            guard
                let listener = try? ListeningSocket.bind(path: path, mode: 0o600, isLocked: false)
            else { return ready.signal() }
            ready.signal()
            serve(listener, stats: stats, react)
        }
        try #require(isTaken)
        _ = try SocketIO.wait(ready.raw, timeoutMilliseconds: 5_000)
    }

    deinit {
        worker.stop()
        _ = unsafe unlink(path)
        _ = unsafe rmdir(directory)
    }

    /// The answer to a request.
    static func result(_ request: JSONValue, _ result: String) -> String {
        let id = request["id"]?.text() ?? "null"
        return #"{"jsonrpc":"2.0","id":\#(id),"result":\#(result)}"#
    }

    static func error(_ request: JSONValue, _ reason: String, data: String = "") -> String {
        let id = request["id"]?.text() ?? "null"
        return #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":-1,"message":"it is \#(reason)","#
            + #""data":{"reason":"\#(reason)"\#(data)}}}"#
    }
}

private func serve(
    _ listener: borrowing ListeningSocket, stats: String,
    _ react: @Sendable (String, JSONValue) -> FakeDaemon.Reaction
) {
    guard (try? SocketIO.wait(listener.raw, timeoutMilliseconds: 5_000)) == true,
        case .accepted(let client) = listener.accept()
    else { return }
    var framer = LineFramer()
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while (try? SocketIO.wait(client.raw, timeoutMilliseconds: 5_000)) == true {
        let result = unsafe chunk.withUnsafeMutableBytes {
            unsafe SocketIO.receive(client.raw, into: $0)
        }
        guard case .bytes(let count) = result else { return }
        framer.append(chunk.span.extracting(..<count))
        var request: JSONValue?
        while case .line = framer.next({ request = try? JSONValue(parsing: $0) }) {
            guard let request else { return }
            let method = request["method"]?.string ?? ""
            let reaction =
                method == "stats" && !stats.isEmpty
                ? .say([FakeDaemon.result(request, stats)]) : react(method, request)
            let (lines, ends): ([String], Bool) =
                switch reaction {
                case .say(let lines): (lines, false)
                case .close(let lines): (lines, true)
                }
            let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
            _ = unsafe bytes.withUnsafeBytes { unsafe SocketIO.send(client.raw, $0) }
            if ends { return }
        }
    }
}

/// What a command came to.
struct CommandOutcome: Equatable {
    var code: ExitCode
    var lines: [String] = []
    var failure: ControlFailure?
}

/// Runs a command line against the socket at a path.
func run(_ arguments: [String], at path: String) throws -> CommandOutcome {
    let command = try ArgumentParser.parse(["--socket=" + path] + arguments)
    guard case .run(let invocation) = command else { return CommandOutcome(code: .internalError) }
    var ends: [Int32] = [0, 0]
    let made = unsafe pipe(&ends) == 0
    try #require(made)
    let reader = Descriptor(owning: ends[0])
    let writer = ends[1]
    var outcome = CommandOutcome(code: .done)
    do {
        outcome.code = try Run(invocation: invocation, output: Output(fd: writer)).run()
    } catch {
        outcome.code = error.code
        outcome.failure = error
    }
    _ = close(writer)
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe bytes.withUnsafeMutableBytes {
        unsafe read(reader.raw, $0.baseAddress, $0.count)
    }
    let text = String(decoding: bytes[..<max(0, count)], as: UTF8.self)
    outcome.lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(
        String.init)
    return outcome
}
