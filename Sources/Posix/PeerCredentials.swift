/// Who connected, as the kernel noted it at that moment. See unix(7), SO_PEERCRED.
package struct PeerCredentials: Equatable, Sendable {
    /// 0 if the peer's process has no number here (another pid namespace).
    package let pid: Int32
    package let uid: UInt32
    package let gid: UInt32

    package init(pid: Int32, uid: UInt32, gid: UInt32) {
        self.pid = pid
        self.uid = uid
        self.gid = gid
    }
}
