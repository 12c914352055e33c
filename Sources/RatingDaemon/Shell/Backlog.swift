/// Clients with lines that no turn got to yet.
///
/// Who waits longest comes first, but no process comes again before all others that wait: a
/// process with a hundred busy connections keeps nobody waiting a hundred times as long.
struct Backlog {
    private var waiting: [(tag: UInt64, process: ObjectIdentifier)] = []
    /// The processes that have had lines carried out in this round.
    private var served: Set<ObjectIdentifier> = []

    var isEmpty: Bool { waiting.isEmpty }
    var count: Int { waiting.count }

    mutating func append(_ tag: UInt64, of process: AnyObject) {
        waiting.append((tag, ObjectIdentifier(process)))
    }

    /// A client of this process had lines carried out without having to wait.
    mutating func served(_ process: AnyObject) {
        if !waiting.isEmpty { served.insert(ObjectIdentifier(process)) }
    }

    /// Whose turn it is; the client waits no more.
    mutating func next() -> UInt64? {
        guard !waiting.isEmpty else { return nil }
        let fresh = waiting.firstIndex { !served.contains($0.process) }
        if fresh == nil { served = [] }
        let (tag, process) = waiting.remove(at: fresh ?? 0)
        served.insert(process)
        if waiting.isEmpty { served = [] }
        return tag
    }
}
