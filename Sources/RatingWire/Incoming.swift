package import RatingPolicy

/// What one line of a client says.
package enum Incoming: Equatable, Sendable {
    case single(Element)
    /// A call in a line like one before.
    case known(KnownCall)
    /// 1 to 100 elements; the answers of those that have one go back as one array.
    case batch([Element])
    /// The line as a whole is wrong; answered with id null.
    case failure(Failure)

    package enum Element: Equatable, Sendable {
        /// Without an id a notification: carried out, never answered.
        case call(id: RequestID?, Request)
        /// An answer to a request of ours; never answered.
        indirect case response(ClientResponse)
        /// No request; answered with this id.
        indirect case invalid(id: RequestID, Failure)
    }
}

/// A line that was met lately and said something sensible; each line like it comes with this one.
package final class KnownLine: Equatable, Sendable {
    let bytes: [UInt8]
    /// Where the digits of the id are; nil in a notification.
    let id: Range<Int>?
    package let request: Request
    /// What it reports, if it is an event of the connection's own app.
    package let event: (name: EventName, count: Int64)?

    init(_ bytes: [UInt8], id: Range<Int>?, _ request: Request) {
        self.bytes = bytes
        self.id = id
        self.request = request
        event =
            if case .success(.event(app: nil, let name, let count)) = request {
                (name, count)
            } else {
                nil
            }
    }

    package static func == (left: KnownLine, right: KnownLine) -> Bool { left === right }
}

/// A call that is like one before, but for its id.
package struct KnownCall: Equatable, Sendable {
    /// Nil in a notification.
    package let id: Int64?
    package let line: KnownLine

    /// The same as if the line had been read.
    package var element: Incoming.Element {
        .call(id: id.map(RequestID.integer), line.request)
    }
}

/// What a request asks for, or why it cannot be asked.
///
/// In a place of its own: handing it on copies a reference, and equal lines can share one.
package indirect enum Request: Equatable, Sendable {
    case success(Call)
    case failure(Failure)
}
