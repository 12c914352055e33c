internal import Glibc
internal import Posix

/// Processor time that a process has used so far.
enum ProcessTimes {
    /// User and system time of all its threads; nil if the process is gone.
    ///
    /// Not from /proc/PID/stat, which counts in ticks: a server that sleeps at each of them seems
    /// to cost nothing. See clock_getcpuclockid(3).
    static func nanoseconds(of process: Int32) -> Int64? {
        var clock = clockid_t()
        var time = timespec()
        guard unsafe clock_getcpuclockid(process, &clock) == 0,
            unsafe clock_gettime(clock, &time) == 0
        else { return nil }
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// The same of this process.
    static var own: Int64? { nanoseconds(of: OwnProcess.id) }

    /// Whether a process is a service manager, which only opened the socket for the server.
    static func isManager(_ process: Int32) -> Bool {
        let name = try? Files.readFile("/proc/\(process)/comm", maxBytes: 64)
        return process <= 1 || name.map { Array("systemd\n".utf8) == $0 } == true
    }
}
