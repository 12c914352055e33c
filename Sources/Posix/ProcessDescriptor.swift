import CLinux
import Glibc

/// A process that stays the same one, also when its number is given to another. See pidfd_open(2).
package struct ProcessDescriptor: ~Copyable {
    private let descriptor: Descriptor

    /// The process that connected a socket, or made the pair. See unix(7), SO_PEERPIDFD.
    ///
    /// ENOPROTOOPT: the kernel has no such option (before 6.5). EINVAL or ESRCH: the process is
    /// gone; EINVAL also where the option is not known, `kernelTellsPeers` tells the two apart.
    package static func peer(of socket: Int32) throws(PosixError) -> ProcessDescriptor {
        ProcessDescriptor(
            descriptor: Descriptor(
                owning: try check("getsockopt", "SO_PEERPIDFD") { clinux_peer_process(socket) }))
    }

    /// The process that has this number now; ESRCH if there is none. See pidfd_open(2).
    package static func open(number: Int32) throws(PosixError) -> ProcessDescriptor {
        ProcessDescriptor(
            descriptor: Descriptor(
                owning: try check("pidfd_open", "\(number)") { clinux_open_process(number) }))
    }

    /// Whether `peer(of:)` works here, tried on a connection of our own.
    package static func kernelTellsPeers() throws(PosixError) -> Bool {
        var ends: (Int32, Int32) = (-1, -1)
        try check("socketpair") { unsafe clinux_connected_pair(&ends.0, &ends.1) }
        let one = Descriptor(owning: ends.0)
        let other = Descriptor(owning: ends.1)
        defer { withExtendedLifetime(other) {} }
        do {
            _ = try peer(of: one.raw)
            return true
        } catch {
            switch error.code {
            case ENOPROTOOPT, EINVAL: return false
            default: throw error
            }
        }
    }

    /// The process's number in /proc as it is mounted here; -1 once it is gone, 0 if it has none
    /// here (another pid namespace).
    package func number() throws(PosixError) -> Int32 {
        let path = "/proc/self/fdinfo/\(descriptor.raw)"
        let content = try Files.readFile(path, maxBytes: 4096)
        for line in content.split(separator: UInt8(ascii: "\n")) where line.starts(with: Self.key) {
            let text = String(decoding: line.dropFirst(Self.key.count), as: UTF8.self)
            if let number = Int32(text) { return number }
        }
        throw PosixError(operation: "read", subject: path, code: EBADMSG)
    }

    /// Whether it has ended; until it has, nobody else gets its number.
    package func hasEnded() throws(PosixError) -> Bool {
        try SocketIO.wait(descriptor.raw, timeoutMilliseconds: 0)
    }

    private static let key = Array("Pid:\t".utf8)
}
