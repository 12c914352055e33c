import Glibc

/// The seam between C and Swift: runs a call that returns -1 on failure, again when a signal
/// interrupted it, and throws what `errno` says.
@discardableResult
func check<Result: SignedInteger>(
    _ operation: String, _ subject: String? = nil, _ call: () -> Result
) throws(PosixError) -> Result {
    while true {
        let result = call()
        if result != -1 { return result }
        let code = errno
        if code != EINTR {
            throw PosixError(operation: operation, subject: subject, code: code)
        }
    }
}

/// `check` of a call that takes a path.
///
/// A path with a NUL in it is EINVAL: C would read another path than the one that was meant.
@discardableResult
func checkPath(
    _ operation: String, _ path: String, _ call: (UnsafePointer<CChar>) -> Int32
) throws(PosixError) -> Int32 {
    guard !path.utf8.contains(0) else {
        throw PosixError(operation: operation, subject: path, code: EINVAL)
    }
    return try check(operation, path) { unsafe path.withCString { unsafe call($0) } }
}
