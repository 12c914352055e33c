internal import Glibc
internal import Posix

/// What a running store notes for the start after it, should it not come to an orderly end.
///
/// Written without a sync: what is in it was true on disk before it was written, and an old note
/// is as true as no note.
struct RunNote: Equatable {
    /// How much of a log is on disk.
    struct Synced: Equatable, Sendable {
        var salt: UInt64
        var pages: Int64
    }

    /// The boot in which the log was written, nil if unknown.
    var boot: String?
    var synced: Synced?

    /// Two lines: the boot, then salt and pages in hexadecimal digits of fixed width.
    var text: String {
        (boot ?? "unknown") + "\n" + hexadecimal(synced?.salt ?? 0) + " "
            + hexadecimal(UInt64(synced?.pages ?? 0)) + "\n"
    }

    init(boot: String?) {
        self.boot = boot
    }

    /// Nil if this is not such a text.
    init?(text: String) {
        let lines = text.split(separator: "\n")
        guard lines.count == 2 else { return nil }
        let numbers = lines[1].split(separator: " ").map { UInt64($0, radix: 16) }
        guard numbers.count == 2, let salt = numbers[0], let pages = numbers[1], pages < 1 << 40
        else { return nil }
        boot = lines[0] == "unknown" ? nil : String(lines[0])
        if pages > 0 { synced = Synced(salt: salt, pages: Int64(pages)) }
    }

    private func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Which boot this is, from the kernel.
    static func currentBoot() -> String? {
        // Without /proc a hole in the log cannot be told from a power loss, and is let pass.
        guard
            let bytes = try? Files.readFile("/proc/sys/kernel/random/boot_id", maxBytes: 100)
        else { return nil }
        let id = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first
        return id.map(String.init)
    }
}

/// The file that holds the note.
final class RunNoteFile {
    private static let bytesMax = 200

    private let file: Descriptor
    private let path: String
    private var note: RunNote

    /// Reads the last run's note; nil if there is none that can be understood.
    static func read(_ path: String) throws(StoreFailure) -> RunNote? {
        guard try system(try Files.statusIfPresent(path, followsLink: false)) != nil else {
            return nil
        }
        let bytes = try FileBytes.read(path, bytes: bytesMax)
        return RunNote(text: String(decoding: bytes, as: UTF8.self))
    }

    /// Begins this run's note in place of the last one's; it says nothing yet.
    init(_ path: String) throws(StoreFailure) {
        let flags = O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK
        let raw = unsafe open(path, flags, 0o600)
        guard raw >= 0 else {
            throw .posix(PosixError(operation: "open", subject: path, code: errno))
        }
        file = Descriptor(owning: raw)
        self.path = path
        note = RunNote(boot: nil)
        write()
    }

    /// Notes that all of the log is of this boot.
    func began(boot: String?) {
        note.boot = boot
        write()
    }

    /// How much of the log is on disk, as far as that is noted.
    var synced: RunNote.Synced? { note.synced }

    /// Notes how much of the log is on disk.
    func synced(_ synced: RunNote.Synced) {
        guard note.synced != synced else { return }
        note.synced = synced
        write()
    }

    /// Takes that back, which must succeed before the log is emptied: a log that is empty against
    /// the note has lost what it held.
    func logWillBeEmptied() throws(StoreFailure) {
        guard note.synced != nil else { return }
        note.synced = nil
        guard write() else {
            throw .posix(PosixError(operation: "write", subject: path, code: errno))
        }
    }

    /// A note that cannot be written proves nothing at the next start, which is no harm by itself.
    @discardableResult
    private func write() -> Bool {
        let text = Array(note.text.utf8)
        let count = unsafe text.withUnsafeBytes {
            unsafe pwrite(file.raw, $0.baseAddress, $0.count, 0)
        }
        return count == text.count
    }
}
