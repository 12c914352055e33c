/// What `--help` prints.
package enum HelpText {
    package static func lines(for verb: Verb?) -> [String] {
        verb.map(ofVerb) ?? general
    }

    private static var general: [String] {
        var lines = ["Usage: ratingctl [OPTION…] VERB [ARGUMENT…]", "", "Talk to ratingd."]
        for group in Verb.Group.allCases {
            let verbs = Verb.allCases.filter { $0.group == group }
            lines += ["", "\(group.rawValue):"]
            lines += columns(verbs.map { ($0.synopsis, $0.summary) })
        }
        lines += ["", "Options:"] + columns(Option.everywhere.map { ($0.synopsis, $0.summary) })
        lines += ["", "Exit status:"]
        lines += [
            "  0 yes or done, 1 the answer is no, 64 wrong usage, 65 bad data, 69 no daemon,",
            "  75 try again later, 77 not permitted, 124 timed out",
            "",
            "Environment:",
            "  RATINGD_SOCKET   the socket, if none of --user, --system, --socket is given",
            "  XDG_RUNTIME_DIR  where the socket of a user's daemon is",
            "  PAGER            what shows long text on a terminal",
        ]
        return lines
    }

    private static func ofVerb(_ verb: Verb) -> [String] {
        let rest = verb.passesRest ? " [-- OPTION…]" : ""
        var lines = ["Usage: ratingctl [OPTION…] \(verb.synopsis)\(rest)", ""]
        lines.append(verb.summary.prefix(1).uppercased() + verb.summary.dropFirst() + ".")
        lines += verb.details
        if !verb.options.isEmpty {
            lines += ["", "Options of \(verb.rawValue):"]
            lines += columns(verb.options.map { ($0.synopsis, $0.summary) })
        }
        lines += ["", "Options of every verb:"]
        lines += columns(Option.everywhere.map { ($0.synopsis, $0.summary) })
        return lines
    }

    /// Options or verbs and what they are for, in two columns.
    package static func columns(_ rows: [(left: String, right: String)]) -> [String] {
        let width = min(26, rows.map(\.left.count).max() ?? 0)
        return rows.flatMap { row in
            guard row.left.count <= width else {
                return ["  " + row.left, String(repeating: " ", count: width + 4) + row.right]
            }
            let gap = String(repeating: " ", count: width - row.left.count + 2)
            return ["  " + row.left + gap + row.right]
        }
    }
}
