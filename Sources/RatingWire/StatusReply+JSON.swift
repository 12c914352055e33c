import RatingPolicy

extension StatusReply {
    /// Appends all but the closing brace, which is left to `Reply.append`.
    func append(to bytes: inout [UInt8]) {
        bytes.append(raw: #"{"app":"#)
        bytes.append(app)
        appendCounters(to: &bytes)
        appendPrompts(to: &bytes)
        bytes.append(raw: #","opted_out":"#)
        bytes.append(isOptedOut)
        bytes.append(raw: #","pending":"#)
        if let pending { pending.append(to: &bytes) } else { bytes.append(raw: "null") }
        bytes.append(raw: #","eligible":"#)
        bytes.append(isEligible)
        bytes.append(raw: #","reasons":"#)
        bytes.append(reasons)
        bytes.append(raw: #","next_eligible":"#)
        bytes.append(nextEligible)
        bytes.append(raw: isClockBehind ? #","clock":"behind""# : #","clock":"ok""#)
        if let unavailable {
            bytes.append(raw: #","unavailable":"#)
            bytes.append(string: unavailable)
        }
        explain?.append(to: &bytes)
    }

    private func appendCounters(to bytes: inout [UInt8]) {
        bytes.append(raw: #","sessions":"#)
        bytes.append(decimal: sessions.value)
        bytes.append(raw: #","events":"#)
        bytes.append(decimal: events.value)
        bytes.append(raw: #","events_by_name":"#)
        let counts = eventsByName.entries.lazy.map { ($0.name.string, $0.count) }
        bytes.append(object: counts) { count, bytes in
            bytes.append(decimal: count.value)
        }
        bytes.append(raw: #","first_seen":"#)
        bytes.append(firstSeen)
        bytes.append(raw: #","last_seen":"#)
        bytes.append(lastSeen)
        bytes.append(raw: #","version":"#)
        bytes.append(version)
    }

    private func appendPrompts(to bytes: inout [UInt8]) {
        bytes.append(raw: #","prompts_in_window":"#)
        bytes.append(decimal: Int64(promptsInWindow))
        bytes.append(raw: #","cap":"#)
        bytes.append(decimal: cap)
        bytes.append(raw: #","last_prompt":"#)
        bytes.append(lastPrompt)
        bytes.append(raw: #","prompted_versions":"#)
        bytes.append(promptedVersions.map(\.string))
        bytes.append(raw: #","outcome":"#)
        bytes.append(outcome)
        bytes.append(raw: #","outstanding":"#)
        bytes.append(outstanding)
    }
}

extension StatusReply.PendingRow {
    fileprivate func append(to bytes: inout [UInt8]) {
        bytes.append(raw: #"{"token":"#)
        bytes.append(token)
        bytes.append(raw: #","version":"#)
        bytes.append(version)
        bytes.append(raw: #","fires_in_ms":"#)
        bytes.append(decimal: firesIn)
        bytes.append(UInt8(ascii: "}"))
    }
}

extension StatusReply.Explanation {
    fileprivate func append(to bytes: inout [UInt8]) {
        bytes.append(raw: #","policy":"#)
        bytes.append(object: policyInForce) { item, bytes in
            bytes.append(raw: #"{"value":"#)
            bytes.append(item.value)
            bytes.append(raw: #","source":"#)
            bytes.append(string: item.source.text)
            bytes.append(UInt8(ascii: "}"))
        }
        bytes.append(raw: #","rules":"#)
        bytes.append(array: rules) { check, bytes in check.append(to: &bytes) }
    }

    /// Keys in the order of SPEC 3.1, then the needs by name.
    private var policyInForce: [(String, Sourced<PolicyValue>)] {
        let keys = PolicyKey.allCases.compactMap { key in
            policy.values[key].map { (key.rawValue, $0) }
        }
        let needs = policy.needs.map { name, need in
            ("Event." + name.string, Sourced(PolicyValue.integer(need.value), from: need.source))
        }
        return keys + needs
    }
}

extension RuleCheck {
    fileprivate func append(to bytes: inout [UInt8]) {
        bytes.append(raw: #"{"rule":"#)
        bytes.append(string: rule.name)
        bytes.append(raw: #","ok":"#)
        bytes.append(holds)
        bytes.append(raw: #","have":"#)
        bytes.append(have)
        bytes.append(raw: #","need":"#)
        bytes.append(need)
        if let at {
            bytes.append(raw: #","at":"#)
            bytes.append(at)
        }
        bytes.append(UInt8(ascii: "}"))
    }
}
