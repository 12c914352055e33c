import TestSupport
import Testing

@testable import RatingWire

/// What a framer told, for comparison.
private enum Told: Equatable {
    case line(String)
    case tooLong
}

private let lineMax = LineFramer.lineBytesMax

struct LineFramerTests {
    /// Gives the bytes in pieces of this size and takes what comes after each.
    private func framed(_ bytes: [UInt8], chunk: Int, ends: Bool = true) -> [Told] {
        var framer = LineFramer()
        var told: [Told] = []
        var start = 0
        while start < bytes.count {
            let end = min(start + chunk, bytes.count)
            framer.take(bytes.span.extracting(start..<end)) { told.append(.line(text(of: $0))) }
            start = end
            take(&framer, &told)
        }
        if ends {
            framer.end()
            take(&framer, &told)
            #expect(framer.bufferedBytes == 0)
        }
        return told
    }

    private func take(_ framer: inout LineFramer, _ told: inout [Told]) {
        while true {
            let hasLine = framer.hasLine
            var text = ""
            let next = framer.next { line in
                text = self.text(of: line)
            }
            #expect(hasLine == (next != nil))
            switch next {
            case .line?: told.append(.line(text))
            case .tooLong?: told.append(.tooLong)
            case nil: return
            }
        }
    }

    private func text(of line: Span<UInt8>) -> String {
        String(decoding: (0..<line.count).map { line[$0] }, as: UTF8.self)
    }

    private func framed(_ text: String, ends: Bool = true) -> [Told] {
        framed(Array(text.utf8), chunk: 1_000_000, ends: ends)
    }

    @Test func `LF ends a line and one CR before it is dropped`() {
        #expect(framed("a\nb\r\nc\r\r\n") == [.line("a"), .line("b"), .line("c\r")])
        #expect(framed("a\rb\n") == [.line("a\rb")])
    }

    @Test func `a line that comes alone is handed over at once, and nothing else is`() {
        for (before, bytes, atOnce) in [
            ("", "a\n", true), ("", "a\r\n", true), ("", "\r\r\n", true), ("x\n", "a\n", false),
            ("x", "a\n", false), ("", "a\nb\n", false), ("", "a", false), ("", "\n", false),
            ("", "\r\n", false), ("", "a\n\n", false),
        ] {
            var framer = LineFramer()
            var (told, later): ([Told], [Told]) = ([], [])
            framer.append(Array(before.utf8).span)
            framer.take(Array(bytes.utf8).span) { told.append(.line(text(of: $0))) }
            framer.end()
            take(&framer, &later)
            #expect(told.count == (atOnce ? 1 : 0), "\(before) \(bytes)")
            #expect(told + later == framed(before + bytes), "\(before) \(bytes)")
        }
    }

    @Test func `lines of no bytes are skipped silently`() {
        #expect(framed("\n\r\n\na\n\n\r\n \n") == [.line("a"), .line(" ")])
        #expect(framed("\r") == [])
        #expect(framed("") == [])
    }

    @Test func `bytes after the last LF are a line at the end only`() {
        #expect(framed("a\nb", ends: false) == [.line("a")])
        #expect(framed("a\nb") == [.line("a"), .line("b")])
        #expect(framed("a\nb\r") == [.line("a"), .line("b")])
    }

    @Test func `NUL is a byte like others`() {
        #expect(framed("a\u{0}b\n\u{0}\n") == [.line("a\u{0}b"), .line("\u{0}")])
    }

