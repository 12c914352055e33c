internal import RatingPolicy

/// Which daemon is meant.
package enum Target: Equatable, Sendable {
    /// Nobody said: the one of `$RATINGD_SOCKET`, else the user's own.
    case unsaid
    case user
    case system
    case socket(String)
}

package enum JSONStyle: String, CaseIterable, Sendable {
    /// One line.
    case short
    case pretty
}

/// How long to wait for the daemon.
package enum TimeLimit: Equatable, Sendable {
    /// What is right for the verb.
    case unsaid
    case never
    case milliseconds(Int64)
}

/// A command line that was understood.
package struct Invocation: Equatable, Sendable {
    package enum Format: Equatable, Sendable {
        case text
        /// Nil: pretty on a terminal, else one line.
        case json(JSONStyle?)
    }

    package var verb: Verb
    package var target = Target.unsaid
    package var format = Format.text
    package var usesPager = true
    package var timeLimit = TimeLimit.unsaid
    /// The words besides the verb; each is of its place's kind.
    package var words: [String] = []
    /// What goes to another program.
    package var rest: [String] = []
    /// The verb's own options; "" where an option has no value.
    package var options: [Option: String] = [:]

    package init(verb: Verb) {
        self.verb = verb
    }

    package func has(_ option: Option) -> Bool {
        options[option] != nil
    }

    /// The word at this place; nil if it was left out.
    package func word(_ place: Int) -> String? {
        words.indices.contains(place) ? words[place] : nil
    }

    /// The word at a place that must be filled; the parser saw to it.
    package func required(_ place: Int) -> String {
        guard let word = word(place) else {
            preconditionFailure("the parser refuses a line without its required words")
        }
        return word
    }

    /// The value of an option that is a checked number.
    package func number(_ option: Option) -> Int64? {
        options[option].flatMap(PolicyKey.integer(from:))
    }
}

/// What a command line asks for.
package enum Command: Equatable, Sendable {
    case run(Invocation)
    case help(Verb?)
    case version
}
