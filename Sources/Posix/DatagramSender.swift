import CLinux

/// Sends datagrams to Unix sockets by path, without waiting. See sendto(2).
package struct DatagramSender: ~Copyable {
    private let descriptor: Descriptor

    package init() throws(PosixError) {
        descriptor = Descriptor(owning: try check("socket") { clinux_datagram_socket() })
    }

    /// Sends one datagram whole; `@` in front of a path makes it an abstract name.
    ///
    /// EAGAIN: whoever listens there has no room for it now.
    package borrowing func send(_ bytes: [UInt8], to path: String) throws(PosixError) {
        let raw = descriptor.raw
        let length = path.utf8.count
        try check("sendto", path) {
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe path.withCString {
                    let sent = unsafe clinux_send_to_unix(
                        raw, bytes.baseAddress, bytes.count, $0, length)
                    return sent == bytes.count ? 0 : -1
                }
            }
        }
    }
}
