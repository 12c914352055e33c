import RatingWire

/// The parser as a reference, since it cannot be copied and the loop lends it to closures.
final class ParserBox {
    private var parser = MessageParser()

    func parse(_ line: Span<UInt8>) -> Incoming {
        parser.parse(line)
    }
}
