/// The mounts that a process sees, from /proc/PID/mountinfo. See proc(5).
struct MountTable {
    /// Some two thousand mounts; a Flatpak app has about a hundred.
    static let bytesMax = 262_144

    private let mounts: [UInt64: Mount]

    struct Mount: Equatable {
        /// The file system's number, `MAJOR:MINOR`; nobody else's while it is mounted.
        var device: String
        /// Such as `tmpfs`.
        var type: String
    }

    /// Lines that cannot be read are left out: what is not in the table is not trusted.
    init(_ content: [UInt8]) {
        var mounts: [UInt64: Mount] = [:]
        for line in content.split(separator: UInt8(ascii: "\n")) {
            // 36 35 98:0 /root /point rw,noatime master:1 … - type source options
            let fields = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            guard fields.count > 6, let number = UInt64(Self.text(fields[0])),
                let dash = fields[6...].firstIndex(where: { $0.elementsEqual("-".utf8) }),
                dash + 1 < fields.endIndex
            else { continue }
            mounts[number] = Mount(device: Self.text(fields[2]), type: Self.text(fields[dash + 1]))
        }
        self.mounts = mounts
    }

    subscript(number: UInt64) -> Mount? { mounts[number] }

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
