/// The bytes that wait to be written to one client.
///
/// What a turn adds is held back until the turn is stored (`release`) or undone (`takeBack`):
/// store, then tell.
struct OutputQueue {
    private(set) var bytes: [UInt8] = []
    private var sent = 0
    /// Up to where the bytes are from turns that are stored.
    private var released = 0

    /// How many bytes wait, told or still held back.
    var count: Int { bytes.count - sent }

    /// How many bytes may be written now.
    var readyCount: Int { released - sent }

    /// Makes room for so many bytes at once, instead of a little more again and again; `keepSmall`
    /// takes it back if nothing comes.
    mutating func reserve(_ count: Int) {
        bytes.reserveCapacity(bytes.count + count)
    }

    mutating func append(_ write: (inout [UInt8]) -> Void) {
        write(&bytes)
    }

    mutating func release() {
        released = bytes.count
    }

    mutating func takeBack() {
        bytes.removeLast(bytes.count - released)
    }

    /// Hands out the bytes that may be written; `write` returns how many it took.
    mutating func drain(_ write: (UnsafeRawBufferPointer) -> Int) {
        guard readyCount > 0 else { return }
        let range = sent..<released
        sent += unsafe bytes.withUnsafeBytes {
            unsafe write(UnsafeRawBufferPointer(rebasing: $0[range]))
        }
        if sent == bytes.count {
            keepSmall()
        } else if sent > Self.shiftBytesMin, sent > bytes.count / 2 {
            bytes.removeFirst(sent)
            released -= sent
            sent = 0
        }
    }

    /// Lets go of what was written, and of room that nothing was written into: ten thousand quiet
    /// clients must cost next to nothing.
    ///
    /// A few short answers stay, since to empty an array takes as long as to write one.
    mutating func keepSmall() {
        let isLarge = bytes.capacity > Self.keptBytesMax
        guard count == 0, isLarge || sent >= Self.emptiedBytesMin else { return }
        bytes.removeAll(keepingCapacity: !isLarge)
        sent = 0
        released = 0
    }

    private static let emptiedBytesMin = 256
    private static let keptBytesMax = 1_024
    private static let shiftBytesMin = 65_536
}
