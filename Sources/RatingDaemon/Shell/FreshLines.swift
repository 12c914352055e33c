/// What a turn has carried out for those who have just sent something, counted in lines.
///
/// Where nobody else is connected a process keeps none but itself waiting, and only its lines count.
struct FreshLines {
    /// What was carried out for one process or user in the last turn in which something was.
    struct Share {
        fileprivate var turn = 0
        fileprivate var cost = 0
    }

    /// The number of the turn.
    private(set) var turn = 0
    /// What was carried out in this turn.
    private(set) var total = 0

    mutating func beginTurn() {
        turn += 1
        total = 0
    }

    /// Whether something is done for a client now, or has to wait; there are so many clients.
    @inline(__always)
    func hasRoom(for client: Client, among count: Int) -> Bool {
        if count == client.process.connectionCount { return total < EventLoop.freshLinesPerTurn }
        return hasRoomBesideOthers(client, count)
    }

    private func hasRoomBesideOthers(_ client: Client, _ count: Int) -> Bool {
        total < EventLoop.freshCostPerTurn
            && spent(client.process.fresh) < EventLoop.freshCostOfProcess
            && (count == client.user.connectionCount
                || spent(client.user.fresh) < EventLoop.freshCostOfUser)
    }

    /// Counts lines, and bytes that were read or written.
    @inline(__always)
    mutating func add(lines: Int, bytes: Int, of client: Client, among count: Int) {
        total += lines
        guard count > client.process.connectionCount else { return }
        let cost = EventLoop.connectionCost + bytes / EventLoop.bytesPerLine
        total += cost
        add(lines + cost, to: &client.process.fresh)
        add(lines + cost, to: &client.user.fresh)
    }

    private func add(_ cost: Int, to share: inout Share) {
        share = Share(turn: turn, cost: spent(share) + cost)
    }

    private func spent(_ share: Share) -> Int { share.turn == turn ? share.cost : 0 }
}
