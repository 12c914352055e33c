import Glibc

extension ListeningSocket {
    private static let newName = "new"

    /// Makes a socket in a directory that others write in too, in place of one that nobody listens
    /// on any more.
    ///
    /// It is made in `workshop`, a directory of the same file system that is ours alone and that
    /// one caller at a time uses: there it gets its mode and listens. Then a hard link, which
    /// replaces nothing, gives it its name. So no link or race leads anywhere else, and which file
    /// it is, is certain. EXDEV: not the same file system. The name is the caller's to take away.
    package static func place(
        _ name: String, in directory: borrowing DirectoryHandle,
        from workshop: borrowing DirectoryHandle, mode: UInt32
    ) throws(ListenError) -> ListeningSocket {
        do {
            try removeStale(name, in: directory)
            if try workshop.status(of: newName) != nil { try workshop.unlink(newName) }
            let socket = try makeStreamSocket(nonblocking: true)
            let raw = socket.raw
            let identity = try workshop.named(newName) { () throws(PosixError) in
                try bindAndListen(raw, workshop.pinnedPath(of: newName), mode)
            }
            let linked = linking(name, in: directory, from: workshop)
            try workshop.unlink(newName)
            try linked.get()
            return ListeningSocket(
                socket, path: directory.path(of: name), identity: identity, lock: nil,
                isInherited: false)
        } catch let error as ListenError {
            throw error
        } catch let error as PosixError {
            throw .failed(error)
        } catch {
            preconditionFailure("nothing else is thrown in here")
        }
    }

    private static func linking(
        _ name: String, in directory: borrowing DirectoryHandle,
        from workshop: borrowing DirectoryHandle
    ) -> Result<Void, PosixError> {
        do throws(PosixError) {
            return .success(try directory.link(newName, of: workshop, as: name))
        } catch {
            return .failure(error)
        }
    }

    /// Takes a socket away that nobody listens on, refuses anything else.
    private static func removeStale(
        _ name: String, in directory: borrowing DirectoryHandle
    ) throws {
        let path = directory.path(of: name)
        guard let found = try directory.status(of: name) else { return }
        guard found.kind == .socket else {
            throw ListenError.notASocket(path: path, kind: found.kind)
        }
        // What is held is what is connected to, not what may have its name by then.
        let held = try directory.entry(name)
        guard try Files.status(of: held.raw).isSameFile(as: found) else {
            throw ListenError.occupied(path: path)
        }
        do {
            _ = try SocketIO.connect(path: "/proc/self/fd/\(held.raw)", nonblocking: true)
            throw ListenError.occupied(path: path)
        } catch let error as PosixError {
            switch error.code {
            case ECONNREFUSED: try directory.unlink(name)
            case EAGAIN: throw ListenError.occupied(path: path)
            default:
                throw PosixError(operation: error.operation, subject: path, code: error.code)
            }
        }
    }
}
