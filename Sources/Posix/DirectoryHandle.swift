import CLinux
import Glibc

/// A directory held itself and not by its name, so that what is done through it is done there,
/// whatever becomes of the name and of links on the way. See open(2), O_PATH.
package struct DirectoryHandle: ~Copyable {
    private let descriptor: Descriptor
    /// Where it was found, for messages.
    package let path: String

    /// Links on the way to it are followed.
    package init(_ path: String) throws(PosixError) {
        let raw = try unsafe checkPath("open", path) {
            unsafe clinux_open_handle(AT_FDCWD, $0, 1)
        }
        descriptor = Descriptor(owning: raw)
        self.path = path
    }

    private init(_ descriptor: consuming Descriptor, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// The directory that has this name in it; ENOTDIR if it is something else, such as a link.
    package borrowing func directory(_ name: String) throws(PosixError) -> DirectoryHandle {
        let entry = try entry(name)
        guard try Files.status(of: entry.raw).kind == .directory else {
            throw PosixError(operation: "open", subject: path(of: name), code: ENOTDIR)
        }
        return DirectoryHandle(entry, path: path(of: name))
    }

    /// What has this name in it, held but not opened; a link itself and not where it leads.
    package borrowing func entry(_ name: String) throws(PosixError) -> Descriptor {
        precondition(!name.utf8.contains(UInt8(ascii: "/")), "a name is no path")
        let directory = descriptor.raw
        let entryPath = path(of: name)
        let raw = try unsafe checkPath("open", entryPath) { _ in
            unsafe name.withCString { unsafe clinux_open_handle(directory, $0, 0) }
        }
        return Descriptor(owning: raw)
    }

    package borrowing func status() throws(PosixError) -> FileStatus {
        try Files.status(of: descriptor.raw)
    }

    /// What has this name in it, nil if nothing has; a link is not followed.
    package borrowing func status(of name: String) throws(PosixError) -> FileStatus? {
        do {
            let held = try entry(name)
            return try Files.status(of: held.raw)
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
    }

    /// Its names without `.` and `..`, in byte order.
    package borrowing func names() throws(PosixError) -> [String] {
        try named { () throws(PosixError) in try Files.directoryEntries(pinnedPath) }
    }

    package borrowing func unlink(_ name: String) throws(PosixError) {
        try named(name) { () throws(PosixError) in try Files.unlink(pinnedPath(of: name)) }
    }

    /// Gives a file of another directory a name in this one too; EEXIST if the name is taken.
    package borrowing func link(
        _ source: String, of directory: borrowing DirectoryHandle, as name: String
    ) throws(PosixError) {
        let (from, to) = (directory.pinnedPath(of: source), pinnedPath(of: name))
        try unsafe checkPath("link", path(of: name)) { _ in unsafe Glibc.link(from, to) }
    }

    /// A path that leads to this very directory, in this process and while the handle is held.
    package var pinnedPath: String { "/proc/self/fd/\(descriptor.raw)" }

    borrowing func pinnedPath(of name: String) -> String { pinnedPath + "/" + name }

    package borrowing func path(of name: String) -> String { path + "/" + name }

    /// Runs a call on a pinned path, whose errors are to name the path that people know.
    borrowing func named<Value: ~Copyable>(
        _ name: String? = nil, _ call: () throws(PosixError) -> Value
    ) throws(PosixError) -> Value {
        do {
            return try call()
        } catch {
            throw PosixError(
                operation: error.operation, subject: name.map { path(of: $0) } ?? path,
                code: error.code)
        }
    }
}
