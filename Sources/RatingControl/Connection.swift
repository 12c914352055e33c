internal import Glibc
internal import Posix

/// The time until which an answer is waited for, on CLOCK_MONOTONIC.
struct Patience: Sendable {
    /// Nil: for ever.
    private let end: Int64?
    /// Nil: for ever.
    let milliseconds: Int64?

    init(milliseconds: Int64?) {
        self.milliseconds = milliseconds
        end = milliseconds.map { Clock.now().monotonicNanoseconds + $0 * 1_000_000 }
    }

    /// What is left in milliseconds as poll(2) wants it, rounded up; -1: no end.
    var left: Int32 {
        guard let end else { return -1 }
        let nanoseconds = end - Clock.now().monotonicNanoseconds
        return Int32(clamping: max(0, (nanoseconds + 999_999) / 1_000_000))
    }

    var isOver: Bool { left == 0 }

    var failure: ControlFailure {
        let span = milliseconds.map { " within \(spanText($0))" } ?? ""
        return ControlFailure(
            .timedOut, "the daemon did not answer\(span)",
            hint: "Wait longer with --timeout, or see 'ratingctl logs'.")
    }
}

/// A connection to the daemon: lines out, lines in.
struct Connection: ~Copyable {
    /// What can happen while one waits.
    enum Event: Equatable {
        /// A line of the daemon without its end.
        case line([UInt8])
        /// The daemon says no more.
        case closed
        case timedOut
        /// The other descriptor that is watched can be read.
        case input
        /// Nobody reads our output any more.
        case outputGone
    }

    /// What to watch besides the socket.
    struct Others {
        /// Becomes readable: `.input`.
        var input: Int32?
        /// A pipe whose reader goes away: `.outputGone`.
        var output: Int32?
    }

    /// The longest line that is taken from whoever is at the other end.
    private static let lineBytesMax = 64 << 20

    private let socket: Descriptor
    private var buffer: [UInt8] = []
    /// Where the next line starts in `buffer`.
    private var start = 0
    /// Up to where there is no end of that line.
    private var searched = 0
    private var isAtEnd = false

    /// Connects, waiting while the daemon's queue is full.
    init(to address: Address, _ patience: Patience) throws(ControlFailure) {
        while true {
            do {
                socket = try SocketIO.connect(path: address.path, nonblocking: true)
                return
            } catch {
                guard error.code == EAGAIN else {
                    throw ControlFailure(connecting: address, error, others: address.others())
                }
                if patience.isOver { throw patience.failure }
                // There is nothing to wait for but time.
                _ = poll(nil, 0, 10)
            }
        }
    }

    /// Sends lines, each without its end. Nothing is read meanwhile, so the lines must fit what
    /// the daemon takes from a client that does not read: a hundred requests do.
    func send(_ lines: [String], _ patience: Patience) throws(ControlFailure) {
        var bytes: [UInt8] = []
        for line in lines { bytes += Array(line.utf8) + [UInt8(ascii: "\n")] }
        var rest = bytes[...]
        while !rest.isEmpty {
            switch unsafe rest.withUnsafeBytes({ unsafe SocketIO.send(socket.raw, $0) }) {
            case .sent(let count):
                rest = rest.dropFirst(count)
            case .wouldBlock:
                var watched = pollfd(fd: socket.raw, events: Int16(POLLOUT), revents: 0)
                let count = unsafe poll(&watched, 1, patience.left)
                if count == 0 { throw patience.failure }
            case .gone:
                // What the daemon said before it closed tells more than this.
                return
            }
        }
    }

    /// Waits for what happens next.
    mutating func next(_ patience: Patience, _ others: Others = Others()) -> Event {
        while true {
            if let line = takeLine() { return .line(line) }
            if isAtEnd { return .closed }
            // A negative descriptor is not looked at.
            var watched = [
                pollfd(fd: socket.raw, events: Int16(POLLIN), revents: 0),
                pollfd(fd: others.input ?? -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: others.output ?? -1, events: 0, revents: 0),
            ]
            let count = unsafe poll(&watched, 3, patience.left)
            if count == 0 { return .timedOut }
            if count < 0 { continue }
            if watched[0].revents != 0 {
                receive()
            } else {
                if watched[1].revents != 0 { return .input }
                if watched[2].revents != 0 { return .outputGone }
            }
        }
    }

    private mutating func takeLine() -> [UInt8]? {
        guard let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            buffer.removeSubrange(..<start)
            start = 0
            searched = buffer.count
            return nil
        }
        let line = Array(buffer[start..<end])
        start = end + 1
        searched = start
        return line
    }

    private mutating func receive() {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        switch unsafe chunk.withUnsafeMutableBytes({
            unsafe SocketIO.receive(socket.raw, into: $0)
        }) {
        case .bytes(let count):
            buffer += chunk[..<count]
            isAtEnd = buffer.count > Self.lineBytesMax
        case .wouldBlock:
            return
        case .endOfFile, .gone:
            isAtEnd = true
        }
    }
}
