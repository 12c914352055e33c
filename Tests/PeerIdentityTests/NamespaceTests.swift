import Glibc
import PeerIdentity
import Posix
import RatingPolicy
import TestSupport
import Testing

/// Peers, and lookers, in namespaces and roots that only root can make.
@Suite(.enabled(if: isRoot, "needs root for namespaces, mounts and numbers of processes"))
struct NamespaceTests {
    private let stage = Stage()

    @Test func `a number that has a new owner is not taken for the one who connected`() throws {
        // Everything happens in a pid namespace of its own, where the next number can be chosen.
        let script = """
            unshare --pid --fork --mount-proc --kill-child sh -c '
                "$PROBE" identify "$SOCKET" "$DIR/go" >"$DIR/result" &
                looker=$!
                while ! [ -S "$SOCKET" ]; do sleep 0.01; done
                "$PROBE" leave "$SOCKET" & peer=$!
                wait $peer
                for attempt in 1 2 3 4 5; do
                    echo $((peer - 1)) >/proc/sys/kernel/ns_last_pid
                    sleep 30 & next=$!
                    [ $next = $peer ] && break
                done
                echo $peer $next >"$DIR/numbers"
                : >"$DIR/go"
                wait $looker'
            cat "$DIR/result"
            """
        let lines = try result(script)
        let numbers = try read("numbers").split(separator: " ")
        try #require(numbers[0] == numbers[1].dropLast(), "the number was given away again")
        // Before Linux 6.5 the new owner would be taken for the peer: that is what was forced.
        #expect(lines.last == "number: claimed unverified -")
        #expect(lines.first == "connection: unknown unverified - its process is gone")
    }

    @Test func `a peer outside of the looker's pid namespace has no number and is unknown`() throws
    {
        let lines = try result(
            """
            unshare --pid --fork --mount-proc --kill-child "$PROBE" identify "$SOCKET" >"$DIR/result" &
            while ! [ -S "$SOCKET" ]; do sleep 0.01; done
            "$PROBE" connect "$SOCKET"
            wait
            """)
        let unknown = "unknown unverified - its process has no number here (another pid namespace)"
        #expect(lines == ["connection: " + unknown, "number: " + unknown])
    }

    @Test func `numbers are those of the /proc that is there`() throws {
        // The looker is number 1 or 2 in its namespace, and so is its peer; /proc counts
        // otherwise. The peer's root is a Flatpak's, and whoever has these numbers outside is not.
        let lines = try result(
            """
            mkdir "$DIR/root"
            unshare --mount --pid --fork --kill-child sh -c '
                "$PROBE" identify "$SOCKET" >"$DIR/result" &
                while ! [ -S "$SOCKET" ]; do sleep 0.01; done
                mount -t tmpfs none "$DIR/root"
                echo "[Application]" >"$DIR/root/.flatpak-info"
                echo "name=org.gnome.Maps" >>"$DIR/root/.flatpak-info"
                for place in /*; do
                    [ -d "$place" ] || continue
                    mkdir -p "$DIR/root$place" && mount --rbind "$place" "$DIR/root$place"
                done
                chroot "$DIR/root" "$PROBE" connect "$SOCKET"
                wait'
            """)
        let maps = "flatpak verified org.gnome.Maps"
        #expect(lines == ["connection: " + maps, "number: " + maps])
    }

    @Test func `a peer whose root may not be looked at is unknown`() throws {
        // From within a user namespace of its own, the looker has no rights over its peer.
        let lines = try result(
            """
            chmod 0777 "$DIR"
            unshare --user "$PROBE" identify "$SOCKET" >"$DIR/result" &
            while ! [ -S "$SOCKET" ]; do sleep 0.01; done
            "$PROBE" connect "$SOCKET"
            wait
            """)
        #expect(lines.count == 2)
        for line in lines {
            #expect(line.contains(": unknown unverified - "), "\(line)")
        }
        #expect(lines.first?.contains("/root' failed: Permission denied") == true, "\(lines)")
    }

    @Test func `the process of another user that took the number over is not the peer`() throws {
        let script = """
            unshare --pid --fork --mount-proc --kill-child sh -c '
                "$PROBE" identify "$SOCKET" "$DIR/go" >"$DIR/result" &
                looker=$!
                while ! [ -S "$SOCKET" ]; do sleep 0.01; done
                "$PROBE" leave "$SOCKET" & peer=$!
                wait $peer
                for attempt in 1 2 3 4 5; do
                    echo $((peer - 1)) >/proc/sys/kernel/ns_last_pid
                    setpriv --reuid 65534 --clear-groups sleep 30 & next=$!
                    [ $next = $peer ] && break
                done
                sleep 0.3
                : >"$DIR/go"
                wait $looker'
            """
        let lines = try result(script)
        #expect(lines.first == "connection: unknown unverified - its process is gone")
        #expect(lines.last?.contains("is of uid 65534 and not of 0") == true, "\(lines)")
    }

    @Test func `a root on an overlay is not looked into`() throws {
        // Its layers may be a file system that never answers.
        let lines = try result(
            """
            mkdir "$DIR/layers"
            "$PROBE" identify "$SOCKET" >"$DIR/result" &
            while ! [ -S "$SOCKET" ]; do sleep 0.01; done
            unshare --mount sh -c '
                mount -t tmpfs none "$DIR/layers"
                cd "$DIR/layers" && mkdir lower upper work root
                mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work none root
                for place in /*; do
                    [ -d "$place" ] || continue
                    mkdir "root$place" && mount --rbind "$place" "root$place"
                done
                exec chroot root "$PROBE" connect "$SOCKET"'
            wait
            """)
        #expect(lines.count == 2)
        for line in lines {
            #expect(line.hasSuffix("made up, type overlay"), "\(line)")
        }
    }

    @Test(.enabled(if: unsafe access("/dev/fuse", R_OK) == 0, "there is no /dev/fuse"))
    func `a root that never answers does not hold up the look`() throws {
        let program = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
        let lines = try result(
            """
            timeout --signal KILL 10 "$PROBE" identify "$SOCKET" >"$DIR/result" &
            while ! [ -S "$SOCKET" ]; do sleep 0.01; done
            timeout 20 unshare --mount /usr/bin/python3 "/\(program)/peers/hung_root.py" "$SOCKET"
            wait
            """)
        #expect(lines.count == 2, "\(stage.log())")
        for line in lines {
            #expect(line.hasSuffix("made up, type fuse"), "\(line)")
        }
    }

    /// Runs a script to its end and gives back the lines that it left in `$DIR/result`.
    private func result(_ script: String) throws -> [String] {
        try stage.run(script)
        return try read("result").split(separator: "\n").map(String.init)
    }

    private func read(_ name: String) throws -> String {
        let content = try Files.readFile(stage.directory.file(name), maxBytes: 65_536)
        return String(decoding: content, as: UTF8.self)
    }
}
