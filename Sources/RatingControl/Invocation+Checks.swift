internal import RatingPolicy

extension Invocation {
    /// Takes one of the options that say which daemon is meant; several different ones clash.
    mutating func choose(_ option: Option, _ value: String) throws(ControlFailure) {
        let choice: Target =
            switch option {
            case .user: .user
            case .system: .system
            default: .socket(value)
            }
        guard !value.isEmpty || option != .socket else {
            throw usage("option --socket has an empty value", verb)
        }
        let isSameKind =
            switch (target, choice) {
            case (.unsaid, _), (.user, .user), (.system, .system), (.socket, .socket): true
            default: false
            }
        guard isSameKind else {
            throw usage("only one of --user, --system and --socket can be meant", verb)
        }
        target = choice
    }

    /// What only the whole line shows.
    func checkCombinations() throws(ControlFailure) {
        switch verb {
        case .optIn, .optOut:
            guard word(0) == nil || !has(.all) else {
                throw usage("'\(verb.rawValue)' takes APP or --all, not both", verb)
            }
            guard word(0) != nil || has(.all) else {
                throw usage("'\(verb.rawValue)' needs APP or --all", verb)
            }
        case .request:
            guard !has(.noWait) || !has(.confirm) else {
                throw usage("--confirm needs an answer later, so --no-wait cannot go with it", verb)
            }
        case .status:
            guard word(0) != nil || !has(.uid) else {
                throw usage("--uid needs APP", verb)
            }
        default:
            return
        }
    }
}

extension Option {
    /// Throws if the value cannot be one of this option.
    func check(_ value: String, _ verb: Verb) throws(ControlFailure) {
        switch self {
        case .count: try checkNumber(value, 1...10_000, verb)
        case .limit: try checkNumber(value, 1...(verb == .logs ? 1_000_000_000 : 1_000), verb)
        case .debounce: try checkNumber(value, 0...600_000, verb)
        case .uid: try checkNumber(value, 0...4_294_967_294, verb)
        case .topic: try checkWord(value, ["decisions", "counters"], verb)
        case .onActivity: try checkWord(value, ["cancel", "restart"], verb)
        case .confirm: try checkWord(value, ["", "yes", "no"], verb)
        case .since where verb == .report && UTCTime.typed(value) == nil:
            throw usage("--since takes 2026-11-30 or 2026-11-30T05:09:02Z, not '\(value)'", verb)
        default: return
        }
    }

    private func checkNumber(
        _ value: String, _ range: ClosedRange<Int64>, _ verb: Verb
    ) throws(ControlFailure) {
        if let number = PolicyKey.integer(from: value), range.contains(number) { return }
        throw usage(
            "--\(rawValue) takes a whole number from \(range.lowerBound) to \(range.upperBound), "
                + "not '\(value)'", verb)
    }

    private func checkWord(
        _ value: String, _ allowed: [String], _ verb: Verb
    ) throws(ControlFailure) {
        if allowed.contains(value) { return }
        let names = allowed.filter { !$0.isEmpty }.joined(separator: " or ")
        throw usage("--\(rawValue) takes \(names), not '\(value)'", verb)
    }
}

extension TimeLimit {
    /// The largest number of seconds that is told apart from never: a year.
    private static let secondsMax: Int64 = 31_536_000

    /// Reads seconds with at most three decimals; 0 and `infinity` are never.
    init(_ text: String, _ verb: Verb) throws(ControlFailure) {
        if text == "infinity" {
            self = .never
            return
        }
        guard let milliseconds = Self.milliseconds(text) else {
            throw usage("--timeout takes seconds such as 10 or 0.5, not '\(text)'", verb)
        }
        self = milliseconds == 0 ? .never : .milliseconds(milliseconds)
    }

    private static func milliseconds(_ text: String) -> Int64? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = parts.count > 1 ? parts[1] : "0"
        guard isDigits(parts[0]), isDigits(fraction), fraction.utf8.count <= 3,
            let seconds = Int64(parts[0]), seconds <= secondsMax,
            let thousandths = Int64(fraction + String(repeating: "0", count: 3 - fraction.count))
        else { return nil }
        return seconds * 1_000 + thousandths
    }

    private static func isDigits(_ text: Substring) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
