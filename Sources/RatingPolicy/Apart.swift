/// A value in a place of its own, which is not changed as long as several refer to it.
///
/// Each turn copies what it changes, so as to go back: of this it copies a reference, and what was
/// not replaced is seen to be the same without being looked at.
final class Apart<Value: Hashable & Sendable>: Hashable, @unchecked Sendable {
    private(set) var value: Value

    init(_ value: Value) {
        self.value = value
    }

    /// Changes the value in its place, or a copy of it in a new one if others refer to this one.
    static func change(_ place: inout Apart, _ change: (inout Value) -> Void) {
        if isKnownUniquelyReferenced(&place) {
            change(&place.value)
        } else {
            var value = place.value
            change(&value)
            place = Apart(value)
        }
    }

    static func == (left: Apart, right: Apart) -> Bool {
        left === right || left.value == right.value
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(value)
    }
}

/// As text it is its value: records are compared as text, too.
extension Apart: CustomStringConvertible {
    var description: String { "\(value)" }
}