    @Test(arguments: [1, 7, 4_096, 65_535, 65_536, 65_537, 1_000_000])
    func `65,536 bytes with the LF are a line and one more is not`(chunk: Int) {
        let longest = String(repeating: "x", count: lineMax - 1)
        #expect(
            framed(Array((longest + "\nb\n").utf8), chunk: chunk) == [.line(longest), .line("b")])
        #expect(
            framed(Array((longest + "x\nb\n").utf8), chunk: chunk) == [.tooLong, .line("b")])
        let withCR = String(repeating: "x", count: lineMax - 2)
        #expect(framed(Array((withCR + "\r\n").utf8), chunk: chunk) == [.line(withCR)])
        #expect(framed(Array((longest + "\r\n").utf8), chunk: chunk) == [.tooLong])
        #expect(framed(Array(longest.utf8), chunk: chunk) == [.line(longest)])
        #expect(framed(Array((longest + "x").utf8), chunk: chunk) == [.tooLong])
    }

    @Test func `a long line is told as soon as it is too long, and once`() {
        var framer = LineFramer()
        let almost = [UInt8](repeating: 0x78, count: lineMax - 1)
        framer.append(almost.span)
        #expect(!framer.hasLine)
        framer.append(almost.span.extracting(0..<1))
        #expect(framer.hasLine)
        guard case .tooLong? = framer.next({ _ in () }) else {
            Issue.record("not told")
            return
        }
        for _ in 0..<100 {
            framer.append(almost.span)
            #expect(!framer.hasLine)
            #expect(framer.bufferedBytes == 0)
        }
        var told: [Told] = []
        framer.append(Array("end\nnext\n".utf8).span)
        take(&framer, &told)
        #expect(told == [.line("next")])
    }

    @Test func `two long lines in a row are told one by one`() {
        let long = String(repeating: "x", count: 2 * lineMax)
        #expect(
            framed(long + "\n" + long + "\na\n" + long) == [
                .tooLong, .tooLong, .line("a"), .tooLong,
            ])
    }

    @Test func `next to nothing is held when no bytes wait`() {
        var framer = LineFramer()
        framer.append(Array("abc\n".utf8).span)
        #expect(framer.bufferedBytes == 4)
        _ = framer.next { _ in () }
        #expect(framer.bufferedBytes == 0)
        #expect(framer.capacity <= LineFramer.keptBytesMax)
        framer.append(Array("\r\n\n".utf8).span)
        #expect(framer.capacity <= LineFramer.keptBytesMax)
        #expect(framer.capacity > 0)
        framer.append([UInt8](repeating: 0x78, count: lineMax).span)
        _ = framer.next { _ in () }
        #expect(framer.capacity <= LineFramer.keptBytesMax)
    }

    @Test func `lines taken one for each piece that comes do not make it grow for ever`() {
        var framer = LineFramer()
        let piece = Array("0123456789\n".utf8)
        for _ in 0..<100 { framer.append(piece.span) }
        for _ in 0..<100_000 {
            framer.append(piece.span)
            _ = framer.next { _ in () }
        }
        #expect(framer.bufferedBytes == 1_100)
        #expect(framer.capacity < 16_384)
    }

    @Test func `any text comes out the same in pieces of any size`() {
        let seed = UInt64.random(in: .min ... .max)
        var random = Seeded(seed)
        for _ in 0..<60 {
            let alphabet = Array("ab\r\n\n".utf8)
            let count = Int.random(in: 0...200, using: &random)
            var bytes = (0..<count).map { _ in alphabet.randomElement(using: &random)! }
            if Int.random(in: 0..<10, using: &random) == 0 {
                let at = Int.random(in: 0...bytes.count, using: &random)
                let long = Int.random(in: (lineMax - 3)...(lineMax + 3), using: &random)
                bytes.insert(contentsOf: [UInt8](repeating: 0x78, count: long), at: at)
            }
            let expected = reference(bytes)
            let sizes = bytes.count < 300 ? Array(1...max(1, bytes.count)) : [4_096, 65_536]
            for size in sizes {
                #expect(framed(bytes, chunk: size) == expected, "seed \(seed), pieces of \(size)")
            }
        }
    }

    /// The same by splitting the whole text.
    private func reference(_ bytes: [UInt8]) -> [Told] {
        let parts = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        return parts.enumerated().compactMap { index, part in
            if part.count + 1 > LineFramer.lineBytesMax { return .tooLong }
            let line = part.last == 0x0D ? part.dropLast() : part
            return line.isEmpty ? nil : .line(String(decoding: line, as: UTF8.self))
        }
    }

}
