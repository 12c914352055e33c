import CLinux
import Glibc

/// Bytes through connected stream sockets.
package enum SocketIO {
    package enum ReceiveResult: Equatable, Sendable {
        /// So many bytes came, at least one.
        case bytes(Int)
        /// The peer sends no more; it may still read.
        case endOfFile
        case wouldBlock
        /// The connection is broken: close it.
        case gone
    }

    package enum SendResult: Equatable, Sendable {
        /// So many bytes were taken, perhaps not all.
        case sent(Int)
        case wouldBlock
        /// The peer is not there any more: close it.
        case gone
    }

    /// Reads what is there, without waiting. See recv(2).
    ///
    /// Descriptors that the peer passes along are closed by the kernel, because no control
    /// buffer is offered.
    package static func receive(
        _ fd: Int32, into buffer: UnsafeMutableRawBufferPointer
    ) -> ReceiveResult {
        unsafe precondition(!buffer.isEmpty, "an empty read would look like the end")
        while true {
            let count = unsafe clinux_receive(fd, buffer.baseAddress, buffer.count)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .endOfFile }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            default: return .gone
            }
        }
    }

    /// Writes what fits, without waiting and without SIGPIPE. See send(2).
    package static func send(_ fd: Int32, _ bytes: UnsafeRawBufferPointer) -> SendResult {
        guard unsafe !bytes.isEmpty else { return .sent(0) }
        while true {
            let count = unsafe clinux_send(fd, bytes.baseAddress, bytes.count)
            if count >= 0 { return .sent(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            default: return .gone
            }
        }
    }

    /// Ends a connection so that the peer reads what it was sent, and then the end.
    ///
    /// What it sent and nobody has read would have it meet ECONNRESET instead; so nothing more may
    /// come, and what is there is taken away. Neither waits. See shutdown(2).
    package static func finish(_ fd: Int32, through buffer: UnsafeMutableRawBufferPointer) {
        guard shutdown(fd, Int32(SHUT_RDWR)) == 0 else { return }
        for _ in 0..<unreadReadsMax {
            guard case .bytes = unsafe receive(fd, into: buffer) else { return }
        }
    }

    /// More reads than what the kernel keeps for one socket needs.
    private static let unreadReadsMax = 1_000

    /// Connects to a listening socket. See connect(2).
    ///
    /// Waits while the listener's queue is full, unless `nonblocking` (then EAGAIN). ENOENT: no
    /// socket; ECONNREFUSED: nobody listens; EACCES: not allowed; ENAMETOOLONG, EINVAL: the path
    /// cannot be one of a socket.
    package static func connect(
        path: String, nonblocking: Bool = false
    ) throws(PosixError) -> Descriptor {
        let socket = try makeStreamSocket(nonblocking: nonblocking)
        let raw = socket.raw
        try unsafe checkUnix("connect", path) { unsafe clinux_connect_unix(raw, $0, $1) }
        return socket
    }

    /// Waits until the socket is readable (or writable), for clients without a loop; false if the
    /// time ran out (-1: never). See poll(2).
    package static func wait(
        _ fd: Int32, writable: Bool = false, timeoutMilliseconds: Int32
    ) throws(PosixError) -> Bool {
        var watched = pollfd(fd: fd, events: Int16(writable ? POLLOUT : POLLIN), revents: 0)
        return try check("poll") { unsafe poll(&watched, 1, timeoutMilliseconds) } > 0
    }

    /// Who is at the other end.
    package static func peerCredentials(_ fd: Int32) throws(PosixError) -> PeerCredentials {
        var pid: Int32 = 0
        var uid: UInt32 = 0
        var gid: UInt32 = 0
        try check("getsockopt") { unsafe clinux_peer_credentials(fd, &pid, &uid, &gid) }
        return PeerCredentials(pid: pid, uid: uid, gid: gid)
    }
}

func makeStreamSocket(nonblocking: Bool) throws(PosixError) -> Descriptor {
    Descriptor(owning: try check("socket") { clinux_stream_socket(nonblocking ? 1 : 0) })
}

/// `check` of a call that takes the path of a socket as counted bytes.
func checkUnix(
    _ operation: String, _ path: String, _ call: (UnsafePointer<CChar>, Int) -> Int32
) throws(PosixError) {
    let length = path.utf8.count
    try check(operation, path) { unsafe path.withCString { unsafe call($0, length) } }
}
