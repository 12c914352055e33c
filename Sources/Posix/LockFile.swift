import Glibc

/// A lock file that this process holds, from `acquire` until it goes. See flock(2).
///
/// The file stays: taking it away would let two processes lock two files of one name.
package struct LockFile: ~Copyable {
    private let descriptor: Descriptor

    /// Locks the file, which is made if it is missing (0600); nil if it is locked elsewhere.
    ///
    /// Never waits. A symbolic link there is ELOOP, what is no plain file EINVAL.
    package static func acquire(_ path: String) throws(PosixError) -> LockFile? {
        while true {
            let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK
            let file = try Files.open(path, flags, mode: 0o600)
            let opened = try Files.status(of: file.raw)
            guard opened.kind == .file else {
                throw PosixError(operation: "lock", subject: path, code: EINVAL)
            }
            guard try lock(file.raw, path) else { return nil }
            // Somebody may have taken the file away between open and lock: then try its heir.
            let named = try Files.statusIfPresent(path, followsLink: false)
            if let named, named.isSameFile(as: opened) { return LockFile(descriptor: file) }
        }
    }

    private init(descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    deinit {
        // By closing alone it would stay locked while a child forked just now has it open.
        _ = flock(descriptor.raw, LOCK_UN)
    }

    private static func lock(_ descriptor: Int32, _ path: String) throws(PosixError) -> Bool {
        do {
            try check("flock", path) { flock(descriptor, LOCK_EX | LOCK_NB) }
            return true
        } catch {
            if error.code == EWOULDBLOCK { return false }
            throw error
        }
    }
}
