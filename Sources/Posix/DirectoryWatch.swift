import CLinux
import Glibc

/// Tells of names that appear in directories and go from them. See inotify(7).
package struct DirectoryWatch: ~Copyable {
    package enum Change: Equatable, Sendable {
        /// A name was made in a watched directory, or moved into it.
        case appeared(String, watch: Int32)
        /// A name was taken away, or moved elsewhere.
        case disappeared(String, watch: Int32)
        /// The watched directory itself was taken away or moved; its watch may be over.
        case directoryGone(watch: Int32)
        /// More happened than was kept: look at all watched directories again.
        case overflowed
    }

    private static let appearing = UInt32(IN_CREATE | IN_MOVED_TO)
    private static let disappearing = UInt32(IN_DELETE | IN_MOVED_FROM)
    private static let going = UInt32(IN_DELETE_SELF | IN_MOVE_SELF)

    private let descriptor: Descriptor

    /// What to watch: readable when something changed.
    package var raw: Int32 { descriptor.raw }

    package init() throws(PosixError) {
        let flags = Int32(IN_NONBLOCK | IN_CLOEXEC)
        descriptor = Descriptor(owning: try check("inotify_init1") { inotify_init1(flags) })
    }

    /// Watches one more directory, not what is below; returns the number that its changes carry.
    ///
    /// A directory that is watched already gives the same number. ENOSPC: the user's limit of
    /// watches is reached.
    package borrowing func watch(_ path: String) throws(PosixError) -> Int32 {
        let raw = descriptor.raw
        let mask = Self.appearing | Self.disappearing | Self.going | UInt32(IN_ONLYDIR)
        return try unsafe checkPath("inotify_add_watch", path) {
            unsafe inotify_add_watch(raw, $0, mask)
        }
    }

    /// Watches a directory no more; fine if its watch is over already.
    package borrowing func unwatch(_ watch: Int32) {
        _ = inotify_rm_watch(descriptor.raw, watch)
    }

    /// Hands over what changed, in order, and makes the descriptor unreadable.
    ///
    /// One read's worth (some hundred changes); more leaves it readable, so the loop comes back.
    package borrowing func drain(_ body: (Change) -> Void) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count = unsafe read(descriptor.raw, &buffer, buffer.count)
        let headerBytes = MemoryLayout<InotifyHeader>.size
        var start = 0
        while start + headerBytes <= count {
            let header = unsafe buffer.withUnsafeBytes {
                unsafe $0.loadUnaligned(fromByteOffset: start, as: InotifyHeader.self)
            }
            let name = buffer[(start + headerBytes)...].prefix(Int(header.length))
            let text = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
            if let change = change(header, text) { body(change) }
            start += headerBytes + Int(header.length)
        }
    }

    private borrowing func change(_ header: InotifyHeader, _ name: String) -> Change? {
        let watch = header.watch
        if header.mask & UInt32(IN_Q_OVERFLOW) != 0 { return .overflowed }
        if header.mask & Self.going != 0 { return .directoryGone(watch: watch) }
        if header.mask & Self.appearing != 0 { return .appeared(name, watch: watch) }
        if header.mask & Self.disappearing != 0 { return .disappeared(name, watch: watch) }
        return nil
    }
}

/// `struct inotify_event` without its name, whose length is only known when it is read.
private struct InotifyHeader {
    var watch: Int32
    var mask: UInt32
    var cookie: UInt32
    var length: UInt32
}
