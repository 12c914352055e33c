internal import RatingPolicy

/// A span of time for people: the two largest units that say something.
func spanText(_ span: Milliseconds) -> String {
    let magnitude = span == .min ? Milliseconds.max : abs(span)
    if magnitude < .second { return "\(magnitude) ms" }
    if magnitude < 60 * .second {
        let tenths = magnitude / 100
        return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }
    let seconds = magnitude / .second
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60)
    let parts: [(Int64, String)] =
        if days > 0 {
            [(days, "d"), (hours, "h")]
        } else if hours > 0 {
            [(hours, "h"), (minutes, "min")]
        } else {
            [(minutes, "min"), (seconds % 60, "s")]
        }
    return parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: " ")
}
