import Testing

@testable import PeerIdentity

struct ProcessFilesTests {
    /// What stands between parent and start time.
    private static let rest = "12 12 0 -1 4194560 91 0 0 0 1 2 0 0 20 0 1 0"

    @Test(arguments: [
        ("12 (sh) S 7", 7), ("12 (a b) R 0", 0), ("12 (x) S 1 ) R 9", 9),
        ("12 (line\nfeed) S 4", 4), ("12 ((())) S 3", 3),
    ])
    func `the parent stands behind the name, whatever is in that`(
        _ text: String, _ parent: Int32
    ) throws {
        let content = Array("\(text) \(Self.rest) 8712345 2703360 227\n".utf8)
        let status = try #require(ProcessStatus(content))
        #expect(status.parent == parent)
        #expect(status.startedAt == 8_712_345)
    }

    @Test(arguments: [
        "", "12", "12 (sh)", "12 (sh) S", "12 (sh) S x", "12 sh S 1", "12 (sh) S 1 \(rest)",
        "12 (sh) S 1 \(rest) x", "12 (sh) S x \(rest) 1",
    ])
    func `another form than the kernel's has none`(_ text: String) {
        #expect(ProcessStatus(Array(text.utf8)) == nil)
    }

    @Test func `mounts are found by their number, with or without optional fields`() {
        let table = MountTable(
            Array(
                """
                27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
                40 27 0:35 / / rw,nosuid shared:1 master:2 - fuse.sshfs a@b:/ rw,user_id=0
                41 27 0:36 / /a\\040- rw - tmpfs - rw
                42 27 0:37 / /b rw
                x 27 0:38 / /c rw - tmpfs tmpfs rw
                43 27 0:39 / /d rw -
                """.utf8))
        #expect(table[27] == .init(device: "254:0", type: "ext4"))
        #expect(table[40] == .init(device: "0:35", type: "fuse.sshfs"))
        #expect(table[41] == .init(device: "0:36", type: "tmpfs"))
        #expect(table[42] == nil)
        #expect(table[43] == nil)
    }

    @Test func `only file systems that no process answers for are local`() {
        for type in ["tmpfs", "ext4", "btrfs", "xfs", "squashfs"] {
            #expect(MountTable.Mount(device: "0:1", type: type).isLocal)
        }
        for type in [
            "fuse", "fuse.sshfs", "fuseblk", "overlay", "nfs4", "cifs", "9p", "", "tmpfs ",
        ] {
            #expect(!MountTable.Mount(device: "0:1", type: type).isLocal)
        }
    }
}
