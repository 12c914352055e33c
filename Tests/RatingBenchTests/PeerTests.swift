import RatingWire
import Testing

@testable import RatingBench

struct PeerTests {
    private func isResult(_ line: String, _ peer: Peer = .ratingd) -> Bool {
        let bytes = Array(line.utf8)
        return unsafe bytes.withUnsafeBytes { unsafe peer.isResult($0) }
    }

    @Test func `a result is known by its first bytes`() {
        #expect(isResult(#"{"jsonrpc":"2.0","id":12,"result":{"events":1,"name_total":1}}"#))
        #expect(isResult(":12\r", .redis))
        #expect(isResult(#"{"id":1,"method":"ping"}"#, .echo))
    }

    @Test(arguments: [
        "", "{", #"{"jsonrpc":"2.0","id":"#, #"{"jsonrpc":"2.0","id":1"#,
        #"{"jsonrpc":"2.0","id":12,"error":{"code":-32002}}"#,
        #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700}}"#,
        #"{"jsonrpc":"2.0","method":"bye","params":{"reason":"shutting_down"}}"#,
        "-ERR unknown command", ":1",
    ])
    func `nothing else is taken for one`(line: String) {
        #expect(!isResult(line))
    }

    @Test func `an error is read with its reason`() {
        let line =
            #"{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"data":{"reason":"rate_limited"}}}"#
        guard case .error(let error) = Peer.ratingd.judge(Array(line.utf8)) else {
            Issue.record("not taken for an error")
            return
        }
        #expect(error["data"]?["reason"]?.string == "rate_limited")
        let redis = Peer.redis.judge(Array("-ERR no".utf8))
        #expect(redis == .error(.object([.init("message", .string("redis says: ERR no"))])))
    }

    @Test func `a last word is read with its reason`() {
        let bye = #"{"jsonrpc":"2.0","method":"bye","params":{"reason":"shutting_down"}}"#
        #expect(Peer.ratingd.judge(Array(bye.utf8)) == .farewell("shutting_down"))
    }

    @Test func `who speaks otherwise is a stranger`() {
        #expect(Peer.ratingd.judge(Array("HTTP/1.1 400 Bad Request".utf8)) == .stranger)
        #expect(Peer.ratingd.judge(Array("{}".utf8)) == .stranger)
        #expect(Peer.redis.judge(Array(#"{"jsonrpc":"2.0"}"#.utf8)) == .stranger)
        #expect(Peer.echo.judge(Array("+PONG".utf8)) == .result)
    }

    @Test func `requests to ratingd are lines of its protocol`() throws {
        for load in Load.allCases {
            let line = Peer.ratingd.request(load, number: 7, app: "org.a")
            #expect(line.hasSuffix("\n"))
            let value = try JSONValue(parsing: String(line.dropLast()))
            #expect(value["id"]?.integer == (load.isAnswered ? 7 : nil))
            #expect(value["method"]?.string == (load == .notify ? "event" : load.rawValue))
        }
    }

    @Test func `Redis counts under a key of the connection's own`() {
        #expect(
            Peer.redis.request(.event, number: 1, app: "org.a")
                == "*2\r\n$4\r\nINCR\r\n$16\r\norg.a:note-saved\r\n")
    }
}
