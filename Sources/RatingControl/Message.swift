internal import RatingWire

/// One line of the daemon.
enum Message: Equatable {
    /// An answer; the id is nil if the daemon could not read ours.
    case answer(id: Int64?, Reply)
    case notification(method: String, params: JSONValue)
    /// A request of the daemon, to be answered under this id.
    case request(id: String, method: String, params: JSONValue)

    enum Reply: Equatable {
        case result(JSONValue)
        case error(JSONValue)
    }

    /// Nil if the line is nothing that ratingd says.
    init?(_ line: [UInt8]) {
        // Whatever is wrong with it, it is not from ratingd.
        guard let value = try? JSONValue(parsing: line.span) else { return nil }
        if let method = value["method"]?.string {
            let params = value["params"] ?? .object([])
            if let id = value["id"]?.string {
                self = .request(id: id, method: method, params: params)
            } else {
                self = .notification(method: method, params: params)
            }
        } else if let result = value["result"] {
            self = .answer(id: value["id"]?.integer, .result(result))
        } else if let error = value["error"] {
            self = .answer(id: value["id"]?.integer, .error(error))
        } else {
            return nil
        }
    }
}
