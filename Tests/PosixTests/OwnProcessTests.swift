import Glibc
import Posix
import TestSupport
import Testing

struct OwnProcessTests {
    @Test func `the soft limit of descriptors is raised to the hard one`() throws {
        let child = try Child.shell("ulimit -Sn 100; ulimit -Hn 200; exec $PROBE limit")
        #expect(child.output == "100 200 200\n")
    }

    @Test func `the figures of this process are plausible`() throws {
        let resident = try #require(OwnProcess.residentBytes())
        #expect((1 << 20...1 << 34).contains(resident))
        #expect(try #require(OwnProcess.threadCount()) >= 1)
        #expect(OwnProcess.id == getpid())
    }

    @Test func `open descriptors are counted without the one that counts`() throws {
        let child = try Child.shell("exec $PROBE descriptors")
        #expect(child.output == "true true\n")
    }

    @Test func `an environment variable is its text, or nothing`() throws {
        #expect(try Child.shell("$PROBE environment").output == "nil\n")
        let empty = try Child.shell("$PROBE environment", environment: ["PROBED": ""])
        #expect(empty.output == "\n")
        let text = try Child.shell("$PROBE environment", environment: ["PROBED": "a=é"])
        #expect(text.output == "a=é\n")
        let broken = try Child.shell(#"PROBED=$(printf 'a\377') $PROBE environment"#)
        #expect(broken.output == "nil\n")
    }

    @Test(arguments: [0, 1, 16, 1000])
    func `as many random bytes come as were asked for`(count: Int) {
        #expect(randomBytes(count).count == count)
    }

    @Test func `random bytes do not repeat`() {
        #expect(randomBytes(16) != randomBytes(16))
        #expect(Set(randomBytes(4096)).count > 200)
    }
}
