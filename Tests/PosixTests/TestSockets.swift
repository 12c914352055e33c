import Glibc
import Posix
import Testing

/// Two connected stream sockets.
struct SocketPair: ~Copyable {
    let one: Descriptor
    let other: Descriptor

    init() throws {
        var raw: [Int32] = [0, 0]
        let result = unsafe socketpair(AF_UNIX, closingType(SOCK_STREAM), 0, &raw)
        try #require(result == 0)
        one = Descriptor(owning: raw[0])
        other = Descriptor(owning: raw[1])
    }
}

/// What `SocketIO` sends of a text.
func send(_ fd: Int32, _ text: String) -> SocketIO.SendResult {
    unsafe Array(text.utf8).withUnsafeBytes { unsafe SocketIO.send(fd, $0) }
}

/// What `SocketIO` receives, and the bytes as text.
func receive(_ fd: Int32, max: Int = 4096) -> (SocketIO.ReceiveResult, String) {
    var buffer = [UInt8](repeating: 0, count: max)
    let result = unsafe buffer.withUnsafeMutableBytes { unsafe SocketIO.receive(fd, into: $0) }
    guard case .bytes(let count) = result else { return (result, "") }
    return (result, String(decoding: buffer[..<count], as: UTF8.self))
}

/// A type of socket that programs started beside the test do not keep open.
func closingType(_ type: __socket_type) -> Int32 {
    Int32(type.rawValue | SOCK_CLOEXEC.rawValue)
}

/// Leaves a socket at the path that nobody listens on.
///
/// Tests beside this one start programs, which hold every descriptor for the moment between fork
/// and exec: so this waits until it is closed there too.
func leaveStaleSocket(at path: String) throws {
    do { _ = try ListeningSocket.bind(path: path, mode: 0o600) }
    for _ in 0..<5000 {
        do {
            _ = try SocketIO.connect(path: path, nonblocking: true)
        } catch {
            try #require(error.code == ECONNREFUSED || error.code == EAGAIN)
            if error.code == ECONNREFUSED { return }
        }
        usleep(1000)
    }
    Issue.record("the socket is still listened on")
}

/// Waits until a peer's last descriptor is closed, for the same reason.
func awaitHangUp(_ fd: Int32) throws {
    #expect(try SocketIO.wait(fd, timeoutMilliseconds: 5000))
}
