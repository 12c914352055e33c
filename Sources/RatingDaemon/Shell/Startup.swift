import Glibc
import Posix
import RatingConfig
import RatingPolicy
import RatingStore
import Systemd

/// Puts the parts together, in the order in which they can fail, and runs the loop.
struct Startup {
    let options: Options
    let log: LogSink

    func run() throws(Daemon.StartFailure) {
        // Before any thread starts: it changes the environment.
        let inherited = try takeInheritedSocket()
        let descriptors = Self.descriptorLimit()
        let (configuration, problem) = try loadConfiguration(descriptors)
        log.level = configuration.daemon.logLevel
        do {
            let signals = try SignalDescriptor(blocking: [SIGTERM, SIGINT, SIGHUP])
            let service = ServiceManager(log: log)
            let watchdog = try Watchdog(
                period: Notifier.watchdogPeriodNanoseconds(), service: service)
            let storage = try openStorage(
                configuration, watchdog: watchdog, service: service)
            let listener = try listen(inherited)
            let core = makeCore(
                configuration, problem: problem, storage: storage, service: service,
                descriptors: descriptors)
            let path = listener.path ?? "an inherited socket"
            let loop = try EventLoop(
                core: core, storage: storage, listener: listener, signals: signals,
                watchdog: watchdog, log: log, service: service,
                appSocketsDirectory: appSocketsDirectory,
                appSocketsMax: AppSocketPlan.countMax(descriptors: descriptors))
            storage.maintain(at: Moment.now())
            loop.settleAppSockets()
            for entry in storage.takeLog() + core.takeLog() { log.write(entry) }
            log.write(
                LogEntry(
                    .started, "ratingd \(Daemon.version) started, listening at '\(path)'",
                    [(.socket, path), (.state, stateDirectory ?? "")]))
            service.ready()
            // What the checks of a start needed is not needed again.
            OwnProcess.giveFreeMemoryBack()
            try loop.run()
            loop.end()
        } catch let error as Daemon.StartFailure {
            throw error
        } catch let error as PosixError {
            throw Daemon.StartFailure(
                status: Daemon.Exit.systemFailed, text: error.description, path: error.subject)
        } catch {
            preconditionFailure("nothing else is thrown here")
        }
    }

    static func descriptorLimit() -> Int {
        do throws(PosixError) {
            return Int(clamping: try OwnProcess.raiseDescriptorLimit())
        } catch {
            // The limits of a process that may not even ask: the least POSIX promises.
            return 20
        }
    }

    private func takeInheritedSocket() throws(Daemon.StartFailure) -> Int32? {
        do throws(ActivationError) {
            switch try ListenDescriptors.take() {
            case .none: return nil
            case .socket(let descriptor): return descriptor
            }
        } catch {
            throw Daemon.StartFailure(
                status: Daemon.Exit.cannotCreate, text: error.description, path: nil)
        }
    }

    /// The configuration; and if what is there cannot be read, why nothing may be granted.
    ///
    /// A directory named on the command line has to be readable; else the daemon goes on, since
    /// the service manager would only start it again and again, but asks nobody.
    private func loadConfiguration(
        _ descriptors: Int
    ) throws(Daemon.StartFailure) -> (Configuration, problem: String?) {
        do throws(ConfigurationError) {
            let loaded = try ConfigurationLoader.load(
                Daemon.configurationPaths(options), descriptors: descriptors)
            for entry in Self.entries(loaded.warnings) { log.write(entry) }
            return (loaded.configuration, nil)
        } catch {
            guard options.configuration == nil else {
                throw Daemon.StartFailure(
                    status: Daemon.Exit.configuration, text: error.description,
                    path: options.configuration)
            }
            log.write(LogEntry(.reloadFailed, error.description, [(.error, error.description)]))
            let standard = Configuration(daemon: DaemonSettings(descriptors: descriptors))
            return (standard, "the configuration cannot be read: \(error)")
        }
    }

    private static func entries(_ warnings: [ConfigurationWarning]) -> [LogEntry] {
        warnings.map { warning in
            var fields: [(field: LogField, value: String)] = [(.file, warning.file)]
            if let line = warning.line { fields.append((.line, String(line))) }
            return LogEntry(.configurationWarning, warning.description, fields)
        }
    }

    // MARK: - State

