import RatingPolicy
import Testing

@testable import RatingWire

/// The rules of JSON-RPC 2.0, with the examples of its specification where they apply.
struct JSONRPCTests {
    /// What a peer would be answered: codes and ids, with our own methods for theirs.
    private func answers(_ line: String) -> [String] {
        switch parsed(line) {
        case .failure(let failure): ["null \(failure.reason.code)"]
        case .single(let element): answer(element).map { [$0] } ?? []
        case .known(let call): answer(call.element).map { [$0] } ?? []
        case .batch(let elements): ["["] + elements.compactMap(answer)
        }
    }

    private func answer(_ element: Incoming.Element) -> String? {
        switch element {
        case .call(id: nil, _), .response: nil
        case .call(let id?, .success): "\(text(id)) ok"
        case .call(let id?, .failure(let failure)): "\(text(id)) \(failure.reason.code)"
        case .invalid(let id, let failure): "\(text(id)) \(failure.reason.code)"
        }
    }

    private func text(_ id: RequestID) -> String {
        switch id {
        case .null: "null"
        case .integer(let number): String(number)
        case .string(let text): "\"\(text)\""
        }
    }

    @Test func `the examples of single calls`() {
        #expect(
            answers(#"{"jsonrpc": "2.0", "method": "ping", "params": {}, "id": 1}"#) == ["1 ok"])
        #expect(answers(#"{"jsonrpc": "2.0", "method": "ping"}"#) == [])
        #expect(answers(#"{"jsonrpc": "2.0", "method": "foobar"}"#) == [])
        #expect(answers(#"{"jsonrpc": "2.0", "method": "foobar", "id": "1"}"#) == ["\"1\" -32601"])
        #expect(
            answers(#"{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]"#)
                == ["null -32700"])
        #expect(answers(#"{"jsonrpc": "2.0", "method": 1, "params": "bar"}"#) == ["null -32600"])
        // Parameters by position are valid there, and invalid here (SPEC 1).
        #expect(
            answers(#"{"jsonrpc": "2.0", "method": "ping", "params": [42, 23], "id": 1}"#)
                == ["1 -32600"])
    }

    @Test func `the examples of batches`() {
        #expect(
            answers(
                #"[{"jsonrpc": "2.0", "method": "ping", "id": "1"},{"jsonrpc": "2.0", "method"]"#)
                == ["null -32700"])
        #expect(answers("[]") == ["null -32600"])
        #expect(answers("[1]") == ["[", "null -32600"])
        #expect(answers("[1,2,3]") == ["[", "null -32600", "null -32600", "null -32600"])
        #expect(
            answers(
                """
                [{"jsonrpc": "2.0", "method": "ping", "id": "1"},\
                {"jsonrpc": "2.0", "method": "activity"},\
                {"jsonrpc": "2.0", "method": "stats", "id": "2"},\
                {"foo": "boo"},\
                {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},\
                {"jsonrpc": "2.0", "method": "whoami", "id": "9"}]
                """)
                == ["[", "\"1\" ok", "\"2\" ok", "null -32600", "\"5\" -32601", "\"9\" ok"])
        #expect(answers(#"[{"method": "activity"},{"method": "activity"}]"#) == ["["])
    }

    @Test func `a batch in a batch is no request`() {
        #expect(answers(#"[[{"method":"ping","id":1}]]"#) == ["[", "null -32600"])
    }

