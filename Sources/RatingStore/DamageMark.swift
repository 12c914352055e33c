internal import Glibc
internal import Posix

/// A file that makes the next start check the whole database.
struct DamageMark {
    let path: String

    /// Writes the reason into it, as well as the disk allows.
    ///
    /// If it cannot be made, the next start checks as it always does, and damage that is met
    /// again is refused again.
    func leave(_ reason: String) {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK
        let raw = unsafe open(path, flags, 0o600)
        guard raw >= 0 else { return }
        let file = Descriptor(owning: raw)
        let text = Array((reason + "\n").utf8)
        _ = unsafe text.withUnsafeBytes { unsafe write(file.raw, $0.baseAddress, $0.count) }
        _ = fsync(file.raw)
    }
}
