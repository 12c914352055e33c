/// A value in a place of its own, which is never changed, only replaced.
///
/// Each turn copies what it changes, so as to go back: of this it copies a reference, and what was
/// not replaced is seen to be the same without being looked at.
final class Apart<Value: Hashable & Sendable>: Hashable, Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
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
