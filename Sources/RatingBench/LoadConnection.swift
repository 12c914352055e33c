internal import Posix
internal import RatingControl

/// One connection of the load: keeps its requests under way and notes how long each takes.
///
/// A request's time runs from when it may be sent, also while the socket takes no more.
final class LoadConnection {
    /// The longest line that is taken for an answer; those of ratingd to what is asked are shorter.
    static let lineBytesMax = 1 << 20

    let socket: Descriptor
    let app: String
    let peer: Peer
    private let script: Script
    private let pipeline: Int
    /// The next request to let go, and the next byte to send; both in the doubled script.
    private var next = 0
    private var from = 0
    /// When each request under way was let go, in a ring that starts at `oldest`.
    private var times: [Int64]
    private var oldest = 0
    /// How many answers are still to come.
    private(set) var underWay = 0
    /// When the server last answered or took something, or, if it had nothing to do, was given it.
    private(set) var progressAt: Int64 = 0
    /// The beginning of a line whose end has not come yet.
    private var partial: [UInt8] = []

    init(_ socket: consuming Descriptor, app: String, _ peer: Peer, _ script: Script, pipeline: Int)
    {
        self.socket = socket
        self.app = app
        self.peer = peer
        self.script = script
        self.pipeline = pipeline
        times = [Int64](repeating: 0, count: pipeline)
    }

    /// Whether all that was let go was sent and answered.
    var isDone: Bool { isSent && underWay == 0 }
    var isSent: Bool { from == script.offsets[next] }
    /// Whether it could go on if the socket took more.
    var canSend: Bool { !isSent || (script.hasNotifications && underWay < pipeline) }

    /// Lets go as many requests as may be under way.
    func letGo(at now: Int64, _ tally: inout Tally) {
        if isDone { progressAt = now }
        while next < 2 * script.count {
            let load = script.loads[next < script.count ? next : next - script.count]
            if load.isAnswered {
                guard underWay < pipeline else { return }
                let place = oldest + underWay
                times[place < pipeline ? place : place - pipeline] = now
                underWay += 1
            }
            tally.letGo(load)
            next += 1
        }
    }

    /// Sends what was let go, as far as the socket takes it.
    func send(at now: Int64) {
        guard !isSent else { return }
        let end = script.offsets[next]
        let result = unsafe script.bytes.withUnsafeBytes {
            unsafe SocketIO.send(socket.raw, UnsafeRawBufferPointer(rebasing: $0[from..<end]))
        }
        // Of a peer that is gone the next read tells, with what it said before.
        guard case .sent(let count) = result, count > 0 else { return }
        from += count
        progressAt = now
        while from >= script.roundBytes {
            from -= script.roundBytes
            next -= script.count
        }
    }

    /// Reads what is there through the buffer; gives the time at which it came.
    func receive(
        _ buffer: UnsafeMutableRawBufferPointer, _ tally: inout Tally
    ) throws(ControlFailure) -> Int64 {
        let result = unsafe SocketIO.receive(socket.raw, into: buffer)
        let now = Clock.monotonicNanoseconds()
        switch result {
        case .wouldBlock: break
        case .endOfFile, .gone: throw peer.closed(nil)
        case .bytes(let count):
            let wanted = underWay
            unsafe try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: now, &tally)
            if underWay < wanted { progressAt = now }
        }
        return now
    }

    private func take(
        _ bytes: UnsafeRawBufferPointer, at now: Int64, _ tally: inout Tally
    ) throws(ControlFailure) {
        var start = 0
        while let end = unsafe lineEnd(bytes, from: start) {
            let line = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<end])
            start = end + 1
            if !partial.isEmpty {
                unsafe partial += line
                try judge(partial, at: now, &tally)
                partial.removeAll(keepingCapacity: true)
            } else if unsafe peer.isResult(line) {
                tally.answered(after: now - finishOldest())
            } else {
                try judge(unsafe Array(line), at: now, &tally)
            }
        }
        unsafe partial += bytes[start...]
        guard partial.count <= Self.lineBytesMax else { throw peer.stranger }
    }

    /// Looks at a line that is not plainly a result.
    private func judge(
        _ line: [UInt8], at now: Int64, _ tally: inout Tally
    ) throws(ControlFailure) {
        switch peer.judge(line) {
        case .farewell(let reason): throw peer.closed(reason)
        case .result where underWay > 0: tally.answered(after: now - finishOldest())
        case .error(let error) where underWay > 0:
            _ = finishOldest()
            tally.failed(error)
        case .result, .error, .stranger: throw peer.stranger
        }
    }

    /// Takes the request that was let go first off the ring; gives the time of that.
    @inline(__always)
    private func finishOldest() -> Int64 {
        let time = times[oldest]
        oldest = oldest + 1 == pipeline ? 0 : oldest + 1
        underWay -= 1
        return time
    }
}
