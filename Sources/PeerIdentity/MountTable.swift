/// The mounts that a process sees, from /proc/PID/mountinfo. See proc(5).
struct MountTable {
    /// Some hundred mounts: a Flatpak app has fifty and more, and the two that are looked for are
    /// among the first. Whoever has more costs the daemon a millisecond, and stays unknown.
    static let bytesMax = 65_536

    /// What the kernel gives at a time: whole lines.
    static let beginningBytes = 4096

    private let content: [UInt8]

    struct Mount: Equatable {
        /// The file system's number, `MAJOR:MINOR`; nobody else's while it is mounted.
        var device: String
        /// Such as `tmpfs`.
        var type: String
    }

    init(_ content: [UInt8]) {
        self.content = content
    }

    /// The mount with this number; nil also if its line cannot be read: what is not in the table
    /// is not trusted.
    subscript(number: UInt64) -> Mount? {
        let beginning = "\(number) ".utf8
        for line in content.split(separator: UInt8(ascii: "\n")) where line.starts(with: beginning)
        {
            // 36 35 98:0 /root /point rw,noatime master:1 … - type source options
            let fields = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            guard fields.count > 6,
                let dash = fields[6...].firstIndex(where: { $0.elementsEqual("-".utf8) }),
                dash + 1 < fields.endIndex
            else { return nil }
            return Mount(device: Self.text(fields[2]), type: Self.text(fields[dash + 1]))
        }
        return nil
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}

extension MountTable.Mount {
    /// Whether looking into it cannot be made to wait by whoever mounted it.
    ///
    /// A FUSE file system is answered by a process, a network's by another machine, and an overlay
    /// may have either below it; users can mount the first and the last for themselves. The daemon
    /// has one thread, and one look into such a root could hold it for ever. A Flatpak's root and
    /// its file are tmpfs.
    var isLocal: Bool {
        switch type {
        case "tmpfs", "ramfs", "rootfs", "ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "bcachefs",
            "zfs", "squashfs", "erofs":
            true
        default: false
        }
    }
}
