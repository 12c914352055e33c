import CLinux
import Glibc

/// A set of descriptors watched together, level-triggered. See epoll(7).
@safe package struct Epoll: ~Copyable {
    /// What a descriptor is watched for; empty means hang-ups and errors only.
    package struct Interest: OptionSet, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// The same as from an array of them, and cheaper.
        package init(isReadable: Bool, isWritable: Bool) {
            rawValue =
                (isReadable ? EPOLLIN.rawValue : 0) | (isWritable ? EPOLLOUT.rawValue : 0)
        }

        package static let readable = Self(rawValue: EPOLLIN.rawValue)
        package static let writable = Self(rawValue: EPOLLOUT.rawValue)
        package static let readHangUp = Self(rawValue: EPOLLRDHUP.rawValue)
    }

    /// What a descriptor was found to be; `hangUp` and `error` come unasked.
    package struct Readiness: OptionSet, Sendable {
        package let rawValue: UInt32
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let readable = Self(rawValue: EPOLLIN.rawValue)
        package static let writable = Self(rawValue: EPOLLOUT.rawValue)
        package static let readHangUp = Self(rawValue: EPOLLRDHUP.rawValue)
        package static let hangUp = Self(rawValue: EPOLLHUP.rawValue)
        package static let error = Self(rawValue: EPOLLERR.rawValue)

        // The same as `contains`, and cheaper.
        package var isReadable: Bool { rawValue & EPOLLIN.rawValue != 0 }
        package var isWritable: Bool { rawValue & EPOLLOUT.rawValue != 0 }
        package var isBroken: Bool { rawValue & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 }
    }

    /// How many ready descriptors one `wait` hands out at most; the others come first next time.
    package static let readyMax = 256

    private let descriptor: Descriptor
    private let ready: UnsafeMutablePointer<epoll_event>

    /// For another set to watch: readable when something in this one is ready.
    package var raw: Int32 { descriptor.raw }

    package init() throws(PosixError) {
        descriptor = Descriptor(
            owning: try check("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) })
        unsafe ready = .allocate(capacity: Self.readyMax)
    }

    deinit {
        unsafe ready.deallocate()
    }

    /// Watches one more descriptor; `tag` comes back with its readiness.
    package borrowing func add(_ fd: Int32, _ interest: Interest, tag: UInt64) throws(PosixError) {
        try control(EPOLL_CTL_ADD, fd, interest, tag)
    }

    /// Changes what a watched descriptor is watched for, and its tag.
    package borrowing func modify(
        _ fd: Int32, _ interest: Interest, tag: UInt64
    ) throws(PosixError) {
        try control(EPOLL_CTL_MOD, fd, interest, tag)
    }

    /// Watches a descriptor no more; readiness already handed to `wait`'s body still comes.
    package borrowing func remove(_ fd: Int32) throws(PosixError) {
        try control(EPOLL_CTL_DEL, fd, [], 0)
    }

    /// Waits until something is ready or the time is up (-1: for ever), and hands each ready
    /// descriptor's tag to `body`. A signal's interruption counts as nothing ready.
    package borrowing func wait(
        timeoutMilliseconds: Int32, _ body: (UInt64, Readiness) -> Void
    ) throws(PosixError) {
        let count = unsafe epoll_wait(
            descriptor.raw, ready, Int32(Self.readyMax), timeoutMilliseconds)
        if count == -1 {
            let code = errno
            if code == EINTR { return }
            throw PosixError(operation: "epoll_wait", code: code)
        }
        for index in 0..<Int(count) {
            let event = unsafe ready[index]
            unsafe body(event.data.u64, Readiness(rawValue: event.events))
        }
    }

    private borrowing func control(
        _ operation: Int32, _ fd: Int32, _ interest: Interest, _ tag: UInt64
    ) throws(PosixError) {
        var event = unsafe epoll_event(
            events: interest.rawValue, data: epoll_data_t(u64: tag))
        let epoll = descriptor.raw
        try check("epoll_ctl") { unsafe epoll_ctl(epoll, operation, fd, &event) }
    }
}
