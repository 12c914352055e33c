import Synchronization

/// A place that one thread fills and another empties.
final class Slot<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)

    func fill(_ new: Value) {
        value.withLock { $0 = new }
    }

    func take() -> Value? {
        value.withLock { value in
            defer { value = nil }
            return value
        }
    }
}
