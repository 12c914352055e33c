/// Where a line of the funnel stands: by UTC day, and within it by the key of its step.
package struct FunnelPlace: Hashable, Comparable, Sendable {
    package var day: Int64
    package var step: String

    package init(day: Int64, step: String) {
        self.day = day
        self.step = step
    }

    /// Before all lines of a day.
    package init(before day: Int64) {
        self.init(day: day, step: "")
    }

    /// Steps by their bytes, as SQLite does.
    package static func < (left: FunnelPlace, right: FunnelPlace) -> Bool {
        left.day == right.day
            ? left.step.utf8.lexicographicallyPrecedes(right.step.utf8) : left.day < right.day
    }
}

/// How often a step of the funnel was counted on a day.
package struct FunnelLine: Hashable, Sendable {
    package var place: FunnelPlace
    package var count: Int64

    package init(place: FunnelPlace, count: Int64) {
        self.place = place
        self.count = count
    }
}
