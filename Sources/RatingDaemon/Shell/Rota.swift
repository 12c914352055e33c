/// Something of which one after the other comes.
protocol Waiting {
    init()
    var isEmpty: Bool { get }
    mutating func next() -> UInt64?
}

/// First come, first served.
struct Queue<Element> {
    private var elements: [Element] = []
    private var start = 0

    var isEmpty: Bool { start == elements.count }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        defer { shift() }
        start += 1
        return elements[start - 1]
    }

    private mutating func shift() {
        guard start == elements.count || start > 64 && start > elements.count / 2 else { return }
        elements.removeFirst(start)
        start = 0
    }
}

extension Queue: Waiting where Element == UInt64 {
    mutating func next() -> UInt64? { popFirst() }
}

/// Several who take turns, whatever each has waiting: nobody comes again before all others.
struct Rota<Entry: Waiting>: Waiting {
    private var entries: [ObjectIdentifier: Entry] = [:]
    /// Who comes in this round, and who in the next.
    private var round = Queue<ObjectIdentifier>()
    private var nextRound = Queue<ObjectIdentifier>()
    /// Who has had a turn in this round, also without having to wait.
    private var served: Set<ObjectIdentifier> = []

    init() {}

    var isEmpty: Bool { entries.isEmpty }

    /// Changes what somebody has waiting, which is not to become empty by it.
    mutating func wait(_ id: ObjectIdentifier, _ change: (inout Entry) -> Void) {
        if entries[id] == nil {
            if served.contains(id) { nextRound.append(id) } else { round.append(id) }
        }
        change(&entries[id, default: Entry()])
    }

    /// Somebody has had a turn without having to wait.
    mutating func serve(_ id: ObjectIdentifier, _ change: (inout Entry) -> Void = { _ in }) {
        guard !isEmpty else { return }
        served.insert(id)
        if entries[id] != nil { change(&entries[id, default: Entry()]) }
    }

    mutating func next() -> UInt64? {
        guard let id = nextID() else { return nil }
        served.insert(id)
        let tag = entries[id, default: Entry()].next()
        if entries[id]?.isEmpty ?? true {
            entries[id] = nil
        } else {
            nextRound.append(id)
        }
        if isEmpty { self = Rota() }
        return tag
    }

    private mutating func nextID() -> ObjectIdentifier? {
        guard !isEmpty else { return nil }
        while true {
            while let id = round.popFirst() {
                guard served.contains(id) else { return id }
                nextRound.append(id)
            }
            swap(&round, &nextRound)
            served = []
        }
    }
}
