extension Collection where Element == Stamp {
    /// The earliest time, not before `start`, at which every stamp is at least `span` old.
    package func earliestAll(ofAge span: Milliseconds, from start: WallTime) -> WallTime {
        var time = start
        while true {
            let latest = reduce(time) { Swift.max($0, $1.earliest(ofAge: span, from: time)) }
            if latest == time { return time }
            time = latest
        }
    }

    /// How many are younger than `span`; one that is exactly so old is not.
    package func count(youngerThan span: Milliseconds, at now: WallTime) -> Int {
        count { $0.age(at: now) < span }
    }

    /// The earliest time, not before `start`, at which fewer than `cap` are younger than `span`.
    ///
    /// Nil if that is never: a cap of 0.
    package func earliest(
        with cap: Int, youngerThan span: Milliseconds, from start: WallTime
    ) -> WallTime? {
        guard cap > 0 else { return nil }
        var time = start
        while true {
            let young = filter { $0.age(at: time) < span }
            if young.count < cap { return time }
            // One has to leave before the count can fall; which may return is seen next time round.
            let leaving = young.map { $0.earliest(ofAge: span, from: time) }.min()
            guard let leaving, leaving > time else { return time }
            time = leaving
        }
    }

    /// The age of the youngest; nil if there is none.
    package func youngestAge(at now: WallTime) -> Milliseconds? {
        map { $0.age(at: now) }.min()
    }
}
