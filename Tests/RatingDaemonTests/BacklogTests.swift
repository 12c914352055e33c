import Testing

@testable import RatingDaemon

struct BacklogTests {
    private let user = Backlog.UserPlace()

    private func take(_ count: Int, from backlog: inout Backlog) -> [UInt64] {
        var tags: [UInt64] = []
        while tags.count < count, let tag = backlog.next() { tags.append(tag) }
        return tags
    }

    @Test func `of one process who waits longest comes first`() {
        var backlog = Backlog()
        let process = Backlog.ProcessPlace()
        for tag: UInt64 in 1...3 { backlog.append(tag, of: process, of: user) }
        #expect(backlog.next() == 1)
        backlog.append(1, of: process, of: user)
        #expect(take(9, from: &backlog) == [2, 3, 1])
        #expect(backlog.isEmpty)
    }

    @Test func `no process comes again before all others that wait`() {
        var backlog = Backlog()
        let many = Backlog.ProcessPlace()
        let one = Backlog.ProcessPlace()
        for tag: UInt64 in 1...100 { backlog.append(tag, of: many, of: user) }
        backlog.append(200, of: one, of: user)
        #expect(take(3, from: &backlog) == [1, 200, 2])
        backlog.append(200, of: one, of: user)
        #expect(backlog.next() == 200)
        #expect(take(1_000, from: &backlog).count == 98)
    }

    @Test func `no user comes again before all others that wait, with however many processes`() {
        var backlog = Backlog()
        let processes = (0..<100).map { _ in Backlog.ProcessPlace() }
        for (tag, process) in processes.enumerated() {
            backlog.append(UInt64(tag), of: process, of: user)
        }
        let other = Backlog.UserPlace()
        let (first, second) = (Backlog.ProcessPlace(), Backlog.ProcessPlace())
        backlog.append(201, of: first, of: other)
        backlog.append(202, of: first, of: other)
        backlog.append(203, of: second, of: other)
        #expect(take(7, from: &backlog) == [0, 201, 1, 203, 2, 202, 3])
        #expect(take(1_000, from: &backlog) == (4..<100).map { UInt64($0) })
    }

    @Test func `who had lines carried out without waiting has had its turn`() {
        var backlog = Backlog()
        let many = Backlog.ProcessPlace()
        let one = Backlog.ProcessPlace()
        backlog.append(1, of: many, of: user)
        backlog.served(many, of: user)
        backlog.append(200, of: one, of: user)
        #expect(take(9, from: &backlog) == [200, 1])
        let other = Backlog.UserPlace()
        backlog.append(1, of: many, of: user)
        backlog.served(one, of: user)
        backlog.append(300, of: one, of: other)
        #expect(take(9, from: &backlog) == [300, 1])
    }

    @Test func `nothing is remembered of nobody who waits`() {
        var backlog = Backlog()
        let process = Backlog.ProcessPlace()
        backlog.served(process, of: user)
        backlog.append(1, of: process, of: user)
        backlog.append(2, of: Backlog.ProcessPlace(), of: user)
        #expect(backlog.next() == 1)
    }

    @Test func `everybody's turn comes, in whatever order they come and go`() {
        var backlog = Backlog()
        var waiting: Set<UInt64> = []
        let users = (0..<3).map { _ in
            (Backlog.UserPlace(), (0..<5).map { _ in Backlog.ProcessPlace() })
        }
        for step in 0..<5_000 {
            let (user, processes) = users[step % 3]
            let tag = UInt64(step * 7 % 400)
            if waiting.insert(tag).inserted {
                backlog.append(tag, of: processes[step * 3 % 5], of: user)
            }
            if step % 5 == 0 { backlog.served(processes[0], of: user) }
            guard step % 3 == 0, let next = backlog.next() else { continue }
            #expect(waiting.remove(next) != nil)
        }
        while let next = backlog.next() { #expect(waiting.remove(next) != nil) }
        #expect(waiting.isEmpty && backlog.isEmpty)
    }
}
