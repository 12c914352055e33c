import Glibc

/// A datagram socket at a path, or at an abstract name written as `@name`, to play the service
/// manager or the journal.
package final class DatagramReceiver: Sendable {
    private let descriptor: Int32
    package let path: String

    package init(path: String) {
        self.path = path
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        descriptor = socket(AF_UNIX, type, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            unsafe bytes.copyBytes(from: name)
            if name.first == UInt8(ascii: "@") { unsafe bytes[0] = 0 }
        }
        let size = MemoryLayout<sa_family_t>.size + name.count
        let result = unsafe withUnsafePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(size))
            }
        }
        precondition(result == 0, "the place is free")
    }

    deinit {
        close(descriptor)
    }

    /// The next datagram that waits, as text.
    package func next() -> String? {
        var bytes = [UInt8](repeating: 0, count: 1 << 18)
        let count = unsafe recv(descriptor, &bytes, bytes.count, 0)
        return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// All that wait.
    package func all() -> [String] {
        var datagrams: [String] = []
        while let datagram = next() { datagrams.append(datagram) }
        return datagrams
    }
}
