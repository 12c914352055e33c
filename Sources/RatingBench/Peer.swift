internal import RatingControl
internal import RatingWire

/// The kind of server that is measured; all but ratingd are there to be compared with it.
package enum Peer: String, CaseIterable, Sendable {
    case ratingd
    /// Redis: each event is an `INCR` of the connection's own key.
    case redis
    /// Sends back every line as it came.
    case echo

    /// What a whole line of the server says.
    enum Verdict: Equatable {
        case result
        case error(JSONValue)
        /// A last word (`bye`), with its reason.
        case farewell(String)
        case stranger
    }

    /// The request with this number, with its line end.
    func request(_ load: Load, number: Int, app: String) -> String {
        switch (self, load) {
        case (.redis, .event):
            let key = "\(app):\(Self.eventName)"
            return "*2\r\n$4\r\nINCR\r\n$\(key.utf8.count)\r\n\(key)\r\n"
        case (.redis, _):
            return "*1\r\n$4\r\nPING\r\n"
        case (_, .event):
            return #"{"id":\#(number),"method":"event","params":{"name":"\#(Self.eventName)"}}"#
                + "\n"
        case (_, .notify):
            return #"{"method":"event","params":{"name":"\#(Self.eventName)"}}"# + "\n"
        case (_, .session), (_, .activity), (_, .status), (_, .ping):
            return #"{"id":\#(number),"method":"\#(load.rawValue)"}"# + "\n"
        }
    }

    /// Whether this peer knows what is to be sent.
    func knows(_ load: Load) -> Bool {
        switch self {
        case .ratingd: true
        case .redis: load == .event || load == .ping
        case .echo: load.isAnswered
        }
    }

    /// Whether a line is a plain result, by a look at its first bytes only; false: see `judge`.
    @inline(__always)
    func isResult(_ line: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .redis: return unsafe line.count > 1 && line[0] == UInt8(ascii: ":")
        case .echo: return unsafe line.count > 1 && line[0] == UInt8(ascii: "{")
        case .ratingd:
            // {"jsonrpc":"2.0","id":12,"result":…
            var at = Self.idOffset
            while unsafe at < line.count && line[at] &- UInt8(ascii: "0") < 10 { at += 1 }
            return unsafe at > Self.idOffset && at + 2 < line.count
                && line[at + 2] == UInt8(ascii: "r")
        }
    }

    /// Reads a line of which `isResult` is not sure.
    func judge(_ line: [UInt8]) -> Verdict {
        guard self == .ratingd else {
            let text = String(decoding: line, as: UTF8.self)
            if text.hasPrefix("+") { return .result }
            guard self == .redis, text.hasPrefix("-") else { return .stranger }
            return .error(.object([.init("message", .string("redis says: \(text.dropFirst())"))]))
        }
        // Whatever is wrong with it, it is not from ratingd.
        guard let value = try? JSONValue(parsing: line.span) else { return .stranger }
        if value["result"] != nil { return .result }
        if let error = value["error"] { return .error(error) }
        guard value["method"]?.string == "bye" else { return .stranger }
        return .farewell(value["params"]?["reason"]?.string ?? "?")
    }

    static let eventName = "note-saved"
    private static let idOffset = #"{"jsonrpc":"2.0","id":"#.utf8.count
}
