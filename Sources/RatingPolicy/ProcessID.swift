/// One process of the machine, not to be mistaken for another that is given its number later.
package struct ProcessID: Hashable, Sendable {
    /// 0 where the kernel has no number for it here.
    package var number: Int32
    /// When it started, in clock ticks since the machine did; 0 where that cannot be read.
    package var startedAt: UInt64

    package init(number: Int32, startedAt: UInt64 = 0) {
        self.number = number
        self.startedAt = startedAt
    }
}
