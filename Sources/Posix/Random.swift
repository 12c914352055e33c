import CLinux
import Glibc

/// Bytes that nobody can guess. See getrandom(2).
package func randomBytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
        let result = unsafe bytes.withUnsafeMutableBytes {
            unsafe getrandom($0.baseAddress! + filled, count - filled, 0)
        }
        precondition(result > 0 || errno == EINTR, "Linux has getrandom")
        filled += max(result, 0)
    }
    return bytes
}
