internal import Glibc
internal import Posix
internal import RatingControl
internal import RatingWire

/// Questions before and after the load: each is asked on all connections, then all answers are
/// waited for, so that the daemon can take many of them in one turn.
struct Conversation {
    let connections: [LoadConnection]
    /// How long each answer may take.
    let patienceSeconds: Double

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
        try sendAll("ping") { _ in [] }
        for connection in connections { _ = try connection.answer(within: patience) }
    }

    /// Leaves nothing of the apps behind.
    func forget() throws(ControlFailure) {
        _ = try ask("forget") { [.init("app", .string($0.app))] }
    }

    private var peer: Peer { connections[0].peer }
    private var patience: Patience { Patience(seconds: patienceSeconds) }

    private func sendAll(
        _ method: String, _ params: (LoadConnection) -> [JSONValue.Member]
    ) throws(ControlFailure) {
        for connection in connections {
            try connection.send(method, params(connection), within: patience)
        }
    }

    /// The results on all connections; an error is thrown.
    private func ask(
        _ method: String, _ params: (LoadConnection) -> [JSONValue.Member] = { _ in [] }
    ) throws(ControlFailure) -> [JSONValue] {
        try sendAll(method, params)
        var results: [JSONValue] = []
        for connection in connections {
            results.append(try result(connection, method, params(connection)))
        }
        return results
    }

    /// The result of a question that was sent; asks again if it was too much for now, as after a
    /// flood that the daemon wants to rest from.
    private func result(
        _ connection: LoadConnection, _ method: String, _ params: [JSONValue.Member]
    ) throws(ControlFailure) -> JSONValue {
        let patience = patience
        while true {
            let answer = try connection.answer(within: patience)
            if let result = answer["result"] { return result }
            guard let error = answer["error"] else { throw peer.stranger }
            guard let pause = error["data"]?["retry_after_ms"]?.integer,
                pause <= patience.millisecondsLeft
            else { throw peer.refusal(error) }
            // There is nothing to wait for but time.
            _ = poll(nil, 0, Int32(clamping: pause))
            try connection.send(method, params, within: patience)
        }
    }
}

/// One question and one answer at a time.
extension LoadConnection {
    func send(
        _ method: String, _ params: [JSONValue.Member], within patience: Patience
    ) throws(ControlFailure) {
        let request = JSONValue.object([
            .init("id", .integer(0)), .init("method", .string(method)),
            .init("params", .object(params)),
        ])
        try sendAll(Array((request.text() + "\n").utf8), patience)
    }

    func answer(within patience: Patience) throws(ControlFailure) -> JSONValue {
        let line = try readLine(patience)
        if case .farewell(let reason) = peer.judge(line) { throw peer.closed(reason) }
        guard let answer = try? JSONValue(parsing: line.span) else { throw peer.stranger }
        return answer
    }

    private func sendAll(_ bytes: [UInt8], _ patience: Patience) throws(ControlFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            switch unsafe rest.withUnsafeBytes({ unsafe SocketIO.send(socket.raw, $0) }) {
            case .sent(let count): rest = rest.dropFirst(count)
            case .wouldBlock: try wait(patience, writable: true)
            // What it said before tells more.
            case .gone: return
            }
        }
    }

    private func readLine(_ patience: Patience) throws(ControlFailure) -> [UInt8] {
        var line: [UInt8] = []
        var byte: [UInt8] = [0]
        while byte != [UInt8(ascii: "\n")] {
            let result = unsafe byte.withUnsafeMutableBytes {
                unsafe SocketIO.receive(socket.raw, into: $0)
            }
            switch result {
            case .bytes where line.count < Self.lineBytesMax: line += byte
            case .bytes: throw peer.stranger
            case .wouldBlock: try wait(patience, writable: false)
            case .endOfFile, .gone: throw peer.closed(nil)
            }
        }
        return line.dropLast()
    }

    private func wait(_ patience: Patience, writable: Bool) throws(ControlFailure) {
        let left = Int32(clamping: patience.millisecondsLeft)
        guard left > 0 else { throw peer.silence(patience.seconds, of: app) }
        // A failed poll shows in the next call as well.
        _ = try? SocketIO.wait(socket.raw, writable: writable, timeoutMilliseconds: left)
    }
}
