import Glibc
import Posix
import Systemd

/// Uses the tested targets in a process whose environment, limits and descriptors a test chose.
@main struct Probe {
    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        switch arguments.first {
        case "accept": accept(at: arguments.last!)
        case "bind": bind(at: arguments.last!)
        case "limit": limit()
        case "descriptors": descriptors()
        case "listen": listen()
        case "notify": notify()
        case "watchdog": print(Notifier.watchdogPeriodNanoseconds().map(String.init) ?? "none")
        case "journal": print(Journal.isStandardError())
        case "environment": print(environment("PROBED") ?? "nil")
        case "identify", "exhaust", "connect", "leave", "relay":
            PeerProbe.run(Array(arguments))
        default: preconditionFailure("the probe knows no such command")
        }
    }

    static func bind(at path: String) {
        do {
            let socket = try ListeningSocket.bind(path: path, mode: 0o600)
            print("bound", socket.stillThere())
        } catch {
            print(error)
        }
    }

    /// Connects to itself until no descriptor is left, then makes room again.
    static func accept(at path: String) {
        guard let socket = try? ListeningSocket.bind(path: path, mode: 0o600) else { return }
        var clients: [Int32] = []
        while let client = try? SocketIO.connect(path: path, nonblocking: true) {
            clients.append(client.release())
        }
        report(socket.accept())
        _ = Descriptor(owning: clients.removeLast())
        report(socket.accept())
    }

    static func report(_ result: consuming ListeningSocket.AcceptResult) {
        switch consume result {
        case .accepted: print("accepted")
        case .wouldBlock: print("would block")
        case .exhausted(let error): print("exhausted:", error.reason)
        case .retry: print("retry")
        }
    }

    static func limit() {
        let before = (try? OwnProcess.descriptorLimit()) ?? 0
        let raised = (try? OwnProcess.raiseDescriptorLimit()) ?? 0
        let after = (try? OwnProcess.descriptorLimit()) ?? 0
        print(before, raised, after)
    }

    /// Whether its count of descriptors is what trying every number finds, also with one more.
    static func descriptors() {
        let isRight = OwnProcess.openDescriptorCount() == triedCount()
        let event = try? EventDescriptor()
        print(isRight, OwnProcess.openDescriptorCount() == triedCount())
        withExtendedLifetime(event) {}
    }

    static func triedCount() -> Int {
        (0..<Int32(4096)).count { fcntl($0, F_GETFD) != -1 }
    }

    static func listen() {
        do {
            let taken = try ListenDescriptors.take()
            let information = try? Files.readFile("/proc/self/fdinfo/3", maxBytes: 4096)
            print(taken, environment("LISTEN_FDS") ?? "unset", environment("LISTEN_PID") ?? "unset")
            print(String(decoding: information ?? [], as: UTF8.self))
        } catch {
            print(error)
        }
    }

    static func notify() {
        var notifier = Notifier()
        let failures = [
            notifier.ready(), notifier.status("a\nREADY=0\u{202E}"), notifier.reloading(),
            notifier.watchdog(), notifier.stopping(),
        ]
        print(failures.map { $0.map(\.description) ?? "nil" }.joined(separator: "\n"))
        print(environment("NOTIFY_SOCKET") ?? "unset")
    }
}
