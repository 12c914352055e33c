internal import RatingPolicy

/// A word that a verb takes, by its place.
package struct Positional: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        case app
        case version
        case eventName
        case token
        case outcome
        case method
        case json
        case file
        /// Just this word.
        case literal(String)
    }

    package enum Presence: Equatable, Sendable {
        case required
        case optional
        /// None, one or more.
        case any
        /// One or more.
        case many
    }

    package let kind: Kind
    package let presence: Presence

    package init(_ kind: Kind, _ presence: Presence = .required) {
        self.kind = kind
        self.presence = presence
    }

    package var name: String {
        switch kind {
        case .app: "APP"
        case .version: "VERSION"
        case .eventName: "NAME"
        case .token: "TOKEN"
        case .outcome: "RESULT"
        case .method: "METHOD"
        case .json: "JSON"
        case .file: "FILE"
        case .literal(let word): word
        }
    }

    package var synopsis: String {
        switch presence {
        case .required: name
        case .optional: "[\(name)]"
        case .any: "[\(name)…]"
        case .many: "\(name)…"
        }
    }

    /// Throws if the word cannot be one of this kind, so that a typo never leaves the machine's
    /// command line.
    package func check(_ word: String) throws(ControlFailure) {
        switch kind {
        case .app where AppID(word) == nil:
            throw bad("app id", word, AppID.grammar)
        case .version where Version(word) == nil:
            throw bad("version", word, Version.grammar)
        case .eventName where EventName(word) == nil:
            throw bad("event name", word, EventName.grammar)
        case .token where Token(word) == nil:
            throw bad("token", word, "what 'request' or 'history' printed")
        case .outcome where word != "shown" && Outcome(rawValue: word) == nil:
            let results = ["shown"] + Outcome.allCases.map(\.rawValue)
            throw bad("result", word, "one of \(results.joined(separator: ", "))")
        case .literal(let expected) where word != expected:
            throw ControlFailure(.usage, "'\(word)' is not '\(expected)'")
        default:
            return
        }
    }

    private func bad(_ what: String, _ word: String, _ allowed: String) -> ControlFailure {
        ControlFailure(.badData, "'\(word)' is no \(what)", hint: "Allowed: \(allowed).")
    }
}
