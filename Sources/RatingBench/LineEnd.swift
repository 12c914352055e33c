internal import Glibc

/// Where the next line feed is, from an offset on. See memchr(3).
@inline(__always)
func lineEnd(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard start < bytes.count, let base = bytes.baseAddress else { return nil }
    guard let found = unsafe memchr(base + start, 0x0A, bytes.count - start) else { return nil }
    return unsafe UnsafeRawPointer(found) - base
}
