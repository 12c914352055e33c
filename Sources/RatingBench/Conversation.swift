internal import Glibc
internal import Posix
internal import RatingControl
internal import RatingWire

/// Questions before and after the load: each is asked on all connections, then all answers are
/// waited for, so that the daemon can take many of them in one turn.
struct Conversation {
    let connections: [LoadConnection]

    /// How often a question is asked again after a flood that the daemon wants to rest from.
    private static let triesMax = 100

    /// Says who is there; gives the daemon's name and version.
    func greet() throws(ControlFailure) -> String {
        let answers = try ask("hello") { connection in
            [.init("app", .string(connection.app)), .init("version", .string("1"))]
        }
        guard let server = answers.last?["server"]?.string else { throw peer.stranger }
        return server
    }

    /// How many events the daemon has counted for all apps together.
    func events() throws(ControlFailure) -> Int {
        var events = 0
        for answer in try ask("status") {
            guard let count = answer["events"]?.integer else { throw peer.stranger }
            events += Int(count)
        }
        return events
    }

    /// Waits until all that was sent is carried out, as any answer to what comes after it says.
    func settle() throws(ControlFailure) {
        for connection in connections { try connection.send("ping") }
        for connection in connections { _ = try connection.answer() }
    }

    /// Leaves nothing of the apps behind.
    func forget() throws(ControlFailure) {
        _ = try ask("forget") { [.init("app", .string($0.app))] }
    }

    private var peer: Peer { connections[0].peer }

    /// The results on all connections; an error is thrown.
    private func ask(
        _ method: String, _ params: (LoadConnection) -> [JSONValue.Member] = { _ in [] }
    ) throws(ControlFailure) -> [JSONValue] {
        for connection in connections { try connection.send(method, params(connection)) }
        var results: [JSONValue] = []
        for connection in connections {
            results.append(try result(connection, method, params(connection)))
        }
        return results
    }

    /// The result of a question that was sent; asks again if it was too much for now.
    private func result(
        _ connection: LoadConnection, _ method: String, _ params: [JSONValue.Member]
    ) throws(ControlFailure) -> JSONValue {
        for _ in 0..<Self.triesMax {
            let answer = try connection.answer()
            if let result = answer["result"] { return result }
            guard let error = answer["error"] else { throw peer.stranger }
            guard let pause = error["data"]?["retry_after_ms"]?.integer else {
                throw peer.refusal(error)
            }
            // There is nothing to wait for but time.
            _ = poll(nil, 0, Int32(clamping: pause))
            try connection.send(method, params)
        }
        throw peer.silence
    }
}

/// One question and one answer at a time.
extension LoadConnection {
    private static let patienceMilliseconds: Int32 = 10_000

    func send(_ method: String, _ params: [JSONValue.Member] = []) throws(ControlFailure) {
        let request = JSONValue.object([
            .init("id", .integer(0)), .init("method", .string(method)),
            .init("params", .object(params)),
        ])
        try sendAll(Array((request.text() + "\n").utf8))
    }

    func answer() throws(ControlFailure) -> JSONValue {
        let line = try readLine()
        if case .farewell(let reason) = peer.judge(line) { throw peer.closed(reason) }
        guard let answer = try? JSONValue(parsing: line.span) else { throw peer.stranger }
        return answer
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
        var byte: [UInt8] = [0]
        while byte != [UInt8(ascii: "\n")] {
            let result = unsafe byte.withUnsafeMutableBytes {
                unsafe SocketIO.receive(socket.raw, into: $0)
            }
            switch result {
            case .bytes: line += byte
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
        guard isReady != false else { throw peer.silence }
    }
}
