import Posix
import RatingPolicy
import RatingWire

/// One client's descriptor, with what came in and has not been looked at.
final class Connection {
    let client: Client
    /// What epoll and the loop know it by.
    let tag: UInt64
    private let descriptor: Descriptor
    var framer = LineFramer()
    /// What the loop watches the descriptor for.
    var interest: Epoll.Interest
    /// Nothing more can be read.
    var isInputEnded = false
    /// The end of the input has been told to the core.
    var isEndTold = false
    /// It has lines and stands in the backlog.
    var isWaiting = false
    /// It is not watched for lines while it waits.
    var isPutAside = false
    /// The turn in which it was last read from.
    var readIn = 0
    /// There is something to be read, for which the turn had no time.
    var isUnread = false

    init(
        _ descriptor: consuming Descriptor, client: Client, tag: UInt64, interest: Epoll.Interest
    ) {
        self.descriptor = descriptor
        self.client = client
        self.tag = tag
        self.interest = interest
        client.tag = tag
    }

    var raw: Int32 { descriptor.raw }
    var isHungUp: Bool { client.isHungUp }
    /// Something is to be done for it when its turn comes.
    var hasWork: Bool { framer.hasLine || client.isUnfinished || isUnread }

    /// Nothing is left to be done for it, and it is watched for more lines and nothing else.
    var isAtRest: Bool {
        interest == .readable && !isInputEnded && !hasWork && client.isAtRest
    }

    /// Reads once what is there, no more than the buffer holds; returns how many bytes that were.
    ///
    /// A line that comes alone, with nothing to be done before it, is handed to `read` at once.
    func receive(through buffer: inout [UInt8], _ read: (Span<UInt8>) -> Void) -> Int {
        isUnread = false
        let result = unsafe buffer.withUnsafeMutableBytes { unsafe SocketIO.receive(raw, into: $0) }
        switch result {
        case .bytes(let count):
            let bytes = buffer.span.extracting(first: count)
            if client.isUnfinished { framer.append(bytes) } else { framer.take(bytes, read) }
            return count
        case .wouldBlock: break
        case .endOfFile: endInput()
        case .gone:
            endInput()
            client.isHungUp = true
        }
        return 0
    }

    private func endInput() {
        guard !isInputEnded else { return }
        isInputEnded = true
        framer.end()
    }

    /// To be called before it is let go, or the peer may meet an error before its last line.
    func finish(through buffer: inout [UInt8]) {
        guard !isHungUp else { return }
        unsafe buffer.withUnsafeMutableBytes { unsafe SocketIO.finish(raw, through: $0) }
    }

    /// The most bytes that are written at once: more would keep others waiting.
    static let writtenBytesMax = 16_384

    /// Writes what is released, as far as the peer takes it; returns how many bytes that were.
    @discardableResult
    func flush() -> Int {
        guard !isHungUp else {
            unsafe client.output.drain { $0.count }
            return 0
        }
        var isBroken = false
        let before = client.output.count
        unsafe client.output.drain { bytes in
            let part = unsafe UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.writtenBytesMax))
            switch unsafe SocketIO.send(raw, part) {
            case .sent(let count): return count
            case .wouldBlock: return 0
            case .gone:
                isBroken = true
                return bytes.count
            }
        }
        if isBroken { client.isHungUp = true }
        return before - client.output.count
    }
}
