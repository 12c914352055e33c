/// An option of the command line; the raw value is its long name.
package enum Option: String, CaseIterable, Sendable {
    case user
    case system
    case socket
    case json
    case noPager = "no-pager"
    case timeout
    case help
    case version

    case uid
    case limit
    case count
    case since
    case topic
    case noWait = "no-wait"
    case debounce
    case confirm
    case onActivity = "on-activity"
    case agent
    case debug
    case all
    case ledger
    case follow

    package enum Argument: Equatable, Sendable {
        case none
        case required(String)
        /// Only as `--option=value`, never as the next word.
        case optional(String)
    }

    /// The options that every verb takes.
    package static let everywhere: [Option] = [
        .user, .system, .socket, .json, .noPager, .timeout, .help, .version,
    ]

    package var argument: Argument {
        switch self {
        case .user, .system, .noPager, .help, .version, .noWait, .agent, .debug, .all, .ledger,
            .follow:
            .none
        case .socket: .required("PATH")
        case .json: .optional("short|pretty")
        case .timeout: .required("SECONDS")
        case .uid: .required("UID")
        case .limit, .count: .required("N")
        case .since: .required("TIME")
        case .topic: .required("decisions|counters")
        case .debounce: .required("MILLISECONDS")
        case .confirm: .optional("yes|no")
        case .onActivity: .required("cancel|restart")
        }
    }

    package var short: Character? {
        switch self {
        case .help: "h"
        case .follow: "f"
        case .limit: "n"
        default: nil
        }
    }

    package var summary: String {
        switch self {
        case .user: "talk to this user's own daemon (the default)"
        case .system: "talk to the daemon for all users of the machine"
        case .socket: "talk to the daemon at this socket"
        case .json: "print JSON instead of text"
        case .noPager: "never show long text in a pager"
        case .timeout: "give up after this time; 0: never"
        case .help: "show this help; after a verb, the help of that verb"
        case .version: "show the version"
        case .uid: "of this user (only uid 0, only with a system daemon)"
        case .limit: "at most so many"
        case .count: "count so many at once (1 to 10000)"
        case .since: "only from this time on (2026-11-30 or 2026-11-30T05:09:02Z)"
        case .topic: "only this kind of news"
        case .noWait: "do not wait for how the request ends"
        case .debounce: "the quiet time before the prompt (0 to 600000)"
        case .confirm: "ask once more when the quiet time is over, or answer at once"
        case .onActivity: "what activity does to the request"
        case .agent: "let the desktop's agent show the prompt"
        case .debug: "a prompt without any rule, if the policy allows it"
        case .all: "all apps, also those not seen yet"
        case .ledger: "also versions, tokens and outcomes of past prompts"
        case .follow: "go on printing new entries"
        }
    }

    /// How the option is written: `--json[=short|pretty]`.
    package var synopsis: String {
        let long =
            switch argument {
            case .none: "--\(rawValue)"
            case .required(let name): "--\(rawValue)=\(name)"
            case .optional(let name): "--\(rawValue)[=\(name)]"
            }
        return short.map { "-\($0), \(long)" } ?? long
    }
}
