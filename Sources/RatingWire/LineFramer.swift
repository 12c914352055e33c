import RatingPolicy

/// What a framer found next.
package enum Framed: Sendable {
    case line
    /// A line is longer than allowed; told once, as soon as it is known.
    case tooLong
}

/// Cuts the bytes of one connection into lines (SPEC 1).
///
/// LF ends a line, one CR before it is dropped, lines of no bytes are skipped. Each byte is looked
/// at once and moved at most a few times, whatever sizes the bytes come in. When no bytes wait,
/// next to no memory is held.
package struct LineFramer: Sendable {
    /// The longest line with its LF.
    package static let lineBytesMax = Limits.lineBytesMax

    private var buffer: [UInt8] = []
    /// Where the line to be handed out next starts.
    private var start = 0
    private var state = State.open { didSet { hasLine = state.isTold } }
    /// True if `next` has something to tell; kept, since it is asked often.
    package private(set) var hasLine = false
    private var isEnded = false

    private enum State {
        /// No end of line in sight.
        case open
        /// A line ends here, its LF is at this index (or the bytes end here).
        case line(end: Int)
        /// The line at `start` is too long, which has not been told yet.
        case tooLong
        /// The rest of a line that was too long is being dropped.
        case skipping

        var isTold: Bool {
            switch self {
            case .line, .tooLong: true
            case .open, .skipping: false
            }
        }
    }

    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    package init() {}

    /// The number of bytes that wait here.
    package var bufferedBytes: Int { buffer.count - start }

    /// The memory held, in bytes.
    var capacity: Int { buffer.capacity }

    /// Takes what was read. Call `next` until it has nothing more before the next bytes are read,
    /// or what waits here grows.
    package mutating func append(_ bytes: Span<UInt8>) {
        precondition(!isEnded, "no bytes come after the end")
        switch state {
        case .skipping:
            guard let end = bytes.firstIndex(of: Self.lineFeed, from: 0) else { return }
            state = .open
            store(bytes.extracting((end + 1)...))
        case .open, .line, .tooLong:
            store(bytes)
        }
    }

    /// Takes what was read, but for one whole line while nothing waits here: it is handed to the
    /// closure as it stands, without its end, instead of being copied for `next`.
    package mutating func take(_ bytes: Span<UInt8>, _ read: (Span<UInt8>) -> Void) {
        if let end = endOfOnlyLine(in: bytes) {
            read(bytes.extracting(..<end))
        } else {
            append(bytes)
        }
    }

    /// Where the line ends if the bytes are one and nothing waits here.
    private func endOfOnlyLine(in bytes: Span<UInt8>) -> Int? {
        guard case .open = state, start == buffer.count, bytes.count > 1,
            bytes.count <= Self.lineBytesMax,
            bytes.firstIndex(of: Self.lineFeed, from: 0) == bytes.count - 1
        else { return nil }
        let end = bytes.count - 1
        guard bytes[end - 1] == Self.carriageReturn else { return end }
        // One of no bytes is none.
        return end > 1 ? end - 1 : nil
    }

    /// Says that no more bytes come: those after the last LF are a line.
    package mutating func end() {
        isEnded = true
        if case .open = state { look(from: buffer.count) }
    }

    /// Hands the next line, without its end, to the closure; nil if there is none yet.
    package mutating func next(_ read: (Span<UInt8>) -> Void) -> Framed? {
        switch state {
        case .open, .skipping:
            return nil
        case .tooLong:
            skip()
            return .tooLong
        case .line(let end):
            read(buffer.span.extracting(start..<contentEnd(end)))
            consume(to: end + 1)
            return .line
        }
    }

    private mutating func store(_ bytes: Span<UInt8>) {
        if start > buffer.count / 2 {
            // Fewer bytes move than were consumed, so each moves once on average.
            buffer.removeSubrange(..<start)
            moveStart(to: 0)
        }
        let known = buffer.count
        buffer.append(copying: bytes)
        if case .open = state { look(from: known) }
    }

    private mutating func moveStart(to new: Int) {
        if case .line(let end) = state { state = .line(end: end - start + new) }
        start = new
    }

    /// Looks for the end of the line at `start`; before `known` there is none.
    private mutating func look(from known: Int) {
        state = found(from: known)
        if case .open = state, isEnded || start == buffer.count { release() }
    }

    private mutating func found(from known: Int) -> State {
        var known = known
        while let end = buffer.span.firstIndex(of: Self.lineFeed, from: known) {
            guard end - start < Self.lineBytesMax else { return .tooLong }
            guard contentEnd(end) == start else { return .line(end: end) }
            start = end + 1
            known = start
        }
        guard buffer.count - start < Self.lineBytesMax else { return .tooLong }
        let isLine = isEnded && contentEnd(buffer.count) > start
        return isLine ? .line(end: buffer.count) : .open
    }

    /// Where a line's own bytes end if its LF is here.
    private func contentEnd(_ end: Int) -> Int {
        end > start && buffer[end - 1] == Self.carriageReturn ? end - 1 : end
    }

    private mutating func consume(to index: Int) {
        start = min(index, buffer.count)
        look(from: start)
    }

    /// Drops the line that is too long, as far as it has come.
    private mutating func skip() {
        if let end = buffer.span.firstIndex(of: Self.lineFeed, from: start) {
            consume(to: end + 1)
        } else {
            state = .skipping
            release()
        }
    }

    private mutating func release() {
        buffer.removeAll(keepingCapacity: buffer.capacity <= Self.keptBytesMax)
        start = 0
    }

    /// Enough for the line of a client that says one at a time, and not much for ten thousand.
    static let keptBytesMax = 256
}
