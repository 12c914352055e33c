internal import Posix
internal import RatingControl
internal import RatingWire

/// A measurement from the first connection to the last farewell.
struct Measurement {
    private let options: BenchOptions
    private let connections: [LoadConnection]
    private let interrupts: Interrupts
    private let progress = Progress()

    /// Connects all clients.
    init(_ options: BenchOptions) throws(ControlFailure) {
        self.options = options
        interrupts = try Interrupts()
        let address = try Address.find(options.target)
        if let warning = address.warning { Messages.warn(warning, of: Bench.program) }
        // Fewer may do; if not, the connection that is one too many says so.
        _ = try? OwnProcess.raiseDescriptorLimit()
        let scripts = ScriptShelf(options)
        var connections: [LoadConnection] = []
        for number in 1...options.connections {
            let app = "org.ratingd.Bench.\(number)"
            connections.append(
                LoadConnection(
                    try Self.connect(address), app: app, options.peer, scripts.script(of: app),
                    pipeline: options.pipeline))
        }
        self.connections = connections
    }

    private var conversation: Conversation {
        Conversation(connections: connections, patienceSeconds: options.patienceSeconds)
    }

    private static func connect(_ address: Address) throws(ControlFailure) -> Descriptor {
        do {
            return try SocketIO.connect(path: address.path)
        } catch {
            guard error.operation == "connect" else {
                throw ControlFailure(
                    .noDaemon, "no more connections: \(error)",
                    hint: "Raise the limit on open files (ulimit -n), or take fewer --connections.")
            }
            throw ControlFailure(connecting: address, error, others: address.others())
        }
    }

    func run() throws(ControlFailure) -> Figures {
        let isRatingd = options.peer == .ratingd
        let server = isRatingd ? try conversation.greet() : options.peer.rawValue
        let before = isRatingd ? try conversation.events() : 0
        let load = try LoadRun(connections, patienceSeconds: options.patienceSeconds)
        let warmUp = try measure(load, options.warmUpSeconds, server)
        var figures = try measure(load, options.seconds, server)
        progress.clear()
        guard isRatingd else { return figures }
        let sent = warmUp.tally.counted + figures.tally.counted
        let refused = warmUp.tally.errorCount + figures.tally.errorCount
        figures.uncounted = max(0, sent - refused - (try conversation.events() - before))
        try conversation.forget()
        return figures
    }

    /// Runs the load for a time, until the last request is carried out.
    private func measure(
        _ load: LoadRun, _ seconds: Double, _ server: String
    ) throws(ControlFailure) -> Figures {
        let process = serverProcess
        let used = (process.flatMap(ProcessTimes.nanoseconds), ProcessTimes.own)
        let start = Clock.monotonicNanoseconds()
        let tally = try load.run(nanoseconds: Int64(seconds * 1e9)) { done in
            progress.show(done, Double(Clock.monotonicNanoseconds() - start) / 1e9, of: seconds)
            return interrupts.hasCome
        }
        // An answer says that the notifications before it are done.
        if tally.notifications > 0 {
            try conversation.settle()
        }
        let end = Clock.monotonicNanoseconds()
        return Figures(
            server: server, options: options, tally: tally, nanoseconds: end - start,
            serverNanoseconds: difference(process.flatMap(ProcessTimes.nanoseconds), used.0),
            ownNanoseconds: difference(ProcessTimes.own, used.1))
    }

    private func difference(_ later: Int64?, _ earlier: Int64?) -> Int64? {
        guard let later, let earlier else { return nil }
        return later - earlier
    }

    /// The server's process; nil if only the one is known that opened the socket for it.
    private var serverProcess: Int32? {
        // Without it a figure is missing and nothing else.
        guard let peer = try? SocketIO.peerCredentials(connections[0].socket.raw) else {
            return nil
        }
        return ProcessTimes.isManager(peer.pid) ? nil : peer.pid
    }
}

/// The scripts of all connections.
private final class ScriptShelf {
    private let options: BenchOptions
    private var shared: Script?

    init(_ options: BenchOptions) {
        self.options = options
    }

    /// Lines to ratingd name no app, so all connections send the same; keys of Redis are one's own.
    func script(of app: String) -> Script {
        if let shared { return shared }
        let script = Script(options.mix, pipeline: options.pipeline) {
            options.peer.request($0, number: $1, app: app)
        }
        if options.peer != .redis { shared = script }
        return script
    }
}
