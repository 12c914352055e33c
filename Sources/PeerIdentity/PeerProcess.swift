import Glibc
import Posix
import RatingPolicy

/// The process at the other end of a connection, held so that it cannot be mistaken for another
/// that is given its number.
struct PeerProcess: ~Copyable {
    private let descriptor: ProcessDescriptor
    /// Its number in /proc.
    let number: Int32

    private init(_ descriptor: consuming ProcessDescriptor, number: Int32) {
        self.descriptor = descriptor
        self.number = number
    }

    static func find(
        at socket: Int32, _ credentials: PeerCredentials, by route: PeerIdentity.Route
    ) throws(Doubt) -> PeerProcess {
        guard credentials.pid > 0 else {
            throw .unreadable("its process has no number here (another pid namespace)")
        }
        let descriptor =
            switch route {
            case .connection: try descriptor(of: socket, credentials)
            case .number: try descriptor(of: credentials)
            }
        let number = try number(of: descriptor)
        return PeerProcess(descriptor, number: number)
    }

    /// Throws if it has ended; then what was read under its number may be of another process.
    func requireAlive() throws(Doubt) {
        let hasEnded = try doubting { () throws(PosixError) in try descriptor.hasEnded() }
        guard !hasEnded else { throw .unreadable("process \(number) has ended") }
    }

    /// Whether the kernel cannot be asked so, rather than that the peer is gone.
    static func isUnknownToKernel(_ error: PosixError) throws(Doubt) -> Bool {
        switch error.code {
        case ENOPROTOOPT:
            return true
        case EINVAL:
            return try doubting { () throws(PosixError) in
                try !ProcessDescriptor.kernelTellsPeers()
            }
        default:
            return false
        }
    }

    private static func descriptor(
        of socket: Int32, _ credentials: PeerCredentials
    ) throws(Doubt) -> ProcessDescriptor {
        let failure: PosixError
        do {
            return try ProcessDescriptor.peer(of: socket)
        } catch {
            failure = error
        }
        guard try isUnknownToKernel(failure) else { throw Doubt(failure) }
        return try descriptor(of: credentials)
    }

    private static func descriptor(
        of credentials: PeerCredentials
    ) throws(Doubt) -> ProcessDescriptor {
        let found = try doubting { () throws(PosixError) in
            try ProcessDescriptor.open(number: credentials.pid)
        }
        let path = "/proc/\(try number(of: found))"
        let owner = try doubting { () throws(PosixError) in try Files.status(path).uid }
        guard owner == credentials.uid else {
            throw .unreadable(
                "process \(credentials.pid) is of uid \(owner) and not of \(credentials.uid)")
        }
        return found
    }

    private static func number(of descriptor: borrowing ProcessDescriptor) throws(Doubt) -> Int32 {
        let number: Int32
        do {
            number = try descriptor.number()
        } catch {
            throw Doubt(error)
        }
        guard number > 0 else { throw .unreadable("its process is gone") }
        return number
    }
}
