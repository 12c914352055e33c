internal import Glibc
internal import Posix
internal import RatingControl
internal import RatingWire

/// Questions before and after the load, one at a time and waited for.
extension LoadConnection {
    private static let patienceMilliseconds: Int32 = 10_000
    /// How often a question is asked again after a flood that the daemon wants to rest from.
    private static let triesMax = 100

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

    /// Waits until all that was sent is carried out, as any answer to what comes after it says.
    func settle() throws(ControlFailure) {
        _ = try answer("ping", [])
    }

    /// Leaves nothing of this app behind.
    func forget() throws(ControlFailure) {
        _ = try ask("forget", [.init("app", .string(app))])
    }

    /// Asks ratingd one thing, again if it was too much; another error is thrown.
    private func ask(
        _ method: String, _ params: [JSONValue.Member] = []
    ) throws(ControlFailure) -> JSONValue {
        for _ in 0..<Self.triesMax {
            let answer = try answer(method, params)
            if let result = answer["result"] { return result }
            guard let error = answer["error"] else { throw peer.stranger }
            guard let pause = error["data"]?["retry_after_ms"]?.integer else {
                throw peer.refusal(error)
            }
            // There is nothing to wait for but time.
            _ = poll(nil, 0, Int32(clamping: pause))
        }
        throw peer.silence
    }

    private func answer(
        _ method: String, _ params: [JSONValue.Member]
    ) throws(ControlFailure) -> JSONValue {
        let request = JSONValue.object([
            .init("id", .integer(0)), .init("method", .string(method)),
            .init("params", .object(params)),
        ])
        try sendAll(Array((request.text() + "\n").utf8))
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
