/// What one line of a client says.
package enum Incoming: Equatable, Sendable {
    case single(Element)
    /// 1 to 100 elements; the answers of those that have one go back as one array.
    case batch([Element])
    /// The line as a whole is wrong; answered with id null.
    case failure(Failure)

    /// In a place of its own, so that handing it on copies a reference.
    package indirect enum Element: Equatable, Sendable {
        /// Without an id a notification: carried out, never answered.
        case call(id: RequestID?, Result<Call, Failure>)
        /// An answer to a request of ours; never answered.
        case response(ClientResponse)
        /// No request; answered with this id.
        case invalid(id: RequestID, Failure)
    }
}
