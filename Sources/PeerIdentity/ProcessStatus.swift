/// What `/proc/PID/stat` says of a process. See proc(5).
struct ProcessStatus: Equatable {
    /// The number of its parent, 0 if that is outside of this pid namespace.
    let parent: Int32
    /// When it started, in clock ticks since the machine did.
    let startedAt: UInt64

    /// The content of such a file, nil if it has another form: `PID (NAME) STATE PARENT …`, where
    /// the name may have anything in it, also `)`, and the time is the 22nd field.
    init?(_ content: [UInt8]) {
        guard let end = content.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = content[(end + 1)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 19,
            let parent = Int32(String(decoding: fields[1], as: UTF8.self)),
            let startedAt = UInt64(String(decoding: fields[19], as: UTF8.self))
        else { return nil }
        self.parent = parent
        self.startedAt = startedAt
    }
}
