import Testing

@testable import RatingDaemon

struct BacklogTests {
    private final class Process {}

    @Test func `of one process who waits longest comes first`() {
        var backlog = Backlog()
        let process = Process()
        for tag: UInt64 in 1...3 { backlog.append(tag, of: process) }
        #expect(backlog.next() == 1)
        backlog.append(1, of: process)
        #expect([backlog.next(), backlog.next(), backlog.next()] == [2, 3, 1])
        #expect(backlog.next() == nil)
    }

    @Test func `no process comes again before all others that wait`() {
        var backlog = Backlog()
        let many = Process()
        let one = Process()
        for tag: UInt64 in 1...100 { backlog.append(tag, of: many) }
        backlog.append(200, of: one)
        #expect([backlog.next(), backlog.next(), backlog.next()] == [1, 200, 2])
        backlog.append(200, of: one)
        #expect(backlog.next() == 200)
        #expect(backlog.count == 98)
    }

    @Test func `who had lines carried out without waiting has had its turn`() {
        var backlog = Backlog()
        let many = Process()
        let one = Process()
        backlog.append(1, of: many)
        backlog.served(many)
        backlog.append(200, of: one)
        #expect([backlog.next(), backlog.next()] == [200, 1])
    }

    @Test func `nothing is remembered of nobody who waits`() {
        var backlog = Backlog()
        let process = Process()
        backlog.served(process)
        backlog.append(1, of: process)
        backlog.append(2, of: Process())
        #expect(backlog.next() == 1)
    }
}
