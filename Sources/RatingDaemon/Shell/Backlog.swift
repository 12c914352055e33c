/// Clients with lines that no turn got to yet.
///
/// No user comes again before all other users that wait, of one user no process before all its
/// others, and of a process comes first who waits longest: a process with a hundred busy
/// connections, or a user with a hundred busy processes, keeps nobody waiting a hundred times as
/// long.
struct Backlog {
    private var users = Rota<Rota<Queue<UInt64>>>()

    var isEmpty: Bool { users.isEmpty }

    mutating func append(_ tag: UInt64, of process: AnyObject, of user: AnyObject) {
        users.wait(ObjectIdentifier(user)) { processes in
            processes.wait(ObjectIdentifier(process)) { $0.append(tag) }
        }
    }

    /// A client of this process had lines carried out without having to wait.
    mutating func served(_ process: AnyObject, of user: AnyObject) {
        users.serve(ObjectIdentifier(user)) { $0.serve(ObjectIdentifier(process)) }
    }

    /// Whose turn it is; the client waits no more.
    mutating func next() -> UInt64? { users.next() }
}
