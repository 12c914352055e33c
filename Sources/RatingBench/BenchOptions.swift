package import RatingControl

/// What the command line asks for.
package struct BenchOptions: Equatable, Sendable {
    package enum Action: Equatable, Sendable {
        case run
        case help
        case version
    }

    package static let connectionsMax = 100_000
    package static let pipelineMax = 10_000
    package static let secondsMax = 86_400.0

    package var action = Action.run
    package var target = Target.unsaid
    package var connections = 1
    package var pipeline = 1
    package var seconds = 5.0
    package var warmUpSeconds = 0.5
    /// How long a client waits for its next answer; a server that takes longer is taken to hang.
    package var patienceSeconds = 10.0
    package var mix = Mix(.event)
    package var peer = Peer.ratingd
    package var isJSON = false

    /// Reads the arguments after the program's name; the last of several wins.
    package init(_ arguments: [String]) throws(ControlFailure) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let parts = argument.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts[0] == "-h" ? "--help" : String(parts[0])
            guard let option = BenchOption(rawValue: name) else { throw Self.unknown(argument) }
            let attached = parts.count > 1 ? String(parts[1]) : nil
            guard let wanted = option.argument else {
                guard attached == nil else { throw usage("\(name) takes no value") }
                try take(option, "")
                continue
            }
            guard let value = attached ?? rest.popFirst(), !value.isEmpty else {
                throw usage("\(name) needs a value: \(wanted)")
            }
            try take(option, value)
        }
        try checkCombinations()
    }

    private static func unknown(_ argument: String) -> ControlFailure {
        guard argument.hasPrefix("-") else { return usage("'\(argument)' is one word too many") }
        let guess = nearest(to: argument, in: BenchOption.allCases.map(\.rawValue))
        return usage(
            "unknown option '\(argument)'" + (guess.map { "; did you mean '\($0)'?" } ?? ""))
    }

    private mutating func take(_ option: BenchOption, _ value: String) throws(ControlFailure) {
        switch option {
        case .connections: connections = try number(option, value, 1...Self.connectionsMax)
        case .pipeline: pipeline = try number(option, value, 1...Self.pipelineMax)
        case .seconds: seconds = try time(option, value, from: 0.001)
        case .warmUp: warmUpSeconds = try time(option, value, from: 0)
        case .patience: patienceSeconds = try time(option, value, from: 0.001)
        case .mix: mix = try Mix(value)
        case .socket: try choose(.socket(value))
        case .user: try choose(.user)
        case .system: try choose(.system)
        case .json: isJSON = true
        case .peer: peer = try Self.peer(value)
        case .help: action = .help
        case .version: action = .version
        }
    }

    private static func peer(_ name: String) throws(ControlFailure) -> Peer {
        if let peer = Peer(rawValue: name) { return peer }
        let known = Peer.allCases.map(\.rawValue).joined(separator: ", ")
        throw usage("--peer is one of \(known), not '\(name)'")
    }

    private mutating func choose(_ target: Target) throws(ControlFailure) {
        guard self.target == .unsaid || self.target == target else {
            throw usage("of --user, --system and --socket one at most may be given")
        }
        self.target = target
    }

    private func checkCombinations() throws(ControlFailure) {
        guard action == .run else { return }
        for part in mix.parts where !peer.knows(part.load) {
            throw usage("\(peer.rawValue) knows nothing like '\(part.load.rawValue)'")
        }
        guard peer != .ratingd else { return }
        guard case .socket = target else {
            throw usage("--peer \(peer.rawValue) needs --socket, the path of its socket")
        }
    }

    private func number(
        _ option: BenchOption, _ text: String, _ range: ClosedRange<Int>
    ) throws(ControlFailure) -> Int {
        guard let number = wholeNumber(text, in: range) else {
            throw usage(
                "\(option.rawValue) is a whole number from \(range.lowerBound) to "
                    + "\(range.upperBound), not '\(text)'")
        }
        return number
    }

    private func time(
        _ option: BenchOption, _ text: String, from least: Double
    ) throws(ControlFailure) -> Double {
        let isPlain = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
        guard isPlain, let seconds = Double(text), (least...Self.secondsMax).contains(seconds)
        else {
            throw usage("\(option.rawValue) is a number of seconds up to 86400, not '\(text)'")
        }
        return seconds
    }
}

/// A number that is written in digits only and lies in the range.
func wholeNumber(_ text: some StringProtocol, in range: ClosedRange<Int>) -> Int? {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text) else {
        return nil
    }
    return range.contains(number) ? number : nil
}

/// A failure of the command line itself, with where to read on.
func usage(_ message: String, hint: String = "Try 'ratingd-bench --help'.") -> ControlFailure {
    ControlFailure(.usage, message, hint: hint)
}
