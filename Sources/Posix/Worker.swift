import CLinux
import Glibc
import Synchronization

/// One helper thread that runs jobs one after the other, for what may wait for the disk.
///
/// It is there only while there are jobs: with a second thread each call of the system that takes a
/// descriptor has to count that it is in use, which takes 2 % of the time of an event. Every
/// signal is blocked in it. A job that has something to tell signals an `EventDescriptor`.
package final class Worker: Sendable {
    /// How many jobs wait at most: they are few, and a disk that hangs must not grow the queue.
    package static let jobsMax = 64

    private let jobs = JobQueue()

    package init() {}

    /// Queues a job; false, and it will not run, if `jobsMax` wait, the worker was stopped, or there
    /// can be no thread.
    package func submit(_ job: @escaping @Sendable () -> Void) -> Bool { jobs.append(job) }

    /// Runs what is queued to its end, and ends the thread; does nothing the second time.
    ///
    /// Waits as long as the disk makes the jobs wait.
    package func stop() {
        if let thread = jobs.close() { _ = clinux_join_thread(thread) }
    }

    deinit {
        if let thread = jobs.close() { _ = clinux_detach_thread(thread) }
    }
}

private func runJobs(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    let jobs = unsafe Unmanaged<JobQueue>.fromOpaque(argument).takeRetainedValue()
    while let job = jobs.next() { job() }
    return nil
}

/// Jobs in their order, between two threads.
private final class JobQueue: Sendable {
    private struct State {
        var jobs: [@Sendable () -> Void] = []
        /// The last thread that was started, until it is joined.
        var thread: UInt?
        /// It has not yet found that there is no job.
        var isRunning = false
        var isClosed = false
    }

    private let state = Mutex(State())

    func append(_ job: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard !state.isClosed, state.jobs.count < Worker.jobsMax else { return false }
            guard state.isRunning || start(&state) else { return false }
            state.jobs.append(job)
            return true
        }
    }

    private func start(_ state: inout State) -> Bool {
        // It has nothing left to do but to end.
        if let ended = state.thread.take() { _ = clinux_join_thread(ended) }
        let argument = unsafe Unmanaged.passRetained(self).toOpaque()
        var thread: UInt = 0
        guard unsafe clinux_start_thread(&thread, runJobs, argument) == 0 else {
            unsafe Unmanaged<JobQueue>.fromOpaque(argument).release()
            return false
        }
        state.thread = thread
        state.isRunning = true
        return true
    }

    /// The thread that is to be joined or detached, if there is one.
    func close() -> UInt? {
        state.withLock { state in
            state.isClosed = true
            return state.thread.take()
        }
    }

    /// The next job; nil, and then the thread has to end, if there is none.
    func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard !state.jobs.isEmpty else {
                state.isRunning = false
                return nil
            }
            return state.jobs.removeFirst()
        }
    }
}
