/// How often each event of an app was reported.
///
/// A list sorted by name: an app has few, and every event looks one of them up.
package struct EventCounts: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        package let name: EventName
        package let count: Count
    }

    // Beside each other, since names stay the same while counts rise, and are copied with a turn.
    private var names: [EventName] = []
    private var numbers = Numbers()
    /// All events of all names.
    package private(set) var total: Count = 0

    package init() {}

    /// In the order of the names' bytes.
    package var entries: [Entry] {
        names.indices.map { Entry(name: names[$0], count: numbers[$0]) }
    }

    /// The number of names.
    package var count: Int { names.count }

    /// Nil for a name that is not there.
    package subscript(name: EventName) -> Count? {
        get {
            let place = place(of: name)
            return has(name, at: place) ? numbers[place] : nil
        }
        set {
            let place = place(of: name)
            if has(name, at: place) {
                numbers.remove(at: place, of: count)
                names.remove(at: place)
                total = 0
                for place in names.indices { total += numbers[place].value }
            }
            guard let newValue else { return }
            insert(name, newValue, at: place)
            total += newValue.value
        }
    }

    /// Counts events of one name.
    ///
    /// Returns what the name has now; nil, and counts nothing, if it is new and there are
    /// `namesMax` already.
    package mutating func add(_ number: Int64, to name: EventName, namesMax: Int) -> Count? {
        let place = place(of: name)
        if !has(name, at: place) {
            guard names.count < namesMax else { return nil }
            insert(name, 0, at: place)
        }
        total += number
        return numbers[place].add(number)
    }

    /// Nil for a name that is not there.
    @inline(__always)
    func standing(of name: EventName) -> EventStanding? {
        guard let place = names.firstIndex(of: name) else { return nil }
        return EventStanding(place: place, ofName: numbers[place].value, ofAll: total.value)
    }

    /// Counts events of the name at this place.
    mutating func add(_ number: Int64, atPlace place: Int) {
        total += number
        _ = numbers[place].add(number)
    }

    /// See `AppRecord.tellRisenCounts`.
    func tellRisen(since before: EventCounts, _ tell: (Int, Count) -> Bool) -> Bool {
        guard names == before.names, total != before.total else { return false }
        for place in names.indices where numbers[place] != before.numbers[place] {
            guard numbers[place] > before.numbers[place], tell(place, numbers[place]) else {
                return false
            }
        }
        return true
    }

    /// Raises the count of a name, given by its place in the order; false, and changes nothing, if
    /// there is no such place or it has more already.
    package mutating func raise(_ place: Int, to count: Count) -> Bool {
        guard names.indices.contains(place), numbers[place] <= count else { return false }
        total += count.value - numbers[place].value
        numbers[place] = count
        return true
    }

    private mutating func insert(_ name: EventName, _ count: Count, at place: Int) {
        numbers.insert(count, at: place, of: names.count)
        names.insert(name, at: place)
    }

    /// Where the name is, or else would be.
    private func place(of name: EventName) -> Int {
        var low = 0
        var high = names.count
        while low < high {
            let middle = (low + high) / 2
            if names[middle] < name { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func has(_ name: EventName, at place: Int) -> Bool {
        place < names.count && names[place] == name
    }
}

extension EventCounts: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (EventName, Count)...) {
        for (name, count) in elements { self[name] = count }
    }
}

/// Counts by place: the first few without a list of their own, which would be copied and let go
/// with every turn, and few apps have more names.
private struct Numbers: Hashable, Sendable {
    private static let fewMax = 4

    private var few = InlineArray<4, Count>(repeating: 0)
    private var others: [Count] = []

    subscript(place: Int) -> Count {
        get { place < Self.fewMax ? few[place] : others[place - Self.fewMax] }
        set {
            if place < Self.fewMax {
                few[place] = newValue
            } else {
                others[place - Self.fewMax] = newValue
            }
        }
    }

    /// Puts one in; `count` is how many there were.
    mutating func insert(_ number: Count, at place: Int, of count: Int) {
        if count >= Self.fewMax { others.append(0) }
        for later in stride(from: count, to: place, by: -1) { self[later] = self[later - 1] }
        self[place] = number
    }

    /// Takes one out; `count` is how many there were.
    mutating func remove(at place: Int, of count: Int) {
        for later in place..<count - 1 { self[later] = self[later + 1] }
        if count > Self.fewMax { others.removeLast() } else { self[count - 1] = 0 }
    }

    static func == (left: Numbers, right: Numbers) -> Bool {
        left.few.indices.allSatisfy { left.few[$0] == right.few[$0] } && left.others == right.others
    }

    func hash(into hasher: inout Hasher) {
        for place in few.indices { hasher.combine(few[place]) }
        hasher.combine(others)
    }
}
