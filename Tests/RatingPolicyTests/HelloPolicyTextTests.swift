import RatingPolicy
import TestSupport
import Testing

struct HelloPolicyTextTests {
    @Test func `the text is one line a member, in order`() {
        let hello = HelloPolicy(
            [.promptsPerYear: 2, .oncePerVersion: true, .daysAfterRated: -1],
            needs: ["b": 1, "a=b": 2])
        #expect(
            hello.text
                == "DaysAfterRated=-1\nOncePerVersion=yes\nPromptsPerYear=2\n[a=b]=2\n[b]=1")
        #expect(HelloPolicy(text: hello.text) == hello)
        #expect(HelloPolicy().text == "")
        #expect(HelloPolicy(text: "") == HelloPolicy())
    }

    @Test(arguments: [
        "\u{301}", "\u{301}a", "a\u{301}", "\u{600}", "a\u{600}", "=", "=5", "a=5", "é", "e\u{301}",
        "\u{200D}", "\u{FE0F}", "🏳\u{FE0F}\u{200D}", "\u{2028}", " ", "#", "#x", ";",
    ])
    func `any name of an event comes back as it was`(text: String) throws {
        let name = try #require(EventName(text))
        let hello = HelloPolicy([.debounceMs: 5], needs: [name: 7])
        #expect(HelloPolicy(text: hello.text) == hello)
    }

    @Test func `what this version does not know is left out`() {
        let text = """
            DebounceMs=700001
            NewKey=5
            OnActivity=explode
            nonsense
            SessionsUntilPrompt=4
            [a]=-1
            [b]=x
            [c
            []=5
            [d]=1000000001
            [e]=3
            """
        #expect(
            HelloPolicy(text: text) == HelloPolicy([.sessionsUntilPrompt: 4], needs: ["e": 3]))
    }

    @Test func `random policies come back as they were`() {
        var random = Seeded(Seeded.seed(of: "hello texts"))
        for round in 0..<500 {
            let hello = Self.random(&random)
            #expect(HelloPolicy(text: hello.text) == hello, "round \(round)")
        }
    }

    private static func random(_ random: inout Seeded) -> HelloPolicy {
        var hello = HelloPolicy()
        for key in PolicyKey.allCases where random.isTrue(oneIn: 2) {
            switch key.domain {
            case .flag: hello.values[key] = .flag(random.isTrue(oneIn: 2))
            case .integer(let range): hello.values[key] = .integer(random.number(range))
            case .onActivity:
                hello.values[key] = .onActivity(random.pick([.cancel, .restart]))
            case .reviewURL:
                hello.values[key] = ReviewURL("https://x/%a=\(random.next())")
                    .map(PolicyValue.reviewURL)
            }
        }
        for _ in 0..<random.number(0...4) {
            let scalars = (0...random.number(0...12)).map { _ in
                random.pick(
                    ["a", "=", "é", "\u{301}", "\u{600}", "\u{200D}", "🙂", " ", "\u{1100}"])
            }
            if let name = EventName(scalars.joined()) {
                hello.needs[name] = random.number(0...1_000_000_000)
            }
        }
        return hello
    }
}
