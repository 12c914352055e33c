/// How often each event of an app was reported.
///
/// A list sorted by name: an app has few, and every event looks one of them up.
package struct EventCounts: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        package let name: EventName
        package fileprivate(set) var count: Count
    }

    /// In the order of the names' bytes.
    package private(set) var entries: [Entry] = []
    /// All events of all names.
    package private(set) var total: Count = 0

    package init() {}

    /// The number of names.
    package var count: Int { entries.count }

    /// Nil for a name that is not there.
    package subscript(name: EventName) -> Count? {
        get {
            let place = place(of: name)
            return has(name, at: place) ? entries[place].count : nil
        }
        set {
            let place = place(of: name)
            if has(name, at: place) {
                entries.remove(at: place)
                total = 0
                for entry in entries { total += entry.count.value }
            }
            guard let newValue else { return }
            entries.insert(Entry(name: name, count: newValue), at: place)
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
            guard entries.count < namesMax else { return nil }
            entries.insert(Entry(name: name, count: 0), at: place)
        }
        total += number
        return entries[place].count.add(number)
    }

    package func hasSameNames(as other: EventCounts) -> Bool {
        count == other.count
            && entries.indices.allSatisfy { entries[$0].name == other.entries[$0].name }
    }

    /// Raises the count of a name, given by its place in the order; false, and changes nothing, if
    /// there is no such place or it has more already.
    package mutating func raise(_ place: Int, to count: Count) -> Bool {
        guard entries.indices.contains(place), entries[place].count <= count else { return false }
        total += count.value - entries[place].count.value
        entries[place].count = count
        return true
    }

    /// Where the name is, or else would be.
    private func place(of name: EventName) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].name < name { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func has(_ name: EventName, at place: Int) -> Bool {
        place < entries.count && entries[place].name == name
    }
}

extension EventCounts: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (EventName, Count)...) {
        for (name, count) in elements { self[name] = count }
    }
}
