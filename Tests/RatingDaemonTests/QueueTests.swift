import RatingPolicy
import RatingStore
import RatingWire
import TestSupport
import Testing

@testable import RatingDaemon

/// The small parts of the core: output queue, deadline queue, log limiter.
struct QueueTests {
    @Test func `bytes are handed out once they are released`() {
        var queue = OutputQueue()
        queue.append { $0 += [1, 2] }
        #expect(queue.count == 2)
        #expect(queue.drained(9) == [])
        queue.release()
        queue.append { $0 += [3] }
        #expect(queue.readyCount == 2)
        #expect(queue.drained(1) == [1])
        #expect(queue.drained(9) == [2])
        #expect(queue.count == 1)
    }

    @Test func `what is taken back was never there`() {
        var queue = OutputQueue()
        queue.append { $0 += [1, 2] }
        queue.release()
        _ = queue.drained(1)
        queue.append { $0 += [3, 4] }
        queue.takeBack()
        #expect(queue.count == 1)
        queue.append { $0 += [5] }
        queue.release()
        #expect(queue.drained(9) == [2, 5])
        #expect(queue.count == 0)
    }

    @Test func `room is given back once it is not needed`() {
        var queue = OutputQueue()
        queue.reserve(16_384)
        queue.keepSmall()
        #expect(queue.bytes.capacity == 0)
        queue.reserve(16_384)
        queue.append { $0 += [1, 2] }
        queue.keepSmall()
        queue.release()
        #expect(queue.drained(9) == [1, 2])
        #expect(queue.bytes.capacity == 0)
    }

    @Test func `what is written does not pile up`() {
        var queue = OutputQueue()
        for number in 1...100 {
            queue.append { $0 += [UInt8](repeating: UInt8(number), count: 50) }
            queue.release()
            #expect(queue.drained(99) == [UInt8](repeating: UInt8(number), count: 50))
            #expect(queue.bytes.count < 300)
        }
    }

    @Test(arguments: 0..<20)
    func `any mix of writes, releases and reads keeps the order`(seed: UInt64) {
        var random = Seeded(seed)
        var queue = OutputQueue()
        var held: [UInt8] = []
        var ready: [UInt8] = []
        var next: UInt8 = 0
        for _ in 0..<300 {
            switch random.number(0...5) {
            case 0, 1, 2:
                let count = random.pick([1, 10, 50_000])
                next &+= 1
                let bytes = [UInt8](repeating: next, count: count)
                queue.append { $0 += bytes }
                held += bytes
            case 3:
                queue.release()
                ready += held
                held = []
            case 4:
                queue.takeBack()
                held = []
            default:
                let count = random.pick([0, 1, 9, 70_000, 1_000_000])
                #expect(queue.drained(count) == Array(ready.prefix(count)))
                ready.removeFirst(min(count, ready.count))
            }
            #expect(queue.readyCount == ready.count)
            #expect(queue.count == ready.count + held.count)
        }
    }

    @Test(arguments: 0..<20)
    func `deadlines come out in their order`(seed: UInt64) {
        var random = Seeded(seed)
        var queue = DeadlineQueue()
        var times: [Int64] = []
        for _ in 0..<200 {
            let time = Int64(random.number(0...50))
            times.append(time)
            queue.push(SteadyTime(nanoseconds: time), .notes)
        }
        queue.rebuild { $0.time.nanoseconds % 5 != 0 }
        times = times.filter { $0 % 5 != 0 }.sorted()
        #expect(queue.earliest?.nanoseconds == times.first)
        let due = times.filter { $0 <= 30 }
        var popped: [Int64] = []
        while let entry = queue.popDue(at: SteadyTime(nanoseconds: 30)) {
            popped.append(entry.time.nanoseconds)
        }
        #expect(popped == due)
        #expect(queue.entries.count == times.count - due.count)
    }

    @Test func `what is due at one moment comes in the order it was pushed`() {
        var queue = DeadlineQueue()
        let keys = (0..<40).map { AppKey(user: UserID($0), app: .notes) }
        for key in keys { queue.push(SteadyTime(nanoseconds: 7), key) }
        queue.rebuild { $0.key.user % 3 != 0 }
        var popped: [AppKey] = []
        while let entry = queue.popDue(at: SteadyTime(nanoseconds: 7)) { popped.append(entry.key) }
        #expect(popped == keys.filter { $0.user % 3 != 0 })
    }

    @Test func `deadlines that mean nothing any more do not pile up`() {
        let bench = Bench(.free([.onActivity: .onActivity(.restart)], limits: [.ratePerSec: 0]))
        let guest = bench.greet()
        _ = guest.request()
        for _ in 0..<5_000 {
            bench.sleep(1)
            guest.notify("activity")
        }
        #expect(bench.core.deadlines.entries.count <= 1_025)
        bench.wait(2_000)
        #expect(guest.told() == ["prompt"])
        #expect(bench.core.nextDeadline == nil)
    }
}

extension OutputQueue {
    /// Takes at most so many bytes out.
    mutating func drained(_ max: Int) -> [UInt8] {
        var taken: [UInt8] = []
        unsafe drain { ready in
            unsafe taken.append(contentsOf: ready.prefix(max))
            return min(max, ready.count)
        }
        return taken
    }
}
