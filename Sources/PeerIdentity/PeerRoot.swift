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
        let root = try doubting { () throws(PosixError) in try handle.status() }
        try requireLocal(root)
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
        if status.device != root.device { try requireLocal(status) }
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
        guard let mount = try mount(status.mount, of: "\(number)") else {
            throw .unreadable("its mount is not in '/proc/\(number)/mountinfo'")
        }
        if mount.isLocal { return }
        guard try mount.device == ownRootDevice() else {
            let type = escapedForLog(mount.type, maxBytes: 64)
            throw .unreadable("its root may be on another machine or made up, type \(type)")
        }
    }

    /// The file system of the daemon's own root. Files on an overlay have other numbers than it.
    private func ownRootDevice() throws(Doubt) -> String? {
        let own = try doubting { () throws(PosixError) in
            try PathHandle.directory("/").status()
        }
        return try mount(own.mount, of: "self")?.device
    }

    /// A mount that a process sees; the beginning of the table will mostly do.
    private func mount(_ number: UInt64, of process: String) throws(Doubt) -> MountTable.Mount? {
        let path = "/proc/\(process)/mountinfo"
        let beginning = try doubting { () throws(PosixError) in
            try Files.readBeginning(path, bytes: MountTable.beginningBytes)
        }
        if let mount = MountTable(beginning)[number] { return mount }
        let all = try doubting { () throws(PosixError) in
            try Files.readFile(path, maxBytes: MountTable.bytesMax)
        }
        return MountTable(all)[number]
    }
}
