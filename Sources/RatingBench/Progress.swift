internal import RatingControl

/// How far a run is, on the terminal of whoever waits for it.
struct Progress {
    /// A shorter run is over before one could read it.
    private static let secondsMin = 2.0

    private let isShown = Terminal.isTerminal(2)

    func show(_ done: Int, _ seconds: Double, of all: Double) {
        guard isShown, all >= Self.secondsMin else { return }
        let rate = grouped(Int(Double(done) / seconds))
        Messages.write("\r\u{1B}[K\(Int(seconds)) s of \(Int(all)), \(rate) per second")
    }

    func clear() {
        guard isShown else { return }
        Messages.write("\r\u{1B}[K")
    }
}
