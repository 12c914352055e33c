internal import RatingControl
internal import RatingWire

/// What a run has measured.
struct Figures: Sendable {
    var server: String
    var options: BenchOptions
    var tally: Tally
    var nanoseconds: Int64
    /// Processor time of the server and of this program meanwhile; nil where it cannot be known.
    var serverNanoseconds: Int64?
    var ownNanoseconds: Int64?
    /// How many events the daemon did not count though it was sent them; nil: nobody looked.
    var uncounted: Int?

    var seconds: Double { Double(nanoseconds) / 1e9 }
    /// Answers without an error, and notifications.
    var done: Int { tally.answers + tally.notifications }
    var perSecond: Double { Double(done) / seconds }

    /// What to tell if not everything was done as it was sent.
    var complaint: ControlFailure? {
        let refused = tally.errorCount
        guard refused > 0 || (uncounted ?? 0) > 0 else { return nil }
        // A notification that is refused by the rate is refused in silence.
        let isLimited =
            tally.errors["rate_limited"] != nil || refused == 0 && tally.notifications > 0
        let first =
            tally.firstError?["message"]?.string
            ?? "\(grouped(uncounted ?? 0)) events were not counted"
        return ControlFailure(
            .no, "not all requests were carried out: \(first)",
            hint: isLimited ? Self.rateHint : nil)
    }

    private static let rateHint =
        "To measure it without its limits, start a daemon of your own with RateLimitPerSec=0 in "
        + "the section [Daemon] of its ratingd.conf, or --config DIR."

    /// Microseconds of processor time of the server for each request.
    var serverMicroseconds: Double? {
        let requests = done + tally.errorCount
        guard let serverNanoseconds, requests > 0 else { return nil }
        return Double(serverNanoseconds) / Double(requests) / 1e3
    }

    /// Names and values of the times, in microseconds.
    var latencies: [(name: String, value: Double)] {
        let times = tally.latencies
        let shares = [("median", 0.5), ("p99", 0.99), ("p99.9", 0.999)]
        var all = shares.compactMap { name, share in
            times.percentile(share).map { (name: name, value: Double($0) / 1e3) }
        }
        if times.total > 0 { all.append((name: "worst", value: Double(times.worst) / 1e3)) }
        return all
    }
}

extension Figures {
    var json: JSONValue {
        let latency = latencies.map { JSONValue.Member($0.name, .double(rounded($0.value, 3))) }
        let errors = tally.errors.sorted { $0.key < $1.key }.map {
            JSONValue.Member($0.key, .integer(Int64($0.value)))
        }
        return .object([
            .init("server", .string(server)),
            .init("connections", .integer(Int64(options.connections))),
            .init("pipeline", .integer(Int64(options.pipeline))),
            .init("mix", .string(options.mix.description)),
            .init("seconds", .double(rounded(seconds, 3))),
            .init("answers", .integer(Int64(tally.answers))),
            .init("notifications", .integer(Int64(tally.notifications))),
            .init("per_second", .double(rounded(perSecond, 1))),
            .init("errors", .object(errors)),
            .init("uncounted", uncounted.map { .integer(Int64($0)) } ?? .null),
            .init("latency_us", .object(latency)),
            .init(
                "server_cpu_us_per_request",
                serverMicroseconds.map { .double(rounded($0, 3)) } ?? .null),
            .init("server_cpu_share", share(serverNanoseconds)),
            .init("own_cpu_share", share(ownNanoseconds)),
        ])
    }

    var lines: [String] {
        var fields = Fields()
        fields.append("server", server)
        fields.append(
            "load",
            "\(options.connections) × \(options.pipeline), \(options.mix), \(short(seconds)) s")
        fields.append("per second", grouped(Int(perSecond)))
        fields.append("answers", grouped(tally.answers))
        if tally.notifications > 0 { fields.append("notifications", grouped(tally.notifications)) }
        fields.append("errors", errorText)
        if let uncounted, uncounted > 0 { fields.append("not counted", grouped(uncounted)) }
        for (name, value) in latencies { fields.append(name, timeText(value)) }
        if let serverMicroseconds, let serverNanoseconds {
            fields.append(
                "server's CPU",
                "\(short(serverMicroseconds)) µs each, \(percent(serverNanoseconds)) of one")
        }
        if let ownNanoseconds { fields.append("own CPU", "\(percent(ownNanoseconds)) of one") }
        return fields.lines
    }

    private var errorText: String {
        guard !tally.errors.isEmpty else { return "0" }
        return tally.errors.sorted { $0.key < $1.key }
            .map { "\(grouped($0.value)) \($0.key)" }.joined(separator: ", ")
    }

    private func share(_ used: Int64?) -> JSONValue {
        used.map { .double(rounded(Double($0) / Double(nanoseconds), 3)) } ?? .null
    }

    private func percent(_ used: Int64) -> String {
        "\(Int((Double(used) / Double(nanoseconds) * 100).rounded())) %"
    }
}

/// A number with so many digits behind the point.
private func rounded(_ value: Double, _ digits: Int) -> Double {
    let factor = [1.0, 10, 100, 1000][digits]
    return (value * factor).rounded() / factor
}

/// A number with one digit behind the point.
func short(_ value: Double) -> String {
    rounded(value, 1).description
}

/// A time in microseconds, for people.
func timeText(_ microseconds: Double) -> String {
    microseconds < 1000 ? "\(short(microseconds)) µs" : "\(short(microseconds / 1000)) ms"
}

/// A whole number in groups of three digits.
func grouped(_ number: Int) -> String {
    var text = ""
    for (place, digit) in String(number).reversed().enumerated() {
        if place > 0 && place % 3 == 0 && digit != "-" { text.append(",") }
        text.append(digit)
    }
    return String(text.reversed())
}
