import Posix
import RatingWire

/// Whose lines are carried out when.
///
/// A turn is kept short, since who has one line to say waits for its end, and mostly for that of the
/// next one too: each client has a few lines of it, and those who have more stand in a queue, of
/// which a turn takes up a part. A line that takes the daemon longer counts for as many as it costs
/// of the rate.
extension EventLoop {
    /// The most lines of one client that are carried out at once; enough for an app that does not
    /// wait for answers.
    static let linesAtOnceMax = 32
    /// For how many lines counts what it takes to read from a client and to write to it.
    static let connectionCost = 8
    /// How many bytes that are read, or written once the client reads, count for a line.
    static let bytesPerLine = 512
    /// After how many lines a turn has clients wait that have just sent theirs; a commit for half as
    /// many took a sixth longer for each event of 50 clients with 16 under way.
    static let freshLinesPerTurn = 512
    /// The same where others are connected, with what reading and writing counts for: in all, of one
    /// process, and of one user where there are other users.
    static let freshCostPerTurn = 384
    static let freshCostOfProcess = 128
    static let freshCostOfUser = 192
    /// After how many fresh lines, in what counts for such, a turn looks whether more have come.
    static let freshMany = 8
    /// After how many lines of waiting clients a turn ends; two take about a microsecond.
    static let waitingLinesPerTurn = 128
    /// The same beside lines of clients that have just sent them, and wait for the end of the turn.
    static let waitingLinesBeside = 32
    /// From how many bytes on that are read at once there will be many answers.
    static let manyBytesMin = 256
    /// The most bytes of answers that are added for a client at once: long ones take long to work
    /// out.
    static let answerBytesAtOnceMax = 16_384

    /// Has a client wait for a later turn.
    func wait(_ connection: Connection) {
        guard !connection.isWaiting else { return }
        connection.isWaiting = true
        let client = connection.client
        backlog.append(connection.tag, of: client.process.place, of: client.user.place)
    }

    /// Takes up some of those who wait, more if there is nobody but them.
    func workOff() {
        let isAlone = ready.allSatisfy { connections[$0.tag]?.isWaiting == true }
        let linesMax = isAlone ? Self.waitingLinesPerTurn : Self.waitingLinesBeside
        let answerBytesMax = Self.answerBytesAtOnceMax / (isAlone ? 1 : 4)
        var lines = 0
        var answerBytes = 0
        while lines < linesMax, answerBytes < answerBytesMax, let tag = backlog.next() {
            guard let connection = connections[tag] else { continue }
            connection.isWaiting = false
            let before = connection.client.output.count
            let done = carryOut(connection, linesMax: linesMax - lines, isFresh: false)
            lines += done.lines + done.bytes / Self.bytesPerLine
            if core.clientCount > connection.client.process.connectionCount {
                lines += Self.connectionCost
            }
            answerBytes += connection.client.output.count - before
        }
    }

    /// Lets the core answer the lines that have just come, or has the client wait.
    func carryOutFresh(_ connection: Connection) {
        let client = connection.client
        guard fresh.hasRoom(for: client, among: core.clientCount) else { return settle(connection) }
        let (lines, bytes) = carryOut(connection, linesMax: Self.linesAtOnceMax, isFresh: true)
        guard lines + bytes > 0 else { return }
        fresh.add(lines: lines, bytes: bytes, of: client, among: core.clientCount)
        backlog.served(client.process.place, of: client.user.place)
    }

    /// Lets the core answer as many lines as may be at once; returns how many that were, each
    /// counted for what it costs, and how many bytes were read.
    ///
    /// `isFresh`: the lines have just come. What takes several turns is only begun then.
    private func carryOut(_ connection: Connection, linesMax: Int, isFresh: Bool) -> (
        lines: Int, bytes: Int
    ) {
        let client = connection.client
        var lines = 0
        var bytes = 0
        let linesMax = min(linesMax, Self.linesAtOnceMax)
        if connection.isUnread, mayAnswer(connection) {
            bytes = connection.receive(through: &buffer) {
                core.received(parser.parse($0), from: client)
                lines += core.takeCost()
            }
            connection.readIn = fresh.turn
            if bytes >= Self.manyBytesMin {
                client.output.reserve(min(2 * bytes, Self.answerBytesAtOnceMax))
            }
        }
        let answerBytesEnd = client.output.count + Self.answerBytesAtOnceMax
        while mayAnswer(connection), connection.hasWork, lines < linesMax,
            client.output.count < answerBytesEnd
        {
            if client.isUnfinished {
                if isFresh { break }
                core.goOn(with: client)
            } else {
                let framed = connection.framer.next {
                    core.received(parser.parse($0), from: client)
                }
                if case .tooLong = framed { core.receivedTooLong(from: client) }
            }
            lines += core.takeCost()
        }
        client.output.keepSmall()
        settle(connection)
        return (lines, bytes)
    }

    /// Sees to what becomes of a client whose lines, or some of them, were carried out.
    private func settle(_ connection: Connection) {
        let client = connection.client
        if client.isClosing {
            core.flushLater(client)
        } else if connection.hasWork, mayAnswer(connection) {
            wait(connection)
        } else if connection.hasWork {
            // Its descriptor is not to be watched for more lines.
            core.flushLater(client)
        } else if connection.isHungUp, connection.isInputEnded {
            core.closed(client)
            core.flushLater(client)
        } else if connection.isInputEnded {
            guard !connection.isEndTold else { return }
            connection.isEndTold = true
            core.inputEnded(client)
        } else if !connection.interest.contains(.readable) {
            core.flushLater(client)
        }
    }

    /// A client that does not read what it is told has to wait with its lines; one that has hung
    /// up is told nothing any more, but what it sent before is carried out.
    func mayAnswer(_ connection: Connection) -> Bool {
        let client = connection.client
        return !client.isClosing
            && (connection.isHungUp || client.output.count <= core.outputBytesMax)
    }
}
