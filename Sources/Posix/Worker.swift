import CLinux
import Glibc
import Synchronization

/// One helper thread that runs jobs one after the other, for what may wait for the disk.
///
/// Every signal is blocked in it. A job that has something to tell signals an `EventDescriptor`.
package final class Worker: Sendable {
    /// How many jobs wait at most: they are few, and a disk that hangs must not grow the queue.
    package static let jobsMax = 64

    private let queue: JobQueue
    private let thread: Mutex<UInt?>

    /// Starts the thread.
    package init() throws(PosixError) {
        let queue = try JobQueue()
        let argument = unsafe Unmanaged.passRetained(queue).toOpaque()
        var thread: UInt = 0
        do {
            try check("pthread_create") {
                unsafe clinux_start_thread(&thread, runJobs, argument)
            }
        } catch {
            unsafe Unmanaged<JobQueue>.fromOpaque(argument).release()
            throw error
        }
        self.queue = queue
        self.thread = Mutex(thread)
    }

    /// Queues a job; false, and it will not run, if `jobsMax` wait or the worker was stopped.
    package func submit(_ job: @escaping @Sendable () -> Void) -> Bool {
        queue.append(job)
    }

    /// Runs what is queued to its end, and ends the thread; does nothing the second time.
    ///
    /// Waits as long as the disk makes the jobs wait.
    package func stop() {
        queue.close()
        if let thread = takeThread() { _ = clinux_join_thread(thread) }
    }

    deinit {
        queue.close()
        if let thread = takeThread() { _ = clinux_detach_thread(thread) }
    }

    private func takeThread() -> UInt? {
        thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
    }
}

private func runJobs(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    let queue = unsafe Unmanaged<JobQueue>.fromOpaque(argument).takeRetainedValue()
    while let job = queue.next() { job() }
    return nil
}

/// Jobs in their order, between two threads.
private final class JobQueue: Sendable {
    private struct State {
        var jobs: [@Sendable () -> Void] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    /// A semaphore that counts the jobs, and the closing.
    private let waiting: Descriptor

    init() throws(PosixError) {
        let flags = Int32(EFD_SEMAPHORE | EFD_CLOEXEC)
        waiting = Descriptor(owning: try check("eventfd") { eventfd(0, flags) })
    }

    func append(_ job: @escaping @Sendable () -> Void) -> Bool {
        let isTaken = state.withLock { state in
            guard !state.isClosed, state.jobs.count < Worker.jobsMax else { return false }
            state.jobs.append(job)
            return true
        }
        if isTaken { _ = eventfd_write(waiting.raw, 1) }
        return isTaken
    }

    func close() {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        if isFirst { _ = eventfd_write(waiting.raw, 1) }
    }

    /// Waits for the next job; nil when closed and empty.
    func next() -> (@Sendable () -> Void)? {
        var count: UInt64 = 0
        while unsafe read(waiting.raw, &count, MemoryLayout<UInt64>.size) != 8 {}
        return state.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
    }
}
