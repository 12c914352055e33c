/// Clients with lines that no turn got to yet.
///
/// No user comes again before all other users that wait, of one user no process before all its
/// others, and of a process comes first who waits longest: a process with a hundred busy
/// connections, or a user with a hundred busy processes, keeps nobody waiting a hundred times as
/// long.
struct Backlog {
    /// The place of a process among those of its user.
    typealias ProcessPlace = Rota<Queue<UInt64>>.Member
    typealias UserPlace = Rota<Rota<Queue<UInt64>>>.Member

    private var users = Rota<Rota<Queue<UInt64>>>()
    /// Who waits alone, which is what happens most, and costs next to nothing.
    private var only: (tag: UInt64, process: ProcessPlace, user: UserPlace)?

    var isEmpty: Bool { only == nil && users.isEmpty }

    mutating func append(_ tag: UInt64, of process: ProcessPlace, of user: UserPlace) {
        guard !isEmpty else {
            only = (tag, process, user)
            return
        }
        joinOthers()
        add(tag, process, user)
    }

    /// A client of this process had lines carried out without having to wait.
    mutating func served(_ process: ProcessPlace, of user: UserPlace) {
        joinOthers()
        users.serve(user) { $0.serve(process) }
    }

    /// Whose turn it is; the client waits no more.
    mutating func next() -> UInt64? {
        guard let only else { return users.next() }
        self.only = nil
        return only.tag
    }

    private mutating func joinOthers() {
        guard let only else { return }
        self.only = nil
        add(only.tag, only.process, only.user)
    }

    private mutating func add(_ tag: UInt64, _ process: ProcessPlace, _ user: UserPlace) {
        users.wait(user) { processes in
            processes.wait(process) { $0.append(tag) }
        }
    }
}
