import RatingPolicy
import Testing

struct ReviewURLTests {
    @Test(arguments: [
        ("appstream://%a", "appstream://org.example.Notes"),
        ("https://x/%a/%v", "https://x/org.example.Notes/1.4%20b%C3%A9%2F%25"),
        ("https://x/%v%v", "https://x/1.4%20b%C3%A9%2F%251.4%20b%C3%A9%2F%25"),
        ("https://x/%%a%%", "https://x/%a%"),
        ("https://x/%%%a", "https://x/%org.example.Notes"),
        ("snap://plain", "snap://plain"),
    ])
    func `placeholders are filled`(template: String, url: String) {
        let filled = ReviewURL(template)?.filled(app: "org.example.Notes", version: "1.4 bé/%")
        #expect(filled == url)
    }

    @Test func `without a version its place stays empty`() {
        #expect(ReviewURL("https://x/%v.")?.filled(app: "a", version: nil) == "https://x/.")
    }

    @Test func `what a URL may hold stays as it is`() {
        #expect(
            ReviewURL("snap://%v")?.filled(app: "a", version: "aZ09.-_~") == "snap://aZ09.-_~")
        #expect(
            ReviewURL("snap://%v")?.filled(app: "a", version: "\0\u{7F}\n+&?#")
                == "snap://%00%7F%0A%2B%26%3F%23")
    }

    @Test(arguments: [
        "", "https://", "http://x", "HTTP://x", "file:///etc/passwd", "javascript:alert(1)",
        "https:/x", " https://x", "https://x y", "https://x\n", "https://x\u{7F}", "https://é",
        "https://x\"", "https://x/%", "https://x/%b", "https://x/%%%", "https://x/%A",
        "https://x/%20", "appstream://", "snap://", "xsnap://a",
    ])
    func `what is no review URL`(text: String) {
        #expect(ReviewURL(text) == nil)
    }

    @Test func `a template is at most 2048 bytes`() {
        let start = "https://"
        let longest = start + String(repeating: "a", count: 2_048 - start.utf8.count)
        #expect(ReviewURL(longest)?.template == longest)
        #expect(ReviewURL(longest + "a") == nil)
    }
}
