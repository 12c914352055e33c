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
    /// One of them, of this rota only, so that nobody has to be looked up.
    final class Member {
        fileprivate var entry = Entry()
        /// The round in which it last had a turn, also without having to wait.
        fileprivate var servedIn = 0
        fileprivate var isWaiting = false
    }

    private var waitingCount = 0
    private var roundNumber = 1
    /// Who comes in this round, and who in the next.
    private var round = Queue<Member>()
    private var nextRound = Queue<Member>()

    init() {}

    var isEmpty: Bool { waitingCount == 0 }

    /// Changes what somebody has waiting, which is not to become empty by it.
    mutating func wait(_ member: Member, _ change: (inout Entry) -> Void) {
        if !member.isWaiting {
            member.isWaiting = true
            waitingCount += 1
            if isServed(member) { nextRound.append(member) } else { round.append(member) }
        }
        change(&member.entry)
    }

    /// Somebody has had a turn without having to wait.
    mutating func serve(_ member: Member, _ change: (inout Entry) -> Void = { _ in }) {
        guard !isEmpty else { return }
        member.servedIn = roundNumber
        if member.isWaiting { change(&member.entry) }
    }

    mutating func next() -> UInt64? {
        guard let member = nextMember() else { return nil }
        member.servedIn = roundNumber
        let tag = member.entry.next()
        if member.entry.isEmpty {
            member.isWaiting = false
            waitingCount -= 1
            if isEmpty { roundNumber += 1 }
        } else {
            nextRound.append(member)
        }
        return tag
    }

    private func isServed(_ member: Member) -> Bool { member.servedIn == roundNumber }

    private mutating func nextMember() -> Member? {
        guard !isEmpty else { return nil }
        while true {
            while let member = round.popFirst() {
                guard isServed(member) else { return member }
                nextRound.append(member)
            }
            swap(&round, &nextRound)
            roundNumber += 1
        }
    }
}
