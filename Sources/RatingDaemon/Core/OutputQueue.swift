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

    /// Makes room for so many bytes at once, instead of a little more again and again.
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
            // Kept small: ten thousand quiet clients must cost next to nothing.
            bytes.removeAll(keepingCapacity: bytes.capacity <= Self.keptBytesMax)
            sent = 0
            released = 0
        } else if sent > Self.shiftBytesMin, sent > bytes.count / 2 {
            bytes.removeFirst(sent)
            released -= sent
            sent = 0
        }
    }

    private static let keptBytesMax = 1_024
    private static let shiftBytesMin = 65_536
}
