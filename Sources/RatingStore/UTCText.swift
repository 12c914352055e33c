internal import RatingPolicy

/// Times in the names of files.
enum UTCText {
    /// `20261130T050902Z`; years outside 0…9999 keep their digits.
    static func compact(_ time: WallTime) -> String {
        let (year, month, day) = date(ofDay: time.day)
        let rest = time.milliseconds % .day
        let seconds = (rest < 0 ? rest + .day : rest) / .second
        return [year, month, day].map { padded($0) }.joined() + "T"
            + [seconds / 3600, seconds / 60 % 60, seconds % 60].map { padded($0) }.joined() + "Z"
    }

    /// The civil date of a day, day 0 being 1970-01-01: counted in years that begin in March and
    /// in cycles of 400 years, which all have 146,097 days.
    private static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = day + 719_468
        let cycle = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfCycle = shifted - cycle * 146_097
        let year =
            (dayOfCycle - dayOfCycle / 1_460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * year + year / 4 - year / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (
            year: year + cycle * 400 + (month <= 2 ? 1 : 0), month: month,
            day: dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        )
    }

    private static func padded(_ number: Int64) -> String {
        (0..<10).contains(number) ? "0\(number)" : "\(number)"
    }
}
