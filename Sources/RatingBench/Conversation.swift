internal import Posix
internal import RatingControl
internal import RatingWire

/// Questions before and after the load, one at a time and waited for.
extension LoadConnection {
    private static let patienceMilliseconds: Int32 = 10_000

    /// Asks ratingd one thing; an error is thrown.
    func ask(_ method: String, _ params: [JSONValue.Member] = []) throws(ControlFailure)
        -> JSONValue
    {
        let request = JSONValue.object([
            .init("id", .integer(0)), .init("method", .string(method)),
            .init("params", .object(params)),
        ])
        try sendAll(Array((request.text() + "\n").utf8))
        let line = try readLine()
        guard let answer = try? JSONValue(parsing: line.span) else { throw peer.stranger }
        if let result = answer["result"] { return result }
        switch peer.judge(line) {
        case .error(let error): throw ControlFailure(error: error)
        case .farewell(let reason): throw peer.closed(reason)
        case .result, .stranger: throw peer.stranger
        }
    }

    /// Says who is there; gives the daemon's name and version.
    func greet() throws(ControlFailure) -> String {
        let answer = try ask("hello", [.init("app", .string(app)), .init("version", .string("1"))])
        guard let server = answer["server"]?.string else { throw peer.stranger }
        return server
    }

    /// How many events of this app the daemon has counted.
    func events() throws(ControlFailure) -> Int {
        guard let events = try ask("status")["events"]?.integer else { throw peer.stranger }
        return Int(events)
    }

    /// Leaves nothing of this app behind.
    func forget() throws(ControlFailure) {
        _ = try ask("forget", [.init("app", .string(app))])
    }

    private func sendAll(_ bytes: [UInt8]) throws(ControlFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            switch unsafe rest.withUnsafeBytes({ unsafe SocketIO.send(socket.raw, $0) }) {
            case .sent(let count): rest = rest.dropFirst(count)
            case .wouldBlock: try wait(writable: true)
            // What it said before tells more.
            case .gone: return
            }
        }
    }

    private func readLine() throws(ControlFailure) -> [UInt8] {
        var line: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while line.last != UInt8(ascii: "\n") {
            switch unsafe chunk.withUnsafeMutableBytes({
                unsafe SocketIO.receive(socket.raw, into: $0)
            }) {
            case .bytes(let count): line += chunk[..<count]
            case .wouldBlock: try wait(writable: false)
            case .endOfFile, .gone: throw peer.closed(nil)
            }
        }
        return line.dropLast()
    }

    private func wait(writable: Bool) throws(ControlFailure) {
        // A failed poll shows in the next call as well.
        let isReady = try? SocketIO.wait(
            socket.raw, writable: writable, timeoutMilliseconds: Self.patienceMilliseconds)
        guard isReady != false else {
            throw ControlFailure(
                .timedOut, "the daemon did not answer within 10 s",
                hint: "See 'ratingctl logs' and what else the machine is doing.")
        }
    }
}
