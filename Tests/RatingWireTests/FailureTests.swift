import RatingPolicy
import Testing

@testable import RatingWire

/// The table of errors in SPEC 1, and how they are written.
struct FailureTests {
    private static let identity = IdentityReply(source: "snap", isVerified: true)

    @Test(arguments: [
        (Failure.parseError("m"), -32_700, #"{"reason":"parse_error"}"#),
        (.invalidRequest("m"), -32_600, #"{"reason":"invalid_request"}"#),
        (
            .invalidRequest("m", field: "id"), -32_600,
            #"{"reason":"invalid_request","field":"id"}"#
        ),
        (.invalidRequest("m", max: 100), -32_600, #"{"reason":"invalid_request","max":100}"#),
        (.methodNotFound("x"), -32_601, #"{"reason":"method_not_found"}"#),
        (
            .invalidParams(field: "app", "m"), -32_602,
            #"{"reason":"invalid_params","field":"app"}"#
        ),
        (.missing("version"), -32_602, #"{"reason":"invalid_params","field":"version"}"#),
        (.internalError("m"), -32_603, #"{"reason":"internal_error"}"#),
        (
            .storageUnavailable(detail: "disk full"), -32_000,
            #"{"reason":"storage_unavailable","detail":"disk full"}"#
        ),
        (
            .notPermitted("m", identity: identity), -32_001,
            #"{"reason":"not_permitted","identity":{"source":"snap","verified":true}}"#
        ),
        (
            .rateLimited(retryAfter: 15), -32_002,
            #"{"reason":"rate_limited","retry_after_ms":15}"#
        ),
        (
            .quotaExceeded(.connectionsPerApp, max: 64), -32_003,
            #"{"reason":"quota_exceeded","limit":"connections_per_app","max":64}"#
        ),
        (.notFound("m"), -32_004, #"{"reason":"not_found"}"#),
        (.lineTooLong, -32_005, #"{"reason":"line_too_long","max":65536}"#),
        (.shuttingDown, -32_006, #"{"reason":"shutting_down"}"#),
        (.conflict(.declined), -32_007, #"{"reason":"conflict","outcome":"declined"}"#),
    ])
    func `every row has its code, its reason and its data`(
        failure: Failure, code: Int64, data: String
    ) throws {
        let line = written { MessageWriter.appendError(.string("x"), failure, to: &$0) }
        #expect(line.hasSuffix("\n"))
        let value = try JSONValue(parsing: line)
        #expect(value.members?.map(\.name) == ["jsonrpc", "id", "error"])
        #expect(value["jsonrpc"] == .string("2.0"))
        #expect(value["id"] == .string("x"))
        #expect(value["error"]?.members?.map(\.name) == ["code", "message", "data"])
        #expect(value["error"]?["code"] == .integer(code))
        #expect(value["error"]?["message"] == .string(failure.message))
        #expect(value["error"]?["data"]?.text() == data)
        #expect(!failure.message.isEmpty)
    }

    @Test func `every reason has a code of its own`() {
        #expect(Set(Failure.Reason.allCases.map(\.code)).count == Failure.Reason.allCases.count)
    }

    @Test func `texts that would break a line are escaped`() throws {
        let odd = "a\n\"\\\u{0}\u{7F}é\u{2028}😀"
        let failure = Failure.storageUnavailable(detail: odd)
        let line = written { MessageWriter.appendError(.string(odd), failure, to: &$0) }
        #expect(line.utf8.count { $0 == UInt8(ascii: "\n") } == 1)
        #expect(try JSONValue(parsing: line)["error"]?["data"]?["detail"] == .string(odd))
        #expect(try JSONValue(parsing: line)["id"] == .string(odd))
    }

    @Test func `the answers of a batch are one array on one line`() {
        var batch = BatchAnswers()
        #expect(batch.isEmpty)
        #expect(written { batch.append(to: &$0) } == "")
        batch.addReply(.integer(1), .cancelled(true))
        #expect(!batch.isEmpty)
        #expect(
            written { batch.append(to: &$0) }
                == #"[{"jsonrpc":"2.0","id":1,"result":{"cancelled":true}}]"# + "\n")
        batch.addError(.null, .lineTooLong)
        batch.addReply(.string("b"), .subscribed)
        let lines = written { bytes in
            MessageWriter.appendReply(.null, .subscribed, to: &bytes)
            batch.append(to: &bytes)
        }.split(separator: "\n")
        #expect(lines.count == 2)
        let answers = (try? JSONValue(parsing: String(lines[1])))?.array
        #expect(answers?.map { $0["id"] } == [.integer(1), .null, .string("b")])
    }
}
