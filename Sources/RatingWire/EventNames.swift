import RatingPolicy

/// Short names of events that were met lately: most events have one of them, and then its text
/// need not be checked and copied again.
struct EventNames {
    private static let places = 64

    private var known = [(signature: JSONNode.Signature, name: EventName)?](
        repeating: nil, count: places)

    /// The name that a value says; nil if it says none.
    @inline(__always)
    mutating func name(_ node: JSONNode) -> EventName? {
        guard node.isOf(.string) else { return nil }
        guard let signature = node.signature else { return Self.read(node) }
        let place = signature.place(of: Self.places)
        if let known = known[place], known.signature == signature { return known.name }
        guard let name = Self.read(node) else { return nil }
        known[place] = (signature, name)
        return name
    }

    private static func read(_ node: JSONNode) -> EventName? {
        node.string.flatMap { EventName($0) }
    }
}

extension JSONNode.Signature {
    /// One of so many places, by all that is in it.
    @inline(__always)
    fileprivate func place(of places: Int) -> Int {
        let mixed = (head ^ tail &* 31 ^ UInt64(count)) &* 0x9E37_79B9_7F4A_7C15
        return Int(mixed >> 32) % places
    }
}
