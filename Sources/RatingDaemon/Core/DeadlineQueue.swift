import RatingPolicy

/// The moments at which pending requests want to be looked at, earliest first, and of one moment
/// those that were pushed first: a binary heap.
///
/// Entries are never taken out early: one whose request has ended or moved on is passed over when
/// its time comes. To keep them from piling up, the queue is rebuilt when they outnumber requests.
struct DeadlineQueue {
    struct Entry: Comparable {
        var time: SteadyTime
        var key: AppKey
        fileprivate var number: UInt64

        static func < (left: Entry, right: Entry) -> Bool {
            (left.time, left.number) < (right.time, right.number)
        }
    }

    private var lastNumber: UInt64 = 0

    private(set) var entries: [Entry] = []

    var earliest: SteadyTime? { entries.first?.time }

    mutating func push(_ time: SteadyTime, _ key: AppKey) {
        lastNumber += 1
        entries.append(Entry(time: time, key: key, number: lastNumber))
        var child = entries.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child] < entries[parent] else { return }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes the earliest entry out if its time has come.
    mutating func popDue(at now: SteadyTime) -> Entry? {
        guard let first = entries.first, first.time <= now else { return nil }
        removeFirst()
        return first
    }

    mutating func removeFirst() {
        guard let last = entries.popLast(), !entries.isEmpty else { return }
        entries[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < entries.count && entries[child] < entries[least] {
                least = child
            }
            guard least != parent else { return }
            entries.swapAt(parent, least)
            parent = least
        }
    }

    /// Keeps only the entries that still mean something.
    mutating func rebuild(where isWanted: (Entry) -> Bool) {
        entries = entries.filter(isWanted).sorted()
    }
}

/// The earlier of two times that may both be missing.
func earlier(_ one: SteadyTime?, _ other: SteadyTime?) -> SteadyTime? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
}
