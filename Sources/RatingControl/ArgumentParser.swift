/// Reads a command line as GNU programs do.
///
/// Options may stand anywhere before `--`; a long one may be shortened while it stays clear, and
/// its value follows after `=` or as the next word; the last of several wins.
package struct ArgumentParser {
    private var words: [String] = []
    private var rest: [String] = []
    private var options: [(option: Option, value: String)] = []

    /// Parses the arguments without the program's name.
    package static func parse(_ arguments: [String]) throws(ControlFailure) -> Command {
        var parser = ArgumentParser()
        try parser.split(arguments)
        return try parser.command()
    }

    /// Sorts the arguments into words and options.
    private mutating func split(_ arguments: [String]) throws(ControlFailure) {
        var remaining = arguments[...]
        while let argument = remaining.popFirst() {
            if argument == "--" {
                rest = Array(remaining)
                return
            }
            if argument.hasPrefix("--") {
                try splitLong(argument, &remaining)
            } else if argument.hasPrefix("-"), argument != "-" {
                try splitShort(argument, &remaining)
            } else {
                words.append(argument)
            }
        }
    }

    private mutating func splitLong(
        _ argument: String, _ remaining: inout ArraySlice<String>
    ) throws(ControlFailure) {
        let parts = argument.dropFirst(2).split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let option = try lookUp(String(parts[0]))
        let value = parts.count > 1 ? String(parts[1]) : nil
        switch (option.argument, value) {
        case (.none, let value?):
            throw usage("option --\(option.rawValue) takes no value, but got '\(value)'")
        case (.none, nil), (.optional, nil):
            options.append((option, ""))
        case (.required(let name), nil):
            guard let next = remaining.popFirst() else {
                throw usage("option --\(option.rawValue) needs a value: \(name)")
            }
            options.append((option, next))
        case (_, let value?):
            guard !value.isEmpty else {
                throw usage("option --\(option.rawValue) has an empty value")
            }
            options.append((option, value))
        }
    }

    private mutating func splitShort(
        _ argument: String, _ remaining: inout ArraySlice<String>
    ) throws(ControlFailure) {
        var letters = argument.dropFirst()
        while let letter = letters.popFirst() {
            guard let option = Option.allCases.first(where: { $0.short == letter }) else {
                throw usage("unknown option '-\(letter)'")
            }
            guard case .required(let name) = option.argument else {
                options.append((option, ""))
                continue
            }
            guard let value = letters.isEmpty ? remaining.popFirst() : String(letters) else {
                throw usage("option -\(letter) needs a value: \(name)")
            }
            options.append((option, value))
            return
        }
    }

    private func lookUp(_ name: String) throws(ControlFailure) -> Option {
        if let option = Option(rawValue: name) { return option }
        let known = Option.allCases.map(\.rawValue)
        let matches = name.isEmpty ? [] : known.filter { $0.hasPrefix(name) }
        if matches.count == 1, let option = Option(rawValue: matches[0]) { return option }
        guard matches.isEmpty else {
            let names = matches.map { "--\($0)" }.joined(separator: ", ")
            throw usage("option '--\(name)' could be any of \(names)")
        }
        let guess = nearest(to: name, in: known).map { "; did you mean '--\($0)'?" } ?? ""
        throw usage("unknown option '--\(name)'\(guess)")
    }
}

extension ArgumentParser {
    /// Puts the parts together.
    private consuming func command() throws(ControlFailure) -> Command {
        let asksForHelp = options.contains { $0.option == .help } || words.first == "help"
        if words.first == "help" { words.removeFirst() }
        guard let word = words.first else {
            if asksForHelp { return .help(nil) }
            if options.contains(where: { $0.option == .version }) { return .version }
            throw usage("a verb is missing")
        }
        let verb = try Self.verb(word)
        if asksForHelp { return .help(verb) }
        if options.contains(where: { $0.option == .version }) { return .version }
        var invocation = Invocation(verb: verb)
        try apply(to: &invocation)
        try fill(&invocation)
        try invocation.checkCombinations()
        return .run(invocation)
    }

    private static func verb(_ word: String) throws(ControlFailure) -> Verb {
        if let verb = Verb(rawValue: word) { return verb }
        let guess = nearest(to: word, in: Verb.allCases.map(\.rawValue))
        throw usage("unknown verb '\(word)'" + (guess.map { "; did you mean '\($0)'?" } ?? ""))
    }

    private func apply(to invocation: inout Invocation) throws(ControlFailure) {
        for (option, value) in options {
            switch option {
            case .user, .system, .socket:
                try invocation.choose(option, value)
            case .json:
                guard value.isEmpty || JSONStyle(rawValue: value) != nil else {
                    throw usage("--json takes short or pretty, not '\(value)'", invocation.verb)
                }
                invocation.format = .json(JSONStyle(rawValue: value))
            case .noPager:
                invocation.usesPager = false
            case .timeout:
                invocation.timeLimit = try TimeLimit(value, invocation.verb)
            case .help, .version:
                break
            default:
                guard invocation.verb.options.contains(option) else {
                    throw usage(
                        "'\(invocation.verb.rawValue)' has no option --\(option.rawValue)",
                        invocation.verb)
                }
                try option.check(value, invocation.verb)
                invocation.options[option] = value
            }
        }
    }

    private func fill(_ invocation: inout Invocation) throws(ControlFailure) {
        let verb = invocation.verb
        var words = Array(self.words.dropFirst())
        if verb.passesRest { invocation.rest = rest } else { words += rest }
        invocation.words = words
        var places = verb.positionals[...]
        for word in words {
            guard let place = places.first else {
                throw usage("'\(word)' is one word too many for '\(verb.rawValue)'", verb)
            }
            try place.check(word)
            places.removeFirst()
            if place.presence == .any || place.presence == .many {
                places = [Positional(place.kind, .any)]
            }
        }
        if let missing = places.first,
            missing.presence == .required || missing.presence == .many
        {
            throw usage("'\(verb.rawValue)' needs \(missing.name)", verb)
        }
    }
}

/// A failure of the command line itself, with where to read on.
func usage(_ message: String, _ verb: Verb? = nil) -> ControlFailure {
    let command = verb.map { "ratingctl \($0.rawValue) --help" } ?? "ratingctl --help"
    return ControlFailure(.usage, message, hint: "Try '\(command)'.")
}
