import Testing

@testable import PeerIdentity

struct ProcessFilesTests {
    @Test(arguments: [
        ("12 (sh) S 7 12 12 0\n", 7), ("12 (a b) R 0 1\n", 0), ("12 (x) S 1 ) R 9 1\n", 9),
        ("12 (line\nfeed) S 4 1", 4), ("12 ((())) S 3 1", 3),
    ])
    func `the parent stands behind the name, whatever is in that`(_ text: String, _ parent: Int32) {
        #expect(ProcessFiles.parent(in: Array(text.utf8)) == parent)
    }

    @Test(arguments: ["", "12", "12 (sh)", "12 (sh) S", "12 (sh) S x", "12 sh S 1"])
    func `another form than the kernel's has none`(_ text: String) {
        #expect(ProcessFiles.parent(in: Array(text.utf8)) == nil)
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
