import RatingPolicy

extension Reply {
    /// Appends the result as one JSON object.
    func append(to bytes: inout [UInt8]) {
        switch self {
        case .event(let events, let nameTotal):
            bytes.append(raw: #"{"events":"#)
            bytes.append(decimal: events.value)
            bytes.append(raw: #","name_total":"#)
            bytes.append(decimal: nameTotal.value)
        case .session(let sessions, let counted, let firstSeen):
            bytes.append(raw: #"{"sessions":"#)
            bytes.append(decimal: sessions.value)
            bytes.append(raw: #","counted":"#)
            bytes.append(counted)
            bytes.append(raw: #","first_seen":"#)
            bytes.append(firstSeen)
        case .activity(let cancelled, let restarted):
            bytes.append(raw: #"{"cancelled":"#)
            bytes.append(cancelled)
            bytes.append(raw: #","restarted":"#)
            bytes.append(restarted)
        case .pending(let token, let firesIn, let debug):
            Self.append(pending: token, firesIn, debug, to: &bytes)
        case .refused(let reasons, let nextEligible):
            bytes.append(raw: #"{"decision":"refused","reasons":"#)
            bytes.append(reasons)
            bytes.append(raw: #","next_eligible":"#)
            bytes.append(nextEligible)
        case .cancelled(let flag): Self.append(#"{"cancelled":"#, flag, to: &bytes)
        case .unsubscribed(let flag): Self.append(#"{"unsubscribed":"#, flag, to: &bytes)
        case .optedOut(let flag): Self.append(#"{"opted_out":"#, flag, to: &bytes)
        case .forgotten(let flag): Self.append(#"{"forgotten":"#, flag, to: &bytes)
        case .outcome(let report):
            bytes.append(raw: #"{"result":"#)
            bytes.append(plain: report.name)
        case .reviewURL(let url):
            bytes.append(raw: #"{"url":"#)
            bytes.append(string: url)
        case .subscribed: bytes.append(raw: #"{"seq":0"#)
        case .repaired(let stamps):
            bytes.append(raw: #"{"repaired":"#)
            bytes.append(decimal: Int64(stamps))
        case .pong(let time):
            bytes.append(raw: #"{"pong":true,"time":"#)
            bytes.append(time)
        case .hello(let reply): reply.append(to: &bytes)
        case .status(let reply): reply.append(to: &bytes)
        case .report(let reply): reply.append(to: &bytes)
        case .whoami(let reply): reply.append(to: &bytes)
        case .history(let rows):
            bytes.append(raw: #"{"grants":"#)
            bytes.append(array: rows) { row, bytes in row.append(to: &bytes) }
        case .apps(let page): page.append(to: &bytes)
        case .reloaded(let flag, let warnings, let reason):
            Self.append(#"{"reloaded":"#, flag, to: &bytes)
            Self.append(warnings: warnings, reason, to: &bytes)
        case .stats(let reply): return JSONValue.object(reply.members).append(to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private static func append(_ name: StaticString, _ flag: Bool, to bytes: inout [UInt8]) {
        bytes.append(raw: name)
        bytes.append(flag)
    }

    private static func append(
        pending token: Token, _ firesIn: Milliseconds, _ debug: Bool, to bytes: inout [UInt8]
    ) {
        bytes.append(raw: #"{"decision":"pending","token":"#)
        bytes.append(token)
        bytes.append(raw: #","fires_in_ms":"#)
        bytes.append(decimal: firesIn)
        if debug { bytes.append(raw: #","debug":true"#) }
    }

    private static func append(
        warnings: [String], _ reason: String?, to bytes: inout [UInt8]
    ) {
        bytes.append(raw: #","warnings":"#)
        bytes.append(warnings)
        if let reason {
            bytes.append(raw: #","reason":"#)
            bytes.append(string: reason)
        }
    }
}

// Each of the following leaves the closing brace of the result to `Reply.append`; rows do not.

extension HelloReply {
    func append(to bytes: inout [UInt8]) {
        bytes.append(raw: #"{"server":"#)
        bytes.append(string: server)
        bytes.append(raw: #","protocol":"#)
        bytes.append(decimal: Self.protocolVersion)
        bytes.append(raw: #","app":"#)
        bytes.append(app)
        bytes.append(raw: #","identity":"#)
        bytes.append(identity)
        bytes.append(raw: #","limits":"#)
        bytes.append(limits)
        bytes.append(raw: #","capabilities":"#)
        bytes.append(capabilities)
        bytes.append(raw: #","clamped":"#)
        bytes.append(clamped)
        bytes.append(raw: #","ignored":"#)
        bytes.append(ignored)
    }
}

extension ReportReply {
    func append(to bytes: inout [UInt8]) {
        bytes.append(raw: #"{"requests":"#)
        bytes.append(decimal: requests)
        bytes.append(raw: #","refused_total":"#)
        bytes.append(decimal: refusedTotal)
        bytes.append(raw: #","refused":"#)
        bytes.append(refused)
        bytes.append(raw: #","pending":"#)
        bytes.append(decimal: pending)
        bytes.append(raw: #","cancelled":"#)
        bytes.append(cancelled)
        bytes.append(raw: #","granted":"#)
        bytes.append(decimal: granted)
        bytes.append(raw: #","outcomes":"#)
        bytes.append(outcomes)
        bytes.append(raw: #","manual_reviews":"#)
        bytes.append(decimal: manualReviews)
    }
}

extension WhoAmIReply {
    func append(to bytes: inout [UInt8]) {
        bytes.append(raw: #"{"uid":"#)
        bytes.append(decimal: Int64(uid))
        bytes.append(raw: #","pid":"#)
        if let pid { bytes.append(decimal: Int64(pid)) } else { bytes.append(raw: "null") }
        bytes.append(raw: #","app":"#)
        bytes.append(app)
        bytes.append(raw: #","identity":"#)
        bytes.append(identity)
        if let doubt {
            bytes.append(raw: #","doubt":"#)
            bytes.append(string: doubt)
        }
    }
}

extension HistoryRow {
    func append(to bytes: inout [UInt8]) {
        bytes.append(raw: #"{"token":"#)
        bytes.append(token)
        bytes.append(raw: #","version":"#)
        bytes.append(version)
        bytes.append(raw: #","granted_at":"#)
        bytes.append(grantedAt)
        bytes.append(raw: #","outcome":"#)
        bytes.append(outcome)
        bytes.append(raw: #","outcome_at":"#)
        bytes.append(outcomeAt)
        bytes.append(UInt8(ascii: "}"))
    }
}

extension AppRow {
    func append(to bytes: inout [UInt8]) {
        bytes.append(raw: #"{"app":"#)
        bytes.append(app)
        bytes.append(raw: #","sessions":"#)
        bytes.append(decimal: sessions.value)
        bytes.append(raw: #","events":"#)
        bytes.append(decimal: events.value)
        bytes.append(raw: #","last_seen":"#)
        bytes.append(lastSeen)
        bytes.append(raw: #","prompts_in_window":"#)
        bytes.append(decimal: Int64(promptsInWindow))
        bytes.append(UInt8(ascii: "}"))
    }
}
