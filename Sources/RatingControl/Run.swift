internal import Posix
internal import RatingPolicy
internal import RatingWire

/// One run of `ratingctl`.
package struct Run {
    let invocation: Invocation
    let output: Output

    /// How long a plain call may take.
    private static let plainMilliseconds: Int64 = 10_000

    /// Does what the arguments (without the program's name) ask for, and says how to exit.
    package static func main(_ arguments: [String]) -> ExitCode {
        let output = Output()
        do {
            switch try ArgumentParser.parse(arguments) {
            case .help(let verb):
                try output.print(HelpText.lines(for: verb))
            case .version:
                try output.print("ratingctl \(Release.version)")
            case .run(let invocation):
                return try Run(invocation: invocation, output: output).run()
            }
            return .done
        } catch {
            Messages.print(error)
            return error.code
        }
    }

    /// Carries out the verb.
    func run() throws(ControlFailure) -> ExitCode {
        switch invocation.verb {
        case .version:
            try printVersion()
            return .done
        case .socketPath:
            try printSocketPath()
            return .done
        case .verify:
            return try verify()
        case .logs:
            try Logs(invocation).show()
        case .call:
            return try call()
        case .watch:
            return try watch()
        case .request:
            return try request()
        case .apps:
            return try apps()
        case .ping:
            return try ping()
        case .status where invocation.word(0) == nil:
            return try overview()
        default:
            guard let plan = invocation.plan else {
                preconditionFailure("every other verb asks one question")
            }
            return try carryOut(plan)
        }
    }

    /// Connects to the daemon that is meant.
    func connect() throws(ControlFailure) -> Client {
        let address = try Address.find(invocation.target)
        if let warning = address.warning { Messages.warn(warning) }
        return try Client(address, patience)
    }

    private var patience: Patience {
        switch invocation.timeLimit {
        case .milliseconds(let limit): Patience(milliseconds: limit)
        case .never: Patience(milliseconds: nil)
        case .unsaid:
            Patience(milliseconds: invocation.verb.waits ? nil : Self.plainMilliseconds)
        }
    }

    /// Asks the question, and first, in the same write, for the daemon's version.
    private func carryOut(_ plan: Plan) throws(ControlFailure) -> ExitCode {
        var client = try connect()
        let result = try askWithVersion(&client, plan.question)
        return try finish(plan.view(result, now), json: result)
    }

    /// Asks a question; warns if the daemon is of another version.
    func askWithVersion(
        _ client: inout Client, _ question: Client.Question
    ) throws(ControlFailure) -> JSONValue {
        if question.method == "stats" {
            let stats = try client.ask(question)
            warnOfVersion(stats)
            return stats
        }
        let replies = try client.ask([Client.Question("stats"), question])
        if case .result(let stats) = replies[0] { warnOfVersion(stats) }
        return try replies[1].get()
    }

    private func warnOfVersion(_ stats: JSONValue) {
        guard let server = stats["server"]?.string, server != Release.server else { return }
        Messages.warn(
            "the daemon is \(safe(server)), this is ratingctl \(Release.version); restart the "
                + "daemon after an upgrade")
    }

    /// Prints an answer in the form that is wanted.
    func finish(_ answer: Answer, json: JSONValue) throws(ControlFailure) -> ExitCode {
        guard case .json = invocation.format else {
            for note in answer.notes { Messages.print(note) }
            if answer.isLong {
                try Pager.show(answer.lines, to: output, allowed: invocation.usesPager)
            } else {
                try output.print(answer.lines)
            }
            return answer.code
        }
        try output.print(jsonLines(json))
        return answer.code
    }

    /// JSON as `--json` wants it: pretty for people at a terminal, else one line.
    func jsonLines(_ value: JSONValue) -> [String] {
        guard case .json(let style) = invocation.format else { return [value.line] }
        let isPretty = (style ?? (output.isTerminal ? .pretty : .short)) == .pretty
        return isPretty ? value.prettyLines : [value.line]
    }

    var now: WallTime { WallTime(milliseconds: Clock.now().wallMilliseconds) }
}
