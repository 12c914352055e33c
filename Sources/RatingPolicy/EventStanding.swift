/// What the events of one name of an app have come to.
package struct EventStanding: Equatable, Sendable {
    /// The place of the name in the order of names.
    package let place: Int
    package var ofName: Int64
    /// With those of all other names.
    package var ofAll: Int64
}
