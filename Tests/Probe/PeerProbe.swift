import Glibc
import PeerIdentity
import Posix
import RatingPolicy

/// Plays a peer, or the one who looks at peers, where that must be in a process of its own.
enum PeerProbe {
    static func run(_ arguments: [String]) {
        switch arguments[0] {
        case "identify": identify(at: arguments[1], after: arguments.count > 2 ? arguments[2] : nil)
        case "exhaust": exhaust(at: arguments[1])
        case "connect": connect(to: arguments[1])
        case "leave": leave(arguments[1])
        default: relay(from: arguments[1], to: arguments[2])
        }
    }

    /// Says who the next peer is, by either route, looking only after a file has appeared.
    static func identify(at path: String, after file: String?) {
        guard let listener = try? ListeningSocket.bind(path: path, mode: 0o666) else { return }
        _ = try? SocketIO.wait(listener.raw, timeoutMilliseconds: 10_000)
        while let file, (try? Files.statusIfPresent(file)) == .some(nil) { usleep(5000) }
        guard case .accepted(let socket) = listener.accept() else { return }
        print("connection:", text(PeerIdentity.identify(socket.raw)))
        print("number:", text(PeerIdentity.identify(socket.raw, by: .number)))
    }

    /// Says what comes of identifying itself with 0, 1, 2, … descriptors left, up to success, and
    /// whether none stays open.
    static func exhaust(at path: String) {
        guard let listener = try? ListeningSocket.bind(path: path, mode: 0o600),
            let client = try? SocketIO.connect(path: path),
            case .accepted(let socket) = listener.accept()
        else { return }
        var held: [Int32] = []
        while true {
            let one = dup(client.raw)
            if one < 0 { break }
            held.append(one)
        }
        while true {
            let result = PeerIdentity.identify(socket.raw)
            let again = PeerIdentity.identify(socket.raw)
            print(text(result), result == again)
            if case .known = result { break }
            close(held.removeLast())
        }
        print(dup(client.raw) >= 0)
    }

    /// Connects and stays until the other end is closed.
    static func connect(to path: String) {
        guard let socket = try? SocketIO.connect(path: path) else { return }
        _ = try? SocketIO.wait(socket.raw, timeoutMilliseconds: 60_000)
    }

    /// Connects, leaves the socket to a child that stays so long, and goes.
    static func leave(_ path: String) {
        guard let socket = try? SocketIO.connect(path: path) else { return }
        let raw = socket.release()
        _ = fcntl(raw, F_SETFD, 0)
        let words: [String] = ["sh", "-c", "cat <&\(raw)"]
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        unsafe posix_spawn(nil, "/bin/sh", nil, nil, &arguments, nil)
    }

    /// Takes one client and connects in its stead.
    static func relay(from path: String, to goal: String) {
        guard let listener = try? ListeningSocket.bind(path: path, mode: 0o666) else { return }
        _ = try? SocketIO.wait(listener.raw, timeoutMilliseconds: 10_000)
        connect(to: goal)
    }

    static func text(_ identification: Identification) -> String {
        let identity = identification.peer.identity
        let words = [
            identity.source.rawValue, identity.isVerified ? "verified" : "unverified",
            identity.app?.string ?? "-",
        ]
        return switch identification {
        case .known: words.joined(separator: " ")
        case .unknown(_, let reason): (words + [reason]).joined(separator: " ")
        case .exhausted(_, let error): (words + ["exhausted", error.reason]).joined(separator: " ")
        }
    }
}
