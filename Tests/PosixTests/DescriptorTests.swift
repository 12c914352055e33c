import Glibc
import Posix
import Testing

struct DescriptorTests {
    @Test func `it closes its descriptor when it goes`() throws {
        let event = try EventDescriptor()
        // High numbers, so that no test running beside this one gets the number in between.
        let copy = fcntl(event.raw, F_DUPFD_CLOEXEC, 900)
        do { _ = Descriptor(owning: copy) }
        #expect(fcntl(copy, F_GETFD) == -1)
    }

    @Test func `a released descriptor stays open and is the caller's`() throws {
        let event = try EventDescriptor()
        let copy = fcntl(event.raw, F_DUPFD_CLOEXEC, 910)
        let raw = Descriptor(owning: copy).release()
        #expect(raw == copy)
        #expect(fcntl(copy, F_GETFD) == FD_CLOEXEC)
        close(copy)
    }
}