    /// Where the state is; nil if nothing says so.
    private var stateDirectory: String? {
        if let directory = options.state { return directory }
        if options.isSystem { return "/var/lib/ratingd" }
        if let directory = environment("XDG_STATE_HOME"), directory.hasPrefix("/") {
            return directory + "/ratingd"
        }
        guard let home = environment("HOME"), home.hasPrefix("/") else { return nil }
        return home + "/.local/state/ratingd"
    }

    private func openStorage(
        _ configuration: Configuration, watchdog: Watchdog, service: ServiceManager
    ) throws -> DiskStorage {
        var store: StateStore?
        var missing: String?
        if let stateDirectory {
            switch StateStore.open(directory: stateDirectory, now: Moment.now().wall) {
            case .opened(let opened): store = opened
            case .held(let detail):
                throw Daemon.StartFailure(
                    status: Daemon.Exit.unavailable, text: detail, path: stateDirectory)
            }
        } else {
            missing =
                "there is no place for the state: neither XDG_STATE_HOME nor HOME is set to "
                + "an absolute path; use --state"
        }
        return try DiskStorage(
            store: store, missing: missing, syncSec: configuration.daemon.syncSec,
            watchdog: watchdog, service: service)
    }

    // MARK: - Socket

    private func listen(_ inherited: Int32?) throws -> ListeningSocket {
        if let inherited { return try ListeningSocket(inherited: inherited) }
        let path = try socketPath()
        do {
            return try ListeningSocket.bind(path: path, mode: options.isSystem ? 0o666 : 0o600)
        } catch {
            var status = Daemon.Exit.cannotCreate
            if case .occupied = error { status = Daemon.Exit.unavailable }
            let text = "cannot listen at '\(path)': \(error)"
            throw Daemon.StartFailure(status: status, text: text, path: path)
        }
    }

    private func socketPath() throws(Daemon.StartFailure) -> String {
        if let path = options.socket { return path }
        if options.isSystem { return SocketPath.system.string }
        do throws(SocketPathError) {
            let path = try SocketPath.user()
            if let warning = path.warning {
                log.write(
                    LogEntry(.runtimeDirectoryFallback, warning, [(.path, path.string)]))
            }
            return path.string
        } catch {
            throw Daemon.StartFailure(
                status: Daemon.Exit.cannotCreate, text: error.description, path: nil)
        }
    }

    /// Where sandboxed apps get sockets: those of one user, in that user's runtime directory.
    private var appSocketsDirectory: String? {
        guard !options.isSystem, let directory = environment("XDG_RUNTIME_DIR"),
            directory.hasPrefix("/")
        else { return nil }
        return directory
    }

    // MARK: - Core

    private func makeCore(
        _ configuration: Configuration, problem: String?, storage: DiskStorage,
        service: ServiceManager, descriptors: Int
    ) -> Core {
        let paths = Daemon.configurationPaths(options)
        let log = log
        let surroundings = Core.Surroundings(
            scope: options.isSystem ? .system : .user, user: OwnProcess.effectiveUserID,
            serverName: Release.server, random: { randomBytes($0) },
            reload: {
                Self.reload(
                    paths, descriptors: descriptors, log: log, service: service, storage: storage)
            },
            processFigures: Self.processFigures)
        let core = Core(
            configuration: configuration, storage: storage, surroundings: surroundings,
            at: Moment.now())
        core.configurationProblem = problem
        return core
    }

    private static func reload(
        _ paths: ConfigurationPaths, descriptors: Int, log: LogSink, service: ServiceManager,
        storage: DiskStorage
    ) -> (Core.ReloadResult, log: [LogEntry]) {
        service.reloading()
        defer { service.ready() }
        do throws(ConfigurationError) {
            let loaded = try ConfigurationLoader.load(paths, descriptors: descriptors)
            log.level = loaded.configuration.daemon.logLevel
            storage.syncSec = loaded.configuration.daemon.syncSec
            let count = loaded.warnings.count + loaded.warningsLeftOut
            let entry = LogEntry(
                .reloaded, "configuration reloaded, \(count) warnings",
                [(.warnings, String(count))])
            return (
                .loaded(loaded.configuration, warnings: loaded.warningLines),
                entries(loaded.warnings) + [entry]
            )
        } catch {
            let entry = LogEntry(
                .reloadFailed, "\(error): the old configuration stays in force",
                [(.error, error.description)])
            return (.kept(reason: error.description), [entry])
        }
    }

    private static func processFigures() -> [(name: String, value: Int64)] {
        [
            ("memory_bytes", OwnProcess.residentBytes() ?? -1),
            ("descriptors", Int64(OwnProcess.openDescriptorCount() ?? -1)),
        ]
    }
}
