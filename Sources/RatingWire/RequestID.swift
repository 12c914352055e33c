internal import RatingPolicy

/// The id of a request, to be echoed as it came.
package enum RequestID: Hashable, Sendable {
    /// Also stands for an id that could not be read.
    case null
    case integer(Int64)
    case string(String)

    package static func == (left: RequestID, right: RequestID) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.integer(let left), .integer(let right)): left == right
        // By bytes: Swift takes some different texts for equal.
        case (.string(let left), .string(let right)): ExactText(left) == ExactText(right)
        case (.null, _), (.integer, _), (.string, _): false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .integer(let number): hasher.combine(number)
        case .string(let text): hasher.combine(ExactText(text))
        }
    }
}
