import Glibc
import Posix
import Synchronization
import Testing

/// A gate that jobs wait at until the test opens it.
private final class Gate: Sendable {
    private let lock = Mutex(false)

    func open() { lock.withLock { $0 = true } }

    func wait() { while !lock.withLock({ $0 }) { usleep(200) } }
}

private final class Log: Sendable {
    let entries = Mutex<[Int]>([])

    func append(_ entry: Int) { entries.withLock { $0.append(entry) } }

    var all: [Int] { entries.withLock { $0 } }
}

struct WorkerTests {
    @Test func `jobs run one after the other in their order, and stop waits for them`() throws {
        let worker = Worker()
        let log = Log()
        for number in 0..<50 {
            let isTaken = worker.submit { log.append(number) }
            #expect(isTaken)
        }
        worker.stop()
        #expect(log.all == Array(0..<50))
    }

    @Test func `a job can tell a loop that it is done`() throws {
        let worker = Worker()
        let done = try EventDescriptor()
        #expect(worker.submit { done.signal() })
        #expect(try SocketIO.wait(done.raw, timeoutMilliseconds: 5000))
        #expect(done.drain())
        #expect(!done.drain())
        worker.stop()
    }

    @Test func `the queue takes as many as it says and not one more`() throws {
        let worker = Worker()
        let gate = Gate()
        let started = try EventDescriptor()
        #expect(
            worker.submit {
                started.signal()
                gate.wait()
            })
        #expect(try SocketIO.wait(started.raw, timeoutMilliseconds: 5000))
        for _ in 0..<Worker.jobsMax { #expect(worker.submit {}) }
        #expect(!worker.submit {})
        gate.open()
        worker.stop()
    }

    @Test func `jobs run whether the thread goes on, ends or has ended`() throws {
        let worker = Worker()
        let log = Log()
        for number in 1...200 {
            let done = try EventDescriptor()
            #expect(
                worker.submit {
                    log.append(number)
                    done.signal()
                })
            #expect(try SocketIO.wait(done.raw, timeoutMilliseconds: 5000))
            // The next one meets a thread that goes on, that ends, or that has ended.
            if number % 3 == 0 { usleep(100) }
        }
        #expect(log.all == Array(1...200))
        worker.stop()
    }

    @Test func `a job may queue another`() throws {
        let worker = Worker()
        let done = try EventDescriptor()
        #expect(worker.submit { if !worker.submit({ done.signal() }) { Issue.record("refused") } })
        #expect(try SocketIO.wait(done.raw, timeoutMilliseconds: 5000))
        worker.stop()
    }

    @Test func `after the stop no job is taken, and a second stop does nothing`() throws {
        let worker = Worker()
        worker.stop()
        #expect(!worker.submit { Issue.record("a stopped worker ran a job") })
        worker.stop()
    }

    @Test func `every signal that can be is blocked in its thread`() throws {
        let worker = Worker()
        let log = Log()
        let isTaken = worker.submit {
            var blocked = sigset_t()
            unsafe pthread_sigmask(SIG_BLOCK, nil, &blocked)
            for signal in [SIGTERM, SIGHUP, SIGUSR1, SIGPIPE, SIGSEGV, SIGCHLD] {
                log.append(Int(unsafe sigismember(&blocked, signal)))
            }
        }
        #expect(isTaken)
        worker.stop()
        #expect(log.all == [1, 1, 1, 1, 1, 1])
    }

    @Test func `one that is let go without a stop runs its jobs and leaves no thread`() throws {
        let done = try EventDescriptor()
        do {
            let worker = Worker()
            #expect(worker.submit { done.signal() })
        }
        #expect(try SocketIO.wait(done.raw, timeoutMilliseconds: 5000))
    }
}
