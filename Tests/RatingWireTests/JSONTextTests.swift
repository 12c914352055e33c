import RatingPolicy
import TestSupport
import Testing

@testable import RatingWire

/// What is written is read back as it was.
struct JSONTextTests {
    private func random(_ generator: inout Seeded, depth: Int) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 7), using: &generator) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &generator))
        case 2: return .integer(Int64.random(in: -Count.max...Count.max, using: &generator))
        case 3: return .integer(Int64.random(in: -20...20, using: &generator))
        case 4:
            let number = Double(bitPattern: generator.next())
            return .double(number.isFinite ? number : 0.5)
        case 5, 6: return .string(text(&generator))
        case 7:
            return .array(
                (0..<Int.random(in: 0..<5, using: &generator)).map { _ in
                    random(&generator, depth: depth - 1)
                })
        default:
            return .object(
                (0..<Int.random(in: 0..<12, using: &generator)).map { index in
                    .init("\(index)" + text(&generator), random(&generator, depth: depth - 1))
                })
        }
    }

    private func text(_ generator: inout Seeded) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0..<12, using: &generator) {
            let top: UInt32 = [0x20, 0x80, 0x800, 0x10000, 0x110000].randomElement(
                using: &generator)!
            let scalar = Unicode.Scalar(UInt32.random(in: 0..<top, using: &generator))
            text.unicodeScalars.append(scalar ?? "\\")
        }
        return text
    }

    @Test func `any value comes back, short or pretty, from two readers`() throws {
        let seed = UInt64.random(in: .min ... .max)
        var generator = Seeded(seed)
        for _ in 0..<1_000 {
            let value = random(&generator, depth: 4)
            for layout in [JSONValue.Layout.short, .pretty] {
                let text = value.text(layout)
                let back = try? JSONValue(parsing: text)
                #expect(back == value, "seed \(seed): \(text)")
                #expect(ReferenceJSON.value(Array(text.utf8)) == value, "seed \(seed): \(text)")
            }
            #expect(!value.text().utf8.contains(UInt8(ascii: "\n")))
        }
    }

    @Test func `every scalar below 300 comes back, and control characters are escaped`() throws {
        for number in UInt32(0)..<300 {
            let text = String(Unicode.Scalar(number)!)
            let json = JSONValue.string(text).text()
            #expect(try JSONValue(parsing: json) == .string(text))
            #expect(json.utf8.allSatisfy { $0 >= 0x20 })
        }
        #expect(
            JSONValue.string("\u{8}\t\n\u{C}\r\"\\/\u{1F}\u{0}").text()
                == #""\b\t\n\f\r\"\\/\u001f\u0000""#)
    }

    @Test(
        arguments: [
            0, 1, -1, 9, 10, -10, 99, 100, 1_234_567_890, .max, .min, 9_007_199_254_740_991,
        ] as [Int64])
    func `integers are written in decimal digits`(number: Int64) {
        #expect(written { $0.append(decimal: number) } == String(number))
    }

    @Test func `doubles stay doubles and what is no number is null`() {
        #expect(JSONValue.double(1).text() == "1.0")
        #expect(JSONValue.double(1e300).text() == "1e+300")
        #expect(JSONValue.double(-0.0).text() == "-0.0")
        #expect(JSONValue.double(.infinity).text() == "null")
        #expect(JSONValue.double(.nan).text() == "null")
    }

    @Test func `pretty text has one member or element a line`() throws {
        let value = try JSONValue(parsing: #"{"b":[1,[],{}],"a":{"c":null},"d":""}"#)
        #expect(
            value.text(.pretty) == """
                {
                  "b": [
                    1,
                    [],
                    {}
                  ],
                  "a": {
                    "c": null
                  },
                  "d": ""
                }
                """)
        #expect(value.text(.short) == #"{"b":[1,[],{}],"a":{"c":null},"d":""}"#)
    }

    @Test func `members are found by the bytes of their name`() throws {
        let value = try JSONValue(parsing: "{\"\u{E9}\":1,\"e\u{301}\":2,\"n\":null}")
        #expect(value["\u{E9}"]?.integer == 1)
        #expect(value["e\u{301}"]?.integer == 2)
        #expect(value["n"] == .null)
        #expect(value["x"] == nil)
        #expect(JSONValue.array([])["x"] == nil)
        #expect(value.members?.map(\.name.utf8.count) == [2, 3, 1])
    }

    @Test func `a text that is refused says why`() {
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: "{") }
        #expect {
            try JSONValue(parsing: #"{"a":1,"a":2}"#)
        } throws: { error in
            (error as? JSONSyntaxError)?.message == JSONError.duplicateName.message
        }
    }
}
