import RatingPolicy

/// Appends messages to the bytes that will be sent, each one line with its LF.
package enum MessageWriter {
    package static func appendReply(_ id: RequestID, _ reply: Reply, to bytes: inout [UInt8]) {
        if case .integer(let id) = id, case .event(let events, let nameTotal) = reply {
            return appendEvent(
                id, events: events.value, nameTotal: nameTotal.value, to: &bytes)
        }
        answer(id, reply, to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
    }

    package static func appendError(_ id: RequestID, _ failure: Failure, to bytes: inout [UInt8]) {
        answer(id, failure, to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
    }

    package static func appendNotification(
        _ notification: Notification, to bytes: inout [UInt8]
    ) {
        notification.append(to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
    }

    fileprivate static func answer(
        _ id: RequestID, _ reply: Reply, to bytes: inout [UInt8]
    ) {
        open(id, to: &bytes)
        bytes.append(raw: #","result":"#)
        reply.append(to: &bytes)
        bytes.append(UInt8(ascii: "}"))
    }

    fileprivate static func answer(
        _ id: RequestID, _ failure: Failure, to bytes: inout [UInt8]
    ) {
        open(id, to: &bytes)
        bytes.append(raw: #","error":{"code":"#)
        bytes.append(decimal: failure.reason.code)
        bytes.append(raw: #","message":"#)
        bytes.append(string: failure.message)
        bytes.append(raw: #","data":{"reason":"#)
        bytes.append(plain: failure.reason.rawValue)
        for extra in failure.extras {
            bytes.append(UInt8(ascii: ","))
            bytes.append(string: extra.name)
            bytes.append(UInt8(ascii: ":"))
            extra.value.append(to: &bytes)
        }
        bytes.append(raw: "}}}")
    }

    /// What is answered most often, in one piece: the same as `answer` and a line feed.
    package static func appendEvent(
        _ id: Int64, events: Int64, nameTotal: Int64, to bytes: inout [UInt8]
    ) {
        bytes.append(addingCapacity: 160) { output in
            output.append(raw: #"{"jsonrpc":"2.0","id":"#, decimal: id)
            output.append(raw: #","result":{"events":"#, decimal: events)
            output.append(raw: #","name_total":"#, decimal: nameTotal)
            output.append(raw: "}}\n")
        }
    }

    private static func open(_ id: RequestID, to bytes: inout [UInt8]) {
        bytes.append(raw: #"{"jsonrpc":"2.0","id":"#)
        switch id {
        case .null: bytes.append(raw: "null")
        case .integer(let number): bytes.append(decimal: number)
        case .string(let text): bytes.append(string: text)
        }
    }
}

/// The answers of one batch, sent as one array; nothing is sent if none of its elements has one.
package struct BatchAnswers: Sendable {
    private var bytes: [UInt8] = []

    package init() {}

    package var isEmpty: Bool { bytes.isEmpty }
    package var count: Int { bytes.count }

    package mutating func addReply(_ id: RequestID, _ reply: Reply) {
        separate()
        MessageWriter.answer(id, reply, to: &bytes)
    }

    package mutating func addError(_ id: RequestID, _ failure: Failure) {
        separate()
        MessageWriter.answer(id, failure, to: &bytes)
    }

    /// Appends the line, with its LF.
    package func append(to line: inout [UInt8]) {
        guard !isEmpty else { return }
        line.append(contentsOf: bytes)
        line.append(raw: "]\n")
    }

    private mutating func separate() {
        bytes.append(UInt8(ascii: bytes.isEmpty ? "[" : ","))
    }
}
