/// What `ratingctl` can do; the raw value is the word on the command line.
package enum Verb: String, CaseIterable, Sendable {
    case status
    case explain
    case apps
    case history
    case report
    case watch

    case session
    case event
    case activity
    case request
    case outcome
    case review

    case optOut = "opt-out"
    case optIn = "opt-in"
    case forget

    case ping
    case stats
    case whoami
    case reload
    case clock
    case logs
    case call
    case verify

    case socketPath = "socket-path"
    case version

    /// A heading of the help.
    package enum Group: String, CaseIterable, Sendable {
        case look = "Look"
        case play = "Play the app"
        case decide = "Decide for the user"
        case manage = "Manage the daemon"
        case this = "This command"
    }

    package var group: Group {
        switch self {
        case .status, .explain, .apps, .history, .report, .watch: .look
        case .session, .event, .activity, .request, .outcome, .review: .play
        case .optOut, .optIn, .forget: .decide
        case .ping, .stats, .whoami, .reload, .clock, .logs, .call, .verify: .manage
        case .socketPath, .version: .this
        }
    }

    package var positionals: [Positional] {
        switch self {
        case .status: [Positional(.app, .optional), Positional(.version, .optional)]
        case .explain: [Positional(.app), Positional(.version, .optional)]
        case .history, .activity, .review, .forget: [Positional(.app)]
        case .report, .logs, .optOut, .optIn: [Positional(.app, .optional)]
        case .watch: [Positional(.app, .any)]
        case .verify: [Positional(.file, .many)]
        case .session: [Positional(.app), Positional(.version, .optional)]
        case .event: [Positional(.app), Positional(.eventName, .optional)]
        case .request: [Positional(.app), Positional(.version)]
        case .outcome: [Positional(.token), Positional(.outcome)]
        case .clock: [Positional(.literal("repair"))]
        case .call: [Positional(.method), Positional(.json, .optional)]
        case .apps, .ping, .stats, .whoami, .reload, .socketPath, .version: []
        }
    }

    /// The options it takes besides those of every verb.
    package var options: [Option] {
        switch self {
        case .status, .explain: [.uid]
        case .apps, .history: [.limit, .uid]
        case .report: [.since, .uid]
        case .watch: [.topic]
        case .event: [.count]
        case .request: [.noWait, .debounce, .confirm, .onActivity, .agent, .debug]
        case .optOut, .optIn: [.all, .uid]
        case .forget: [.ledger, .uid]
        case .logs: [.follow, .limit, .since]
        case .session, .activity, .outcome, .review, .ping, .stats, .whoami, .reload, .clock,
            .call, .verify, .socketPath, .version:
            []
        }
    }

    /// Whether what follows `--` goes to another program.
    package var passesRest: Bool { self == .logs }

    /// Whether it waits for what may never come, so that only `--timeout` ends it.
    package var waits: Bool { self == .watch || self == .request }

    package var synopsis: String {
        options.contains(.all)
            ? "\(rawValue) APP|--all"
            : ([rawValue] + positionals.map(\.synopsis)).joined(separator: " ")
    }
}
