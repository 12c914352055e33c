import TestSupport
import Testing

/// Whatever clients write and whatever becomes of the store, each request has its one answer.
struct ConversationFuzzTests {
    @Test func `any conversation is answered request by request`() throws {
        let parser = LineParser()
        let target = FuzzTarget("conversation") { Conversation.objection(to: $0, parser: parser) }
        let objections = try target.objections()
        #expect(objections == [])
    }
}
