import Glibc

/// The owner of one open file descriptor, closed when it goes. See close(2).
package struct Descriptor: ~Copyable, Sendable {
    /// The number, valid as long as this owner is there.
    package let raw: Int32

    /// Takes over an open descriptor, which nobody else closes from now on.
    package init(owning raw: Int32) {
        precondition(raw >= 0, "a descriptor is not negative")
        self.raw = raw
    }

    /// Gives the descriptor to the caller, who closes it.
    package consuming func release() -> Int32 {
        let raw = self.raw
        discard self
        return raw
    }

    deinit {
        _ = Glibc.close(raw)
    }
}
