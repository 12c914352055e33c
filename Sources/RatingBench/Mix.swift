package import RatingControl

/// What a client can be made to send.
package enum Load: String, CaseIterable, Sendable {
    /// An event that is answered.
    case event
    /// An event as a notification, which nobody answers.
    case notify
    case session
    case activity
    case status
    case ping

    package var isAnswered: Bool { self != .notify }
    /// Whether it makes the app's number of events one more.
    package var isCounted: Bool { self == .event || self == .notify }
}

/// How often each load is sent among the others.
package struct Mix: Equatable, Sendable, CustomStringConvertible {
    /// One load and its share, at least 1.
    package struct Part: Equatable, Sendable {
        package let load: Load
        package let weight: Int
    }

    package static let weightMax = 1000

    package let parts: [Part]

    /// Nothing but one load.
    package init(_ load: Load) {
        parts = [Part(load: load, weight: 1)]
    }

    /// Reads `event=9,status=1`; a load without a number has the weight 1.
    package init(_ text: String) throws(ControlFailure) {
        var parts: [Part] = []
        for piece in text.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let load = Load(rawValue: String(sides[0])) else {
                throw Self.unknown(String(sides[0]))
            }
            let weight = sides.count == 1 ? 1 : wholeNumber(sides[1], in: 1...Self.weightMax)
            guard let weight else {
                throw usage("'\(piece)': the share is a whole number from 1 to \(Self.weightMax)")
            }
            guard !parts.contains(where: { $0.load == load }) else {
                throw usage("'\(load.rawValue)' is twice in '\(text)'")
            }
            parts.append(Part(load: load, weight: weight))
        }
        self.parts = parts
    }

    package var description: String {
        guard parts.count > 1 else { return parts[0].load.rawValue }
        return parts.map { "\($0.load.rawValue)=\($0.weight)" }.joined(separator: ",")
    }

    /// One round of the mix, in which the rare ones are spread as evenly as they can be.
    package var round: [Load] {
        let total = parts.reduce(0) { $0 + $1.weight }
        var credits = parts.map { _ in 0 }
        return (0..<total).map { _ in
            for index in parts.indices { credits[index] += parts[index].weight }
            let next = credits.indices.max { credits[$0] < credits[$1] } ?? 0
            credits[next] -= total
            return parts[next].load
        }
    }

    private static func unknown(_ name: String) -> ControlFailure {
        let known = Load.allCases.map(\.rawValue)
        let guess = nearest(to: name, in: known).map { "; did you mean '\($0)'?" } ?? ""
        return usage(
            "'\(name)' is nothing that can be sent\(guess)",
            hint: "Known: \(known.joined(separator: ", ")); for instance --mix event=9,status=1.")
    }
}
