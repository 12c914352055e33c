import RatingPolicy
import TestSupport
import Testing

@testable import PeerIdentity

/// Peers in a root of their own, made by bubblewrap as Flatpak makes it.
@Suite(.enabled(if: hasBubblewrap, "bubblewrap is not installed"))
struct SandboxTests {
    private let stage = Stage()
    private static let maps = Identity(
        source: .flatpak, isVerified: true, app: AppID("org.gnome.Maps"))

    /// The script of a peer in a root that has everything of this one, and then these arguments.
    private func sandboxed(_ arguments: String) -> String {
        """
        printf '[Application]\\nname=org.gnome.Maps\\n' >"$DIR/info"
        set --
        for place in /*; do set -- "$@" --ro-bind "$place" "$place"; done
        exec bwrap --tmpfs / "$@" \(arguments) "$PROBE" connect "$SOCKET"
        """
    }

    @Test(arguments: ["", "--unshare-user", "--unshare-all", "--unshare-pid --as-pid-1"])
    func `the app of a Flatpak sandbox is known and verified`(_ namespaces: String) throws {
        let script = sandboxed("\(namespaces) --ro-bind $DIR/info /.flatpak-info")
        let found = try stage.identify(script)
        #expect(found.peer.identity == Self.maps, "\(found)")
        #expect(found.reason == nil)
    }

    @Test func `a kernel that is asked by number says the same`() throws {
        let script = sandboxed("--ro-bind $DIR/info /.flatpak-info")
        #expect(try stage.identify(script, by: .number).peer.identity == Self.maps)
    }

    @Test func `a root without the file is no Flatpak's`() throws {
        #expect(try stage.identify(sandboxed("--unshare-all")).peer.identity == .claimed)
    }

    @Test(arguments: [
        ("--dir /.flatpak-info", "is a directory"),
        ("--symlink /tmp /.flatpak-info", "is a symbolic link"),
        ("--symlink $DIR/info /.flatpak-info", "is a symbolic link"),
        ("--symlink nowhere /.flatpak-info", "is a symbolic link"),
        ("--dev-bind /dev/zero /.flatpak-info", "is a character device"),
        ("--ro-bind $SOCKET /.flatpak-info", "is a socket"),
        ("--ro-bind $DIR/pipe /.flatpak-info", "is a named pipe"),
        ("--ro-bind $DIR/empty /.flatpak-info", "names no app"),
        ("--ro-bind $DIR/long /.flatpak-info", "File too large"),
        ("--ro-bind /proc/version /.flatpak-info", "type proc"),
    ])
    func `a file that is not as it should be makes the peer unknown`(
        _ arguments: String, _ reason: String
    ) throws {
        let prepare = """
            mkfifo "$DIR/pipe"
            : >"$DIR/empty"
            printf '[Application]\\nname=org.gnome.Maps\\n%65536s' '' >"$DIR/long"
            """
        let found = try stage.identify(prepare + "\n" + sandboxed(arguments))
        #expect(found.peer.identity == .unknown)
        #expect(found.reason?.contains(reason) == true, "\(found)")
    }

    @Test func `the longest file is read`() throws {
        let prepare = """
            printf '[Application]\\nname=org.gnome.Maps\\n%65500s' '' >"$DIR/long"
            truncate -s 65536 "$DIR/long"
            tr '\\000' ' ' <"$DIR/long" >"$DIR/longest"
            """
        let script = sandboxed("--ro-bind $DIR/longest /.flatpak-info")
        #expect(try stage.identify(prepare + "\n" + script).peer.identity == Self.maps)
    }

    @Test func `a proxy is itself, whoever is behind it`() throws {
        let script = """
            "$PROBE" relay "$DIR/relay" "$SOCKET" &
            proxy=$!
            while ! [ -S "$DIR/relay" ]; do sleep 0.01; done
            echo $proxy >"$DIR/proxy"
            SOCKET="$DIR/relay"
            \(sandboxed("--ro-bind $DIR/info /.flatpak-info"))
            """
        let found = try stage.identify(script)
        #expect(found.peer.identity == .claimed)
        let proxy = try Child.shell("cat \(stage.directory.file("proxy"))").output
        #expect("\(found.peer.process.number)\n" == proxy)
    }
}
