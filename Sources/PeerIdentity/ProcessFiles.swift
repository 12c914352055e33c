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

    /// The number of its parent, 0 if that is outside of this pid namespace.
    static func parent(of number: Int32) throws(Doubt) -> Int32 {
        let path = "/proc/\(number)/stat"
        guard let parent = parent(in: try read(path, maxBytes: 4096)) else {
            throw .unreadable("'\(path)' is in no known form")
        }
        return parent
    }

    /// The parent in the content of such a file: `PID (NAME) STATE PARENT …`, where the name may
    /// have anything in it, also `)`.
    static func parent(in content: [UInt8]) -> Int32? {
        guard let end = content.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = content[(end + 1)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 1 else { return nil }
        return Int32(String(decoding: fields[1], as: UTF8.self))
    }

    private static func read(_ path: String, maxBytes: Int) throws(Doubt) -> [UInt8] {
        try doubting { () throws(PosixError) in try Files.readFile(path, maxBytes: maxBytes) }
    }
}
