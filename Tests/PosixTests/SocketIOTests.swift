import Glibc
import Posix
import TestSupport
import Testing

struct SocketIOTests {
    @Test func `bytes come as they were sent, then nothing, then the end`() throws {
        let pair = try SocketPair()
        #expect(receive(pair.one.raw).0 == .wouldBlock)
        #expect(send(pair.other.raw, "abc") == .sent(3))
        #expect(receive(pair.one.raw, max: 2) == (.bytes(2), "ab"))
        #expect(receive(pair.one.raw) == (.bytes(1), "c"))
        shutdown(pair.other.raw, Int32(SHUT_WR))
        #expect(receive(pair.one.raw).0 == .endOfFile)
        #expect(send(pair.one.raw, "still read") == .sent(10))
    }

    @Test func `a peer that does not read makes sending would block`() throws {
        let pair = try SocketPair()
        let chunk = String(repeating: "x", count: 65_536)
        var rounds = 0
        while send(pair.one.raw, chunk) != .wouldBlock {
            rounds += 1
            try #require(rounds < 1000)
        }
        #expect(rounds > 0)
    }

    @Test func `sending to a peer that went is gone, without a signal`() throws {
        let one: Descriptor
        do {
            let pair = try SocketPair()
            one = Descriptor(owning: fcntl(pair.one.raw, F_DUPFD_CLOEXEC, 0))
        }
        try awaitHangUp(one.raw)
        #expect(send(one.raw, "x") == .gone)
        #expect(receive(one.raw).0 == .endOfFile)
    }

    @Test func `a peer that went with unread bytes is gone`() throws {
        let one: Descriptor
        do {
            let pair = try SocketPair()
            one = Descriptor(owning: fcntl(pair.one.raw, F_DUPFD_CLOEXEC, 0))
            #expect(send(one.raw, "never read") == .sent(10))
        }
        try awaitHangUp(one.raw)
        #expect(receive(one.raw).0 == .gone)
    }

    @Test func `a connection that is finished gives its peer what it was sent, then the end`()
        throws
    {
        let other: Descriptor
        do {
            let pair = try SocketPair()
            other = Descriptor(owning: fcntl(pair.other.raw, F_DUPFD_CLOEXEC, 0))
            while send(other.raw, String(repeating: "x", count: 10_000)) != .wouldBlock {}
            #expect(send(pair.one.raw, "last words") == .sent(10))
            var buffer = [UInt8](repeating: 0, count: 65_536)
            unsafe buffer.withUnsafeMutableBytes {
                unsafe SocketIO.finish(pair.one.raw, through: $0)
            }
        }
        #expect(receive(other.raw) == (.bytes(10), "last words"))
        #expect(receive(other.raw).0 == .endOfFile)
        #expect(send(other.raw, "more") == .gone)
    }

    @Test func `nothing to send is sent at once`() throws {
        let pair = try SocketPair()
        #expect(send(pair.one.raw, "") == .sent(0))
    }

    @Test func `a descriptor that a peer passes does not stay open`() throws {
        let pair = try SocketPair()
        let passed = try SocketPair()
        let keeper = Descriptor(owning: fcntl(passed.one.raw, F_DUPFD_CLOEXEC, 0))
        try pass(fcntl(passed.other.raw, F_DUPFD_CLOEXEC, 0), over: pair.other.raw)
        _ = consume passed
        // Still on its way: the socket whose other end was passed is not at its end yet.
        #expect(receive(keeper.raw).0 == .wouldBlock)
        #expect(receive(pair.one.raw) == (.bytes(1), "x"))
        try awaitHangUp(keeper.raw)
        #expect(receive(keeper.raw).0 == .endOfFile)
    }

    @Test func `credentials are those of the one who connected`() throws {
        let directory = TemporaryDirectory()
        let path = directory.file("a.sock")
        let listener = try ListeningSocket.bind(path: path, mode: 0o600)
        let client = try SocketIO.connect(path: path)
        guard case .accepted(let peer) = listener.accept() else {
            Issue.record("nobody was accepted")
            return
        }
        let expected = PeerCredentials(pid: getpid(), uid: geteuid(), gid: getegid())
        #expect(try SocketIO.peerCredentials(peer.raw) == expected)
        #expect(fcntl(peer.raw, F_GETFL) & O_NONBLOCK != 0)
        #expect(fcntl(peer.raw, F_GETFD) == FD_CLOEXEC)
        #expect(fcntl(client.raw, F_GETFL) & O_NONBLOCK == 0)
    }

    @Test func `credentials of what is no socket are an error`() throws {
        let event = try EventDescriptor()
        #expect(throws: PosixError(operation: "getsockopt", code: ENOTSOCK)) {
            try SocketIO.peerCredentials(event.raw)
        }
    }

    @Test func `connecting tells no socket, nobody there and an impossible path apart`() throws {
        let directory = TemporaryDirectory()
        let stale = directory.file("stale")
        try leaveStaleSocket(at: stale)
        let long = directory.file(String(repeating: "x", count: 108))
        let cases = [
            (directory.file("none"), ENOENT), (stale, ECONNREFUSED), (long, ENAMETOOLONG),
            ("", EINVAL), ("a\0b", EINVAL),
        ]
        for (path, code) in cases {
            #expect(throws: PosixError(operation: "connect", subject: path, code: code)) {
                _ = try SocketIO.connect(path: path)
            }
        }
    }

    /// Sends one byte and, along with it, a descriptor, which is closed here. See cmsg(3).
    private func pass(_ descriptor: Int32, over socket: Int32) throws {
        // cmsg_len, cmsg_level (SOL_SOCKET), cmsg_type (SCM_RIGHTS), the descriptor, padding.
        var control: [Int32] = [20, 0, 1, 1, descriptor, 0]
        var byte = UInt8(ascii: "x")
        let sent = unsafe control.withUnsafeMutableBytes { control in
            unsafe withUnsafeMutableBytes(of: &byte) { byte in
                var vector = unsafe iovec(iov_base: byte.baseAddress, iov_len: 1)
                return unsafe withUnsafeMutablePointer(to: &vector) { vector in
                    var message = unsafe msghdr()
                    unsafe message.msg_iov = unsafe vector
                    unsafe message.msg_iovlen = 1
                    unsafe message.msg_control = control.baseAddress
                    unsafe message.msg_controllen = control.count
                    return unsafe sendmsg(socket, &message, 0)
                }
            }
        }
        close(descriptor)
        try #require(sent == 1)
    }
}
