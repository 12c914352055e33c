import RatingPolicy

extension Notification {
    /// Appends the message as one JSON object.
    func append(to bytes: inout [UInt8]) {
        switch self {
        case .prompt(let notice):
            bytes.append(raw: #"{"jsonrpc":"2.0","method":"prompt","params":"#)
            notice.append(to: &bytes)
        case .granted(let token, let app, let version, let grantedAt):
            bytes.append(raw: #"{"jsonrpc":"2.0","method":"granted","params":"#)
            Self.append(token, app, to: &bytes)
            bytes.append(raw: #","version":"#)
            bytes.append(version)
            bytes.append(raw: #","granted_at":"#)
            bytes.append(grantedAt)
        case .cancelled(let token, let app, let reason):
            bytes.append(raw: #"{"jsonrpc":"2.0","method":"cancelled","params":"#)
            Self.append(token, app, to: &bytes)
            bytes.append(raw: #","reason":"#)
            bytes.append(plain: reason.name)
            if case .ineligible(let rules) = reason {
                bytes.append(raw: #","reasons":"#)
                bytes.append(rules)
            }
        case .confirm(let id, let token, let app):
            bytes.append(raw: #"{"jsonrpc":"2.0","id":"#)
            bytes.append(string: id)
            bytes.append(raw: #","method":"confirm","params":"#)
            Self.append(token, app, to: &bytes)
        case .decision(let notice):
            bytes.append(raw: #"{"jsonrpc":"2.0","method":"decision","params":"#)
            notice.append(to: &bytes)
        case .counter(let notice):
            bytes.append(raw: #"{"jsonrpc":"2.0","method":"counter","params":"#)
            notice.append(to: &bytes)
        case .lagged(let dropped):
            bytes.append(raw: #"{"jsonrpc":"2.0","method":"lagged","params":{"dropped":"#)
            bytes.append(decimal: dropped)
        case .bye(let reason):
            bytes.append(raw: #"{"jsonrpc":"2.0","method":"bye","params":{"reason":"#)
            bytes.append(plain: reason.rawValue)
        }
        bytes.append(raw: "}}")
    }

    private static func append(_ token: Token, _ app: AppID, to bytes: inout [UInt8]) {
        bytes.append(raw: #"{"token":"#)
        bytes.append(token)
        bytes.append(raw: #","app":"#)
        bytes.append(app)
    }
}

// The following leave the closing brace of `params` to `Notification.append`.

extension PromptNotice {
    fileprivate func append(to bytes: inout [UInt8]) {
        bytes.append(raw: #"{"token":"#)
        bytes.append(token)
        bytes.append(raw: #","app":"#)
        bytes.append(app)
        bytes.append(raw: #","version":"#)
        bytes.append(version)
        bytes.append(raw: #","granted_at":"#)
        bytes.append(grantedAt)
        bytes.append(raw: #","prompts_in_window":"#)
        bytes.append(decimal: Int64(promptsInWindow))
        bytes.append(raw: #","cap":"#)
        bytes.append(decimal: cap)
        bytes.append(raw: #","review_url":"#)
        bytes.append(string: reviewURL)
        bytes.append(raw: #","debug":"#)
        bytes.append(isDebug)
    }
}

extension DecisionNotice {
    fileprivate func append(to bytes: inout [UInt8]) {
        bytes.append(raw: #"{"seq":"#)
        bytes.append(decimal: seq)
        bytes.append(raw: #","time":"#)
        bytes.append(time)
        bytes.append(raw: #","app":"#)
        bytes.append(app)
        bytes.append(raw: #","decision":"#)
        bytes.append(plain: decision.rawValue)
        if let token {
            bytes.append(raw: #","token":"#)
            bytes.append(token)
        }
        if let version {
            bytes.append(raw: #","version":"#)
            bytes.append(version)
        }
        if let reason {
            bytes.append(raw: #","reason":"#)
            bytes.append(string: reason)
        }
        if !reasons.isEmpty {
            bytes.append(raw: #","reasons":"#)
            bytes.append(reasons)
        }
    }
}

extension CounterNotice {
    fileprivate func append(to bytes: inout [UInt8]) {
        bytes.append(raw: #"{"seq":"#)
        bytes.append(decimal: seq)
        bytes.append(raw: #","time":"#)
        bytes.append(time)
        bytes.append(raw: #","app":"#)
        bytes.append(app)
        bytes.append(raw: #","counter":"#)
        bytes.append(plain: counter.rawValue)
        if let name {
            bytes.append(raw: #","name":"#)
            bytes.append(string: name.string)
        }
        bytes.append(raw: #","value":"#)
        bytes.append(decimal: value.value)
    }
}
