/// What a connection sends over and over, as bytes that were put together beforehand.
///
/// The requests stand there twice in a row, so that the next `count` of them are one piece of
/// memory from wherever one goes on.
struct Script: Sendable {
    /// A mix with notifications gets so many requests at least, for large writes.
    static let notificationsMin = 1024

    /// How many requests there are before they begin anew.
    let count: Int
    let bytes: [UInt8]
    /// Where each request begins; one more for the end of the last.
    let offsets: [Int]
    /// How long one round of requests is.
    var roundBytes: Int { offsets[count] }
    /// One round of requests.
    let loads: [Load]
    let hasNotifications: Bool

    /// For a connection with so many requests under way; `request` writes one with its number.
    init(_ mix: Mix, pipeline: Int, _ request: (Load, Int) -> String) {
        let round = mix.round
        hasNotifications = round.contains { !$0.isAnswered }
        let wanted = max(pipeline, hasNotifications ? Self.notificationsMin : 1)
        let rounds = (wanted + round.count - 1) / round.count
        loads = (0..<rounds).flatMap { _ in round }
        count = loads.count
        var bytes: [UInt8] = []
        var offsets = [0]
        for index in 0..<2 * count {
            bytes += request(loads[index % count], index % count + 1).utf8
            offsets.append(bytes.count)
        }
        self.bytes = bytes
        self.offsets = offsets
    }
}
