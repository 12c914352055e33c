import CLinux

/// Signals read as events instead of handled. See signalfd(2).
///
/// Made before any other thread starts, so that all threads inherit the block. The signals stay
/// blocked when it goes.
package struct SignalDescriptor: ~Copyable {
    private let descriptor: Descriptor

    /// What to watch: readable when a signal waits.
    package var raw: Int32 { descriptor.raw }

    /// Blocks these signals in the calling thread and collects them here.
    package init(blocking signals: [Int32]) throws(PosixError) {
        let raw = try check("signalfd") {
            unsafe signals.withUnsafeBufferPointer {
                unsafe clinux_signal_descriptor($0.baseAddress, $0.count)
            }
        }
        descriptor = Descriptor(owning: raw)
    }

    /// The number of the next signal that came, nil if none waits.
    package borrowing func next() -> Int32? {
        let signal = clinux_next_signal(descriptor.raw)
        return signal > 0 ? signal : nil
    }
}
