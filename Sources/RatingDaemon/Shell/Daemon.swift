import Glibc
import Posix
import RatingConfig
import RatingPolicy
import RatingStore
import Systemd

/// The daemon from its command line to its exit status (SPEC 4).
package enum Daemon {
    package static let version = Release.version

    /// Exit statuses, after sysexits.h.
    enum Exit {
        static let ok: Int32 = 0
        static let usage: Int32 = 64
        static let unavailable: Int32 = 69
        static let systemFailed: Int32 = 71
        static let cannotCreate: Int32 = 73
        static let configuration: Int32 = 78
    }

    /// Why the daemon cannot start.
    struct StartFailure: Error {
        var status: Int32
        var text: String
        var path: String?
    }

    /// Runs the daemon with the arguments after its name; returns its exit status.
    package static func run(_ arguments: [String]) -> Int32 {
        let options: Options
        do throws(Options.UsageError) {
            options = try Options(arguments)
        } catch {
            _ = StandardError.write("ratingd: \(error); see ratingd --help\n")
            return Exit.usage
        }
        switch options.action {
        case .help:
            StandardOutput.write(Options.usage)
            return Exit.ok
        case .version:
            StandardOutput.write("ratingd \(version)\n")
            return Exit.ok
        case .checkConfiguration: return checkConfiguration(options)
        case .run: return serve(options)
        }
    }

    private static func serve(_ options: Options) -> Int32 {
        // A reader of standard error that went away must not end the daemon.
        _ = signal(SIGPIPE, SIG_IGN)
        let log = LogSink()
        do throws(StartFailure) {
            try Startup(options: options, log: log).run()
            return Exit.ok
        } catch {
            var fields: [(field: LogField, value: String)] = [(.error, error.text)]
            if let path = error.path { fields.append((.path, path)) }
            log.write(LogEntry(.startFailed, error.text, fields))
            return error.status
        }
    }

    /// Says what is wrong with the configuration; 78 if it cannot be read.
    ///
    /// Warnings alone are no failure: the daemon runs with what is left.
    private static func checkConfiguration(_ options: Options) -> Int32 {
        do throws(ConfigurationError) {
            let loaded = try ConfigurationLoader.load(
                configurationPaths(options), descriptors: Startup.descriptorLimit())
            for line in loaded.warningLines {
                _ = StandardError.write(escapedForLog(line, maxBytes: 4_000) + "\n")
            }
            if loaded.warnings.isEmpty {
                let files = loaded.files.isEmpty ? "none" : loaded.files.joined(separator: ", ")
                StandardOutput.write("no warnings; files read: \(files)\n")
            }
            return Exit.ok
        } catch {
            _ = StandardError.write("ratingd: \(error)\n")
            return Exit.configuration
        }
    }

    static func configurationPaths(_ options: Options) -> ConfigurationPaths {
        if let directory = options.configuration { return .only(directory) }
        if options.isSystem { return .system }
        var variables: [String: String] = [:]
        for name in ["XDG_CONFIG_DIRS", "XDG_CONFIG_HOME", "HOME"] {
            variables[name] = environment(name)
        }
        return .user(variables)
    }
}
