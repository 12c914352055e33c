package import RatingPolicy

/// A day of the proleptic Gregorian calendar.
///
/// Both ways after Howard Hinnant's description of the calendar's arithmetic: years start in
/// March, so that the leap day is the last day of its year, and 400 of them are one era.
struct CivilDay {
    var year: Int64
    var month: Int64
    var day: Int64

    private static let daysOfEra: Int64 = 146_097
    /// Days from 0000-03-01 to 1970-01-01.
    private static let epoch: Int64 = 719_468

    init(year: Int64, month: Int64, day: Int64) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day with this number, 1970-01-01 being 0.
    init(number: Int64) {
        let shifted = number + Self.epoch
        let era = (shifted >= 0 ? shifted : shifted - (Self.daysOfEra - 1)) / Self.daysOfEra
        let dayOfEra = shifted - era * Self.daysOfEra
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The number of the day, 1970-01-01 being 0.
    var number: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let monthFromMarch = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * Self.daysOfEra + dayOfEra - Self.epoch
    }

    /// True if the calendar has this day.
    var exists: Bool {
        (1...12).contains(month) && (1...31).contains(day)
            && CivilDay(number: number).month == month
    }
}

extension WallTime {
    /// The first and last time that RFC 3339 can write, which has four digits for the year.
    package static let rfc3339Range =
        WallTime(milliseconds: -62_167_219_200_000)...WallTime(milliseconds: 253_402_300_799_999)

    /// `2026-11-30T05:09:02.123Z`; times before the year 0000 and after 9999 show as its ends.
    package var rfc3339: String {
        var bytes: [UInt8] = []
        bytes.append(rfc3339: self)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads any RFC 3339 time, cut to milliseconds; second 60 is the first of the next minute.
    package init?(rfc3339 text: String) {
        var reader = DigitReader(text: text.utf8[...])
        guard let year = reader.number(digits: 4), reader.skip("-"),
            let month = reader.number(digits: 2), reader.skip("-"),
            let day = reader.number(digits: 2), reader.skip("T") || reader.skip("t"),
            let hour = reader.number(digits: 2), hour < 24, reader.skip(":"),
            let minute = reader.number(digits: 2), minute < 60, reader.skip(":"),
            let second = reader.number(digits: 2), second <= 60,
            let fraction = reader.fraction(), let offset = reader.offset(), reader.isAtEnd
        else { return nil }
        let date = CivilDay(year: year, month: month, day: day)
        guard date.exists else { return nil }
        let minutes = date.number * 1_440 + hour * 60 + minute - offset
        self.init(milliseconds: (minutes * 60 + second) * .second + fraction)
    }
}

/// Reads the parts of a time from the front of a text.
private struct DigitReader {
    var text: Substring.UTF8View

    var isAtEnd: Bool { text.isEmpty }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard text.first == UInt8(ascii: character) else { return false }
        text.removeFirst()
        return true
    }

    mutating func digit() -> Int64? {
        guard let byte = text.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        else { return nil }
        text.removeFirst()
        return Int64(byte - UInt8(ascii: "0"))
    }

    mutating func number(digits: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// Milliseconds of a fraction of any length; 0 if there is none.
    mutating func fraction() -> Milliseconds? {
        guard skip(".") else { return 0 }
        guard var value = digit() else { return nil }
        var digits = 1
        while let digit = digit() {
            digits += 1
            if digits <= 3 { value = value * 10 + digit }
        }
        for _ in min(digits, 3)..<3 { value *= 10 }
        return value
    }

    /// Minutes that local time is ahead of UTC.
    mutating func offset() -> Int64? {
        if skip("Z") || skip("z") { return 0 }
        let isWest = skip("-")
        guard isWest || skip("+"), let hour = number(digits: 2), hour < 24, skip(":"),
            let minute = number(digits: 2), minute < 60
        else { return nil }
        return (hour * 60 + minute) * (isWest ? -1 : 1)
    }
}
