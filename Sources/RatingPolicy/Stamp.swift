/// A stored time, which may have been written under a wrong clock.
///
/// `first` is what the clock said and is never changed. After a clock repair `repaired` counts
/// for as long as `first` lies in the future (SPEC 3.4), so a repair made under a wrong clock
/// frees nothing for good.
package struct Stamp: Hashable, Sendable {
    package var first: WallTime
    package var repaired: WallTime?

    package init(_ first: WallTime, repaired: WallTime? = nil) {
        self.first = first
        self.repaired = repaired
    }

    /// The time that counts now; never in the future.
    package func effective(at now: WallTime) -> WallTime {
        if first <= now { return first }
        return min(repaired ?? now, now)
    }

    /// How long ago the stamp was set; a time in the future has age 0.
    package func age(at now: WallTime) -> Milliseconds {
        now.since(effective(at: now))
    }

    /// True if the stamp lies in the future and no repair speaks for it.
    package func isAhead(of now: WallTime) -> Bool {
        first > now && (repaired ?? first) > now
    }

    /// The earliest time, not before `start`, at which the stamp is at least `span` old.
    ///
    /// Exact also where the age falls back to 0: when the clock reaches the first stamp of a
    /// repaired one.
    package func earliest(ofAge span: Milliseconds, from start: WallTime) -> WallTime {
        guard age(at: start) < span else { return start }
        if first > start, let repaired {
            let ripe = max(start, repaired.adding(span))
            if ripe < first { return ripe }
        }
        return first.adding(span)
    }

    /// This stamp counting as now, if it lies in the future.
    package func repaired(at now: WallTime) -> Stamp {
        isAhead(of: now) ? Stamp(first, repaired: now) : self
    }
}
