import TestSupport
import Testing

@testable import RatingWire

/// Bytes make the same lines however they are cut, and those are what SPEC 1 says.
///
/// An input is pairs of bytes: the second is written as often as the first says, which also says
/// whether the bytes are cut there and whether the lines are taken then.
struct FramingFuzzTests {
    @Test func `the same lines come however the bytes are cut`() throws {
        let target = FuzzTarget("framing") { Self.objection(to: $0) }
        let objections = try target.objections()
        #expect(objections == [])
    }

    private static let counts = [1, 2, 3, 17, 4_096, 65_532, 65_535, 131_072]
    /// More would be slow and no different.
    private static let pairsMax = 16

    private static func objection(to input: [UInt8]) -> String? {
        var chunks: [(bytes: [UInt8], isTaken: Bool)] = [([], true)]
        for pair in 0..<min(input.count / 2, pairsMax) {
            let order = input[2 * pair]
            let count = counts[Int(order & 7)] + Int(order >> 3 & 3)
            chunks[chunks.count - 1].bytes += [UInt8](
                repeating: input[2 * pair + 1], count: count)
            chunks[chunks.count - 1].isTaken = order & 0x80 == 0
            if order & 0x40 != 0 { chunks.append(([], true)) }
        }
        let all = chunks.flatMap(\.bytes)
        let expected = lines(of: all)
        if framed([(all, true)]) != expected { return "at once: other lines than SPEC says" }
        if framed(chunks) != expected { return "in pieces: other lines than SPEC says" }
        return nil
    }

    /// SPEC 1, read literally; nil is a line that is too long.
    private static func lines(of bytes: [UInt8]) -> [[UInt8]?] {
        var lines: [[UInt8]?] = []
        for piece in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            if piece.count + 1 > 65_536 {
                lines.append(nil)
            } else {
                let line = piece.last == UInt8(ascii: "\r") ? piece.dropLast() : piece
                if !line.isEmpty { lines.append(Array(line)) }
            }
        }
        return lines
    }

    private static func framed(_ chunks: [(bytes: [UInt8], isTaken: Bool)]) -> [[UInt8]?] {
        var framer = LineFramer()
        var lines: [[UInt8]?] = []
        func take() {
            while true {
                var line: [UInt8] = []
                let told = framer.next { bytes in
                    line = (0..<bytes.count).map { bytes[$0] }
                }
                switch told {
                case .line?: lines.append(line)
                case .tooLong?: lines.append(nil)
                case nil: return
                }
            }
        }
        for chunk in chunks {
            framer.append(chunk.bytes.span)
            if chunk.isTaken {
                take()
                precondition(framer.bufferedBytes < LineFramer.lineBytesMax, "memory is bounded")
            }
        }
        framer.end()
        take()
        precondition(framer.bufferedBytes == 0, "nothing is left at the end")
        return lines
    }
}
