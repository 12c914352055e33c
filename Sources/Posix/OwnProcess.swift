import CLinux
import Glibc

/// What this process is and uses.
package enum OwnProcess {
    package static var id: Int32 { getpid() }
    package static var effectiveUserID: UInt32 { geteuid() }

    /// How many descriptors the process may have open (the soft RLIMIT_NOFILE).
    package static func descriptorLimit() throws(PosixError) -> UInt64 {
        try descriptorLimits().soft
    }

    /// Raises that to the hard limit, and says what it is now.
    @discardableResult
    package static func raiseDescriptorLimit() throws(PosixError) -> UInt64 {
        let limits = try descriptorLimits()
        if limits.soft < limits.hard {
            try check("setrlimit") { clinux_set_descriptor_limit(limits.hard) }
        }
        return limits.hard
    }

    /// Lets others who want this processor have it first.
    package static func yield() {
        sched_yield()
    }

    /// Gives memory back that is free, but between what is in use. See malloc_trim(3).
    package static func giveFreeMemoryBack() {
        malloc_trim(0)
    }

    /// Memory in use, as `ps` shows it; nil if /proc is not there.
    package static func residentBytes() -> Int64? {
        guard let text = try? Files.readFile("/proc/self/statm", maxBytes: 4096) else { return nil }
        let fields = text.split(separator: UInt8(ascii: " "))
        guard fields.count > 1, let pages = Int64(String(decoding: fields[1], as: UTF8.self)) else {
            return nil
        }
        return pages * Int64(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// How many descriptors are open; nil if /proc is not there or no descriptor is left to look.
    package static func openDescriptorCount() -> Int? {
        // One of the entries is the directory that is being read.
        (try? Files.directoryEntries("/proc/self/fd")).map { $0.count - 1 }
    }

    /// How many threads run; nil if /proc is not there.
    package static func threadCount() -> Int? {
        try? Files.directoryEntries("/proc/self/task").count
    }

    private static func descriptorLimits() throws(PosixError) -> (soft: UInt64, hard: UInt64) {
        var soft: UInt64 = 0
        var hard: UInt64 = 0
        try check("getrlimit") { unsafe clinux_descriptor_limit(&soft, &hard) }
        return (soft, hard)
    }
}

/// The value of an environment variable; nil if it is unset or not UTF-8. See getenv(3).
package func environment(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(validatingCString: value)
}