    @Test func `a batch holds 100 elements and not 101`() throws {
        let batch = { (count: Int) in
            "[" + Array(repeating: #"{"method":"ping"}"#, count: count).joined(separator: ",") + "]"
        }
        guard case .batch(let elements) = parsed(batch(100)) else {
            Issue.record("no batch")
            return
        }
        #expect(elements.count == 100)
        let refused = try #require(failure(batch(101)))
        #expect(refused.failure.reason == .invalidRequest)
        #expect(refused.failure.extra("max") == .integer(100))
    }

    @Test(arguments: [
        "null": RequestID.null, "0": .integer(0), "-0": .integer(0), "-7": .integer(-7),
        "9007199254740991": .integer(9_007_199_254_740_991),
        "-9007199254740991": .integer(-9_007_199_254_740_991), #""""#: .string(""),
        #""a\u0000\"\ud83d\ude00""#: .string("a\u{0}\"😀"),
    ])
    func `an id comes back as it was`(text: String, id: RequestID) {
        #expect(
            parsed(#"{"id":\#(text),"method":"ping"}"#) == .single(.call(id: id, .success(.ping))))
        let answer = written { MessageWriter.appendReply(id, .subscribed, to: &$0) }
        let echoed = try? JSONValue(parsing: answer)["id"]
        #expect(echoed == (try? JSONValue(parsing: text)))
    }

    @Test func `ids that look alike and have other bytes are different`() {
        #expect(RequestID.string("\u{E9}") != .string("e\u{301}"))
        #expect(RequestID.string("K") != .string("\u{212A}"))
        #expect(RequestID.string("1") != .integer(1))
        #expect(Set([RequestID.string("\u{E9}"), .string("e\u{301}"), .null, .null]).count == 3)
    }

    @Test(arguments: ["1.0", "1.5", "1e2", "true", "false", "[]", "{}", "[1]"])
    func `an id that is none is answered with null`(id: String) throws {
        let refused = try #require(failure(#"{"id":\#(id),"method":"ping"}"#))
        #expect(refused.id == .null)
        #expect(refused.failure.reason == .invalidRequest)
        #expect(refused.failure.extra("field") == .string("id"))
    }

    @Test(arguments: [
        (#"{"id":1,"method":"ping","jsonrpc":"1.0"}"#, "jsonrpc"),
        (#"{"id":1,"method":"ping","jsonrpc":2.0}"#, "jsonrpc"),
        (#"{"id":1,"method":"ping","jsonrpc":null}"#, "jsonrpc"),
        (#"{"id":1,"method":"ping","parms":{}}"#, "parms"),
        (#"{"id":1,"method":"ping","Method":"ping"}"#, "Method"),
        (#"{"id":1,"method":"ping","result":true}"#, "result"),
        (#"{"id":1,"method":"ping","error":null}"#, "error"),
        (#"{"id":1,"foo":1}"#, "foo"),
        (#"{"id":1}"#, "method"),
        (#"{"id":1,"params":{}}"#, "method"),
        (#"{"id":1,"method":null}"#, "method"),
        (#"{"id":1,"method":["ping"]}"#, "method"),
        (#"{"id":1,"method":"ping","params":null}"#, "params"),
        (#"{"id":1,"method":"ping","params":[]}"#, "params"),
        (#"{"id":1,"method":"ping","params":"x"}"#, "params"),
        (#"{"id":1,"method":"nope","params":1}"#, "params"),
    ])
    func `a request object that is wrong is answered with its id`(line: String, field: String)
        throws
    {
        let refused = try #require(failure(line))
        #expect(refused.id == .integer(1))
        #expect(refused.failure.reason == .invalidRequest)
        #expect(refused.failure.extra("field") == .string(field))
    }

    @Test(arguments: ["1", "\"ping\"", "null", "true", "{}"])
    func `what is no request object is answered with null`(line: String) throws {
        let refused = try #require(failure(line))
        #expect(refused.id == .null)
        #expect(refused.failure.reason == .invalidRequest)
    }

    @Test func `an unknown method is told before anything about its params`() throws {
        for method in ["", "Ping", "ping ", "rpc.discover", "ping\\u0000", "opt-out"] {
            let line = #"{"id":1,"method":"\#(method)","params":{"nonsense":null}}"#
            #expect(failure(line)?.failure.reason == .methodNotFound, "\(method)")
        }
    }

    @Test func `every method is found by its name`() {
        for method in Method.allCases {
            let found = parsed(#"{"id":1,"method":"\#(method.rawValue)","params":{"-":1}}"#)
            guard case .single(.call(_, .failure(let failure))) = found else {
                Issue.record("\(method)")
                continue
            }
            #expect(failure.reason == .invalidParams)
            #expect(failure.extra("field") == .string("-"))
        }
    }

    @Test func `a notification that fails is a call without an id`() {
        guard case .single(.call(id: nil, .failure(let failure))) = parsed(#"{"method":"foo"}"#)
        else {
            Issue.record("not a failed notification")
            return
        }
        #expect(failure.reason == .methodNotFound)
    }

    @Test(arguments: [
        (#"{"jsonrpc":"2.0","id":"c1","result":true}"#, true),
        (#"{"id":"c1","result":true}"#, true),
        (#"{"result":true,"id":"c1"}"#, true),
        (#"{"id":"c1","result":false}"#, false),
        (#"{"id":"c1","result":null}"#, false),
        (#"{"id":"c1","result":1}"#, false),
        (#"{"id":"c1","result":"true"}"#, false),
        (#"{"id":"c1","result":[true]}"#, false),
        (#"{"id":"c1","result":{"ok":true}}"#, false),
        (#"{"id":"c1","error":{"code":1,"message":"x"}}"#, false),
        (#"{"id":"c1","error":null}"#, false),
        (#"{"id":"c1","result":true,"error":null}"#, false),
        (#"{"id":"c1","error":null,"result":true}"#, false),
        (#"{"id":"c1","result":true,"params":{}}"#, false),
        (#"{"id":"c1","other":1,"result":true}"#, false),
        (#"{"id":"c1","result":true,"other":1}"#, false),
        (#"{"jsonrpc":"1.0","id":"c1","result":true}"#, false),
    ])
    func `only a result that is exactly true is a yes`(line: String, isYes: Bool) {
        #expect(parsed(line) == .single(.response(ClientResponse(id: .string("c1"), isYes: isYes))))
    }

    @Test func `an answer without a readable id answers nothing of ours`() {
        for line in [
            #"{"result":true}"#, #"{"id":1.5,"result":true}"#, #"{"id":null,"result":true}"#,
        ] {
            guard case .single(.response(let response)) = parsed(line) else {
                Issue.record("\(line)")
                continue
            }
            #expect(response.id == .null)
        }
    }
}
