import Posix

/// What /proc says of a process; none of these files can be made to wait.
enum ProcessFiles {
    static func controlGroups(of number: Int32) throws(Doubt) -> ControlGroups {
        let path = "/proc/\(number)/cgroup"
        guard let groups = ControlGroups(try read(path, maxBytes: ControlGroups.bytesMax)) else {
            throw .unreadable("'\(path)' is in no known form")
        }
        return groups
    }

    static func status(of number: Int32) throws(Doubt) -> ProcessStatus {
        let path = "/proc/\(number)/stat"
        guard let status = ProcessStatus(try read(path, maxBytes: 4096)) else {
            throw .unreadable("'\(path)' is in no known form")
        }
        return status
    }

    private static func read(_ path: String, maxBytes: Int) throws(Doubt) -> [UInt8] {
        try doubting { () throws(PosixError) in try Files.readFile(path, maxBytes: maxBytes) }
    }
}
