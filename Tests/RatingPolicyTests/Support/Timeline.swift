import RatingPolicy

/// Plays a drawn timeline; what comes back is the same drawing with what really happened.
///
/// One column is one unit of time; at its start time passes, then the column's input comes.
///
///     s  session (z: it is the same session as before)    e  event    a  activity
///     r  request that is pending (R: refused)
///     y  yes to `confirm`, and with it the prompt          n    no, and with it the end
///     G  request and, within the column, its prompt
///     l later   d declined   v never   t rated   m dismissed   f failed   w shown
///     -  a request waits          (space)  none does
///     P  the prompt comes    ?  `confirm` is asked    X  time ends the request without a prompt
struct Timeline {
    var app: App
    let unit: Milliseconds

    /// The drawing as it went. A column in which time did something shows that.
    static func play(_ drawing: String, unit: Milliseconds, _ app: App) -> String {
        var timeline = Timeline(app: app, unit: unit)
        return timeline.play(drawing)
    }

    mutating func play(_ drawing: String) -> String {
        var seen = ""
        for column in drawing {
            let start = app.now
            let mark = passTime()
            let input = input(column)
            seen.append(mark ?? input ?? (app.state.pending == nil ? " " : "-"))
            app.now = start + unit
        }
        return seen
    }

    private mutating func passTime() -> Character? {
        switch app.timePassed() {
        case .nothing: nil
        case .asksConfirm: "?"
        case .cancelled: "X"
        case .granted: "P"
        }
    }

    /// What the column's input turned out to be; nil if it has none.
    private mutating func input(_ column: Character) -> Character? {
        switch column {
        case "s", "z": return app.session() ? "s" : "z"
        case "e": app.event()
        case "a": _ = app.activity()
        case "r", "R":
            if case .refused = app.request() { return "R" }
            return "r"
        case "G": return app.prompt() ? "G" : "R"
        case "y":
            guard case .granted = app.answer(true) else { return "!" }
        case "n":
            guard case .cancelled(_, .declinedByApp) = app.answer(false) else { return "!" }
        default:
            guard let report = Self.reports[column] else { return nil }
            guard case .accepted = app.report(report) else { return "!" }
        }
        return column
    }

    private static let reports: [Character: OutcomeReport] = [
        "l": .final(.later), "d": .final(.declined), "v": .final(.never), "t": .final(.rated),
        "m": .final(.dismissed), "f": .final(.failed), "w": .shown,
    ]
}
