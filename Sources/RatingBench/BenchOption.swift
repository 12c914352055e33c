internal import RatingControl

/// An option of the command line; the raw value is how it is written.
package enum BenchOption: String, CaseIterable, Sendable {
    case connections = "--connections"
    case pipeline = "--pipeline"
    case seconds = "--seconds"
    case mix = "--mix"
    case warmUp = "--warm-up"
    case patience = "--patience"
    case socket = "--socket"
    case user = "--user"
    case system = "--system"
    case json = "--json"
    case peer = "--peer"
    case help = "--help"
    case version = "--version"

    /// What its value is; nil if it takes none.
    package var argument: String? {
        switch self {
        case .connections, .pipeline: "N"
        case .seconds, .warmUp, .patience: "SECONDS"
        case .mix: "LOAD[=SHARE],…"
        case .socket: "PATH"
        case .peer: Peer.allCases.map(\.rawValue).joined(separator: "|")
        case .user, .system, .json, .help, .version: nil
        }
    }

    private var summary: String {
        switch self {
        case .connections: "how many clients, each an app of its own (1)"
        case .pipeline: "how many requests each keeps under way (1)"
        case .seconds: "how long to measure (5)"
        case .mix: "what is sent, and how often each (event)"
        case .warmUp: "how long to run before that without measuring (0.5)"
        case .patience: "how long a client waits for its next answer (10)"
        case .socket: "the daemon at this socket"
        case .user: "this user's own daemon (the default)"
        case .system: "the daemon for all users of the machine"
        case .json: "print JSON instead of text"
        case .peer: "what stands behind the socket, for comparisons"
        case .help: "print this, and end"
        case .version: "print the version, and end"
        }
    }

    /// What `--help` prints.
    package static var helpLines: [String] {
        let rows = allCases.map { option in
            let value = option.argument.map { " " + $0 } ?? ""
            return (left: option.rawValue + value, right: option.summary)
        }
        let loads = Load.allCases.map(\.rawValue).joined(separator: ", ")
        var lines = ["Usage: ratingd-bench [OPTION]...", "", Self.purpose, ""]
        lines += HelpText.columns(rows)
        lines += ["", "Loads: \(loads); notify is an event without an answer.", ""]
        return lines + Self.notes
    }

    private static let purpose = "Measure how many requests ratingd answers, and how soon."

    private static let notes = [
        "It counts for apps of its own (org.ratingd.Bench.N) and has them forgotten at the end.",
        "Use a daemon of your own for it, on throw-away state, with RateLimitPerSec=0.",
        "",
        "Exit status:",
        "  0 measured, 1 measured but something was refused or not counted, 64 wrong usage,",
        "  69 no daemon, 75 try again later, 77 not permitted, 124 timed out",
    ]
}
