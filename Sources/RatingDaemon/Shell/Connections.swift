/// The connections of the loop, each at a place of its own, which others take after it.
///
/// Its tag says the place, and a number that no other has: what epoll still tells of one that is
/// gone finds nobody. Looked up for each descriptor that is ready, so nothing is hashed.
struct Connections {
    private var places: [Connection?] = []
    private var free: [Int] = []
    private var lastNumber: UInt64 = 0

    private static let placeBits: UInt64 = 20
    /// More than there can be descriptors.
    static let countMax = 1 << placeBits

    var isEmpty: Bool { free.count == places.count }
    var all: [Connection] { places.compactMap { $0 } }

    subscript(tag: UInt64) -> Connection? {
        let place = Int(tag % UInt64(Self.countMax))
        guard place < places.count, let connection = places[place], connection.tag == tag else {
            return nil
        }
        return connection
    }

    /// The tag of the connection that is added next.
    func nextTag() -> UInt64 {
        (lastNumber + 1) << Self.placeBits | UInt64(free.last ?? places.count)
    }

    mutating func add(_ connection: Connection) {
        precondition(connection.tag == nextTag(), "a connection has the tag that was next")
        precondition(places.count < Self.countMax, "there is a place left")
        lastNumber += 1
        if let place = free.popLast() {
            places[place] = connection
        } else {
            places.append(connection)
        }
    }

    mutating func remove(_ connection: Connection) {
        precondition(self[connection.tag] === connection, "what is taken away is there")
        let place = Int(connection.tag % UInt64(Self.countMax))
        places[place] = nil
        free.append(place)
    }
}
