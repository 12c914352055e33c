/// What a turn has carried out for those who have just sent something, counted in lines.
///
/// Where nobody else is connected a process keeps none but itself waiting, and only its lines count.
struct FreshLines {
    private var total = 0
    /// Of whom they were; empty where nobody else is there.
    private var byOwner: [ObjectIdentifier: Int] = [:]

    mutating func beginTurn() {
        total = 0
        if !byOwner.isEmpty { byOwner.removeAll(keepingCapacity: true) }
    }

    /// Whether something is done for a client now, or has to wait; there are so many clients.
    @inline(__always)
    func hasRoom(for client: Client, among count: Int) -> Bool {
        if count == client.process.connectionCount { return total < EventLoop.freshLinesPerTurn }
        return hasRoomBesideOthers(client, count)
    }

    private func hasRoomBesideOthers(_ client: Client, _ count: Int) -> Bool {
        total < EventLoop.freshCostPerTurn
            && spent(for: client.process) < EventLoop.freshCostOfProcess
            && (count == client.user.connectionCount
                || spent(for: client.user) < EventLoop.freshCostOfUser)
    }

    /// Counts lines, and bytes that were read or written.
    @inline(__always)
    mutating func add(lines: Int, bytes: Int, of client: Client, among count: Int) {
        total += lines
        guard count > client.process.connectionCount else { return }
        let cost = EventLoop.connectionCost + bytes / EventLoop.bytesPerLine
        total += cost
        byOwner[ObjectIdentifier(client.process), default: 0] += lines + cost
        byOwner[ObjectIdentifier(client.user), default: 0] += lines + cost
    }

    private func spent(for owner: AnyObject) -> Int { byOwner[ObjectIdentifier(owner)] ?? 0 }
}
