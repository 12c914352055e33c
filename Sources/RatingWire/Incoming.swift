/// What one line of a client says.
package enum Incoming: Equatable, Sendable {
    case single(Element)
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

/// What a request asks for, or why it cannot be asked.
///
/// In a place of its own: handing it on copies a reference, and equal lines can share one.
package indirect enum Request: Equatable, Sendable {
    case success(Call)
    case failure(Failure)
}
