import Glibc
import PeerIdentity
import Posix
import TestSupport
import Testing

/// A socket that peers connect to, and what to look at them with.
final class Stage: Sendable {
    let directory = TemporaryDirectory()
    var path: String { directory.file("a.sock") }

    /// Starts a shell script in the background, waits for it to connect to `$SOCKET`, and looks.
    ///
    /// `$DIR` is this stage's directory, `$PROBE` the probe. `isReady`: whether it is time to look,
    /// once it has connected.
    func identify(
        _ script: String, by route: PeerIdentity.Route = .connection,
        until isReady: () -> Bool = { true }
    ) throws -> Identification {
        let peer = try accept(script, until: isReady)
        return PeerIdentity.identify(peer.raw, by: route)
    }

    /// The same without the look.
    func accept(_ script: String, until isReady: () -> Bool = { true }) throws -> Descriptor {
        let listener = try ListeningSocket.bind(path: path, mode: 0o666)
        try run(script, inBackground: true)
        try #require(try SocketIO.wait(listener.raw, timeoutMilliseconds: 20_000), "it connects")
        for _ in 0..<2000 where !isReady() { usleep(5000) }
        try #require(isReady())
        switch listener.accept() {
        case .accepted(let socket): return socket
        case .wouldBlock: throw NobodyCame()
        case .retry: throw NobodyCame()
        case .exhausted(let error): throw error
        }
    }

    /// Runs such a script; after a minute it is ended with all that it started.
    func run(_ script: String, inBackground: Bool = false) throws {
        let environment = ["SOCKET": path, "DIR": directory.path, "SCRIPT": script]
        let command = """
            export PATH="$PATH:/usr/sbin:/sbin"
            timeout 60 sh -c "$SCRIPT" >"$DIR/log" 2>&1 </dev/null \(inBackground ? "&" : "")
            """
        _ = try Child.shell(command, environment: environment)
    }

    /// What the started script printed.
    func log() -> String {
        let content = try? Files.readFile(directory.file("log"), maxBytes: 65_536)
        return String(decoding: content ?? [], as: UTF8.self)
    }

    struct NobodyCame: Error {}
}

extension Identification {
    /// Why the peer is unknown, nil if it is known.
    var reason: String? {
        switch self {
        case .known: nil
        case .unknown(_, let reason): reason
        case .exhausted(_, let error): "exhausted: \(error)"
        }
    }
}

/// Whether the test runs as root, without which there are no namespaces and mounts to play with.
let isRoot = geteuid() == 0
let hasBubblewrap = unsafe access("/usr/bin/bwrap", X_OK) == 0
