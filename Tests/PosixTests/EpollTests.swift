import Glibc
import Posix
import Testing

struct EpollTests {
    /// What is ready without waiting, by tag.
    private func ready(
        _ epoll: borrowing Epoll, timeoutMilliseconds: Int32 = 0
    ) throws -> [UInt64: Epoll.Readiness] {
        var found: [UInt64: Epoll.Readiness] = [:]
        try epoll.wait(timeoutMilliseconds: timeoutMilliseconds) { found[$0] = $1 }
        return found
    }

    @Test func `a tag comes back whole with what its descriptor is ready for`() throws {
        let epoll = try Epoll()
        let pair = try SocketPair()
        try epoll.add(pair.one.raw, [.readable, .writable], tag: .max)
        #expect(try ready(epoll) == [.max: .writable])
        #expect(send(pair.other.raw, "x") == .sent(1))
        #expect(try ready(epoll) == [.max: [.readable, .writable]])
    }

    @Test func `it is level-triggered`() throws {
        let epoll = try Epoll()
        let event = try EventDescriptor()
        try epoll.add(event.raw, .readable, tag: 1)
        event.signal()
        #expect(try ready(epoll).keys.count == 1)
        #expect(try ready(epoll).keys.count == 1)
        event.drain()
        #expect(try ready(epoll).isEmpty)
    }

    @Test func `an empty interest still tells of a hang-up`() throws {
        let epoll = try Epoll()
        let pair = try SocketPair()
        try epoll.add(pair.one.raw, [], tag: 1)
        #expect(send(pair.other.raw, "x") == .sent(1))
        #expect(try ready(epoll).isEmpty)
        shutdown(pair.other.raw, Int32(SHUT_RDWR))
        #expect(try ready(epoll) == [1: .hangUp])
    }

    @Test func `a half-closed peer is a read hang-up, not a hang-up`() throws {
        let epoll = try Epoll()
        let pair = try SocketPair()
        try epoll.add(pair.one.raw, .readHangUp, tag: 1)
        shutdown(pair.other.raw, Int32(SHUT_WR))
        #expect(try ready(epoll) == [1: .readHangUp])
    }

    @Test func `an interest and a tag can be changed, and taken back`() throws {
        let epoll = try Epoll()
        let pair = try SocketPair()
        try epoll.add(pair.one.raw, .readable, tag: 1)
        #expect(try ready(epoll).isEmpty)
        try epoll.modify(pair.one.raw, .writable, tag: 2)
        #expect(try ready(epoll) == [2: .writable])
        try epoll.remove(pair.one.raw)
        #expect(try ready(epoll).isEmpty)
    }

    @Test func `what cannot be watched is an error that says so`() throws {
        let epoll = try Epoll()
        #expect(throws: PosixError(operation: "epoll_ctl", code: EBADF)) {
            try epoll.add(9999, .readable, tag: 1)
        }
        let event = try EventDescriptor()
        #expect(throws: PosixError(operation: "epoll_ctl", code: ENOENT)) {
            try epoll.remove(event.raw)
        }
    }

    @Test func `more ready than fit come with the next wait`() throws {
        let epoll = try Epoll()
        var events: [EventDescriptor] = []
        for tag in 0..<UInt64(Epoll.readyMax + 1) {
            let event = try EventDescriptor()
            try epoll.add(event.raw, .readable, tag: tag)
            event.signal()
            events.append(event)
        }
        var seen = Set(try ready(epoll).keys)
        #expect(seen.count == Epoll.readyMax)
        seen.formUnion(try ready(epoll).keys)
        #expect(seen.count == Epoll.readyMax + 1)
    }
}
