import Glibc
import Posix
import RatingPolicy

/// The root directory that a process sees: where a Flatpak sandbox says which app is in it.
struct PeerRoot: ~Copyable {
    private let number: Int32
    private let handle: PathHandle

    init(ofProcess number: Int32) throws(Doubt) {
        self.number = number
        do {
            handle = try PathHandle.directory("/proc/\(number)/root")
        } catch {
            throw Doubt(error)
        }
    }

    /// The app of the Flatpak sandbox, nil if this is none.
    ///
    /// Only that the file is not there means none. Whatever else is not as it should be is a
    /// doubt.
    func flatpakApp() throws(Doubt) -> AppID? {
        try requireLocal(try doubting { () throws(PosixError) in try handle.status() })
        guard let file = try info() else { return nil }
        let status: PathStatus
        do {
            status = try file.status()
        } catch {
            throw Doubt(error)
        }
        guard status.kind == .file else {
            throw .unreadable("'/\(FlatpakInfo.name)' is a \(status.kind.rawValue)")
        }
        try requireLocal(status)
        let content: [UInt8]
        do {
            content = try file.read(maxBytes: FlatpakInfo.bytesMax)
        } catch {
            throw Doubt(error)
        }
        guard let app = FlatpakInfo.app(in: content) else {
            throw .unreadable("'/\(FlatpakInfo.name)' names no app")
        }
        return app
    }

    private func info() throws(Doubt) -> PathHandle? {
        do {
            return try handle.entry(FlatpakInfo.name)
        } catch {
            if error.code == ENOENT { return nil }
            throw Doubt(error)
        }
    }

    /// Throws unless looking there cannot be made to wait: it is on the file system of the
    /// daemon's own root, or on a local one.
    private func requireLocal(_ status: PathStatus) throws(Doubt) {
        let own = try doubting { () throws(PosixError) in try Files.status("/") }
        if status.device == own.device { return }
        guard let mount = try mounts(of: "\(number)")[status.mount] else {
            throw .unreadable("its mount is not in '/proc/\(number)/mountinfo'")
        }
        if mount.isLocal { return }
        guard try mount.device == ownRootDevice() else {
            throw .unreadable("it may be on another machine or made up, type \(mount.type)")
        }
    }

    /// The file system of the daemon's own root. Files on an overlay have other numbers than it.
    private func ownRootDevice() throws(Doubt) -> String? {
        let own = try doubting { () throws(PosixError) in
            try PathHandle.directory("/").status()
        }
        return try mounts(of: "self")[own.mount]?.device
    }

    private func mounts(of process: String) throws(Doubt) -> MountTable {
        MountTable(
            try doubting { () throws(PosixError) in
                try Files.readFile("/proc/\(process)/mountinfo", maxBytes: MountTable.bytesMax)
            })
    }
}
