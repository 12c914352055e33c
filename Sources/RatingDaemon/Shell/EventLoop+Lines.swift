import Posix
import RatingWire

/// Whose lines are carried out when.
///
/// A turn is kept short, since who has one line to say waits for its end: each client has a few
/// lines of it, and those who have more stand in a queue, of which a turn takes up a part.
extension EventLoop {
    /// The most lines of one client that are carried out at once; enough for an app that does not
    /// wait for answers.
    static let linesAtOnceMax = 32
    /// After how many lines of waiting clients a turn ends; each takes about a microsecond.
    static let waitingLinesPerTurn = 128
    /// The most bytes of answers that are added for a client at once: long ones take long to work
    /// out.
    static let answerBytesAtOnceMax = 16_384

    /// Has a client wait for a later turn.
    func wait(_ connection: Connection) {
        guard !connection.isWaiting else { return }
        connection.isWaiting = true
        backlog.append(connection.tag)
    }

    /// Takes up some of those who wait, and again if it is still early.
    func workOff() {
        var lines = 0
        var answerBytes = 0
        var done = 0
        while done < backlog.count, lines < Self.waitingLinesPerTurn,
            answerBytes < Self.answerBytesAtOnceMax
        {
            let tag = backlog[done]
            done += 1
            guard let connection = connections[tag] else { continue }
            connection.isWaiting = false
            let before = connection.client.output.count
            lines += carryOut(connection)
            answerBytes += connection.client.output.count - before
        }
        backlog.removeFirst(done)
    }

    /// Lets the core answer the lines that have come, as many as may be at once; returns how many.
    @discardableResult
    func carryOut(_ connection: Connection) -> Int {
        let client = connection.client
        var lines = 0
        let answerBytesEnd = client.output.count + Self.answerBytesAtOnceMax
        while mayAnswer(connection), connection.framer.hasLine, lines < Self.linesAtOnceMax,
            client.output.count < answerBytesEnd
        {
            lines += 1
            let framed = connection.framer.next { core.received(parser.parse($0), from: client) }
            if case .tooLong = framed { core.receivedTooLong(from: client) }
        }
        settle(connection)
        return lines
    }

    /// Sees to what becomes of a client whose lines, or some of them, were carried out.
    private func settle(_ connection: Connection) {
        let client = connection.client
        if client.isClosing {
            core.flushLater(client)
        } else if connection.framer.hasLine {
            if mayAnswer(connection) { wait(connection) }
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
