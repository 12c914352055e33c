import CLinux

/// Sends datagrams to Unix sockets by path, without waiting. See sendto(2).
package struct DatagramSender: ~Copyable {
    private let descriptor: Descriptor

    package init() throws(PosixError) {
        descriptor = Descriptor(owning: try check("socket") { clinux_datagram_socket() })
    }

    /// Sends one datagram whole; false if nobody is there, or has no room for it now.
    package borrowing func send(_ bytes: [UInt8], to path: String) -> Bool {
        let raw = descriptor.raw
        let length = path.utf8.count
        let sent = unsafe bytes.withUnsafeBytes { bytes in
            unsafe path.withCString {
                unsafe clinux_send_to_unix(raw, bytes.baseAddress, bytes.count, $0, length)
            }
        }
        return sent == bytes.count
    }
}
