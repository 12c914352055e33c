package import RatingPolicy

/// Why a request was not carried out, as it is answered (SPEC 1).
package struct Failure: Error, Equatable, Sendable {
    package let reason: Reason
    /// One sentence: what was wrong with which value and what is allowed.
    package let message: String
    /// What stands in `data` beside `reason`.
    package let extras: [JSONValue.Member]

    package enum Reason: String, CaseIterable, Hashable, Sendable {
        case parseError = "parse_error"
        case invalidRequest = "invalid_request"
        case methodNotFound = "method_not_found"
        case invalidParams = "invalid_params"
        case internalError = "internal_error"
        case storageUnavailable = "storage_unavailable"
        case notPermitted = "not_permitted"
        case rateLimited = "rate_limited"
        case quotaExceeded = "quota_exceeded"
        case notFound = "not_found"
        case lineTooLong = "line_too_long"
        case shuttingDown = "shutting_down"
        case conflict = "conflict"

        package var code: Int64 {
            switch self {
            case .parseError: -32_700
            case .invalidRequest: -32_600
            case .methodNotFound: -32_601
            case .invalidParams: -32_602
            case .internalError: -32_603
            case .storageUnavailable: -32_000
            case .notPermitted: -32_001
            case .rateLimited: -32_002
            case .quotaExceeded: -32_003
            case .notFound: -32_004
            case .lineTooLong: -32_005
            case .shuttingDown: -32_006
            case .conflict: -32_007
            }
        }
    }

    private init(_ reason: Reason, _ message: String, _ extras: [JSONValue.Member] = []) {
        self.reason = reason
        self.message = message
        self.extras = extras
    }
}

extension Failure {
    package static func parseError(_ message: String) -> Failure {
        Failure(.parseError, message)
    }

    /// A text that is JSON but no request.
    package static func invalidRequest(
        _ message: String, field: String? = nil, max: Int? = nil
    ) -> Failure {
        var extras: [JSONValue.Member] = []
        if let field { extras.append(.init("field", .string(ClientText.cut(field)))) }
        if let max { extras.append(.init("max", .integer(Int64(max)))) }
        return Failure(.invalidRequest, message, extras)
    }

    package static func methodNotFound(_ method: String) -> Failure {
        Failure(.methodNotFound, "there is no method \(ClientText.quoted(method))")
    }

    package static func invalidParams(field: String, _ message: String) -> Failure {
        Failure(.invalidParams, message, [.init("field", .string(ClientText.cut(field)))])
    }

    /// `app` or `version` is neither in the request nor known from `hello`.
    package static func missing(_ field: String) -> Failure {
        invalidParams(field: field, "'\(field)' is missing: neither the request nor hello named it")
    }

    package static func internalError(_ message: String) -> Failure {
        Failure(.internalError, message)
    }

    /// The state cannot be read or written; nothing was changed, nothing was granted.
    package static func storageUnavailable(detail: String) -> Failure {
        Failure(
            .storageUnavailable, "the state cannot be used, nothing was changed: \(detail)",
            [.init("detail", .string(detail))])
    }

    package static func notPermitted(_ message: String, identity: IdentityReply) -> Failure {
        Failure(.notPermitted, message, [.init("identity", identity.value)])
    }

    package static func rateLimited(retryAfter: Milliseconds) -> Failure {
        Failure(
            .rateLimited, "too many requests; try again in \(retryAfter) ms",
            [.init("retry_after_ms", .integer(retryAfter))])
    }

    /// `share`: how many of them one process may have, if that is what is reached.
    package static func quotaExceeded(
        _ limit: Limit, max: Int64, share: Int64? = nil
    ) -> Failure {
        let ofProcess = share.map { ", of one process at most \($0)" } ?? ""
        return Failure(
            .quotaExceeded, "the limit '\(limit.rawValue)' is reached: at most \(max)\(ofProcess)",
            [.init("limit", .string(limit.rawValue)), .init("max", .integer(max))])
    }

    package static func notFound(_ message: String) -> Failure {
        Failure(.notFound, message)
    }

    package static var lineTooLong: Failure {
        Failure(
            .lineTooLong,
            "the line is too long: at most \(LineFramer.lineBytesMax) bytes with its end",
            [.init("max", .integer(Int64(LineFramer.lineBytesMax)))])
    }

    package static var shuttingDown: Failure {
        Failure(.shuttingDown, "ratingd is shutting down and takes no more requests")
    }

    /// Another final outcome of the same prompt stands.
    package static func conflict(_ standing: Outcome) -> Failure {
        Failure(
            .conflict, "the prompt already ended with '\(standing.rawValue)', which stands",
            [.init("outcome", .string(standing.rawValue))])
    }
}
