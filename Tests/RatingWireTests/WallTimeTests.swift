import RatingPolicy
import TestSupport
import Testing

@testable import RatingWire

struct WallTimeTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (1_796_015_342_123, "2026-11-30T05:09:02.123Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_799_999, "2000-02-29T23:59:59.999Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
            (1_709_164_800_000, "2024-02-29T00:00:00.000Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
            (-62_162_121_600_000, "0000-02-29T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func `known times are written and read`(milliseconds: Int64, text: String) {
        #expect(WallTime(milliseconds: milliseconds).rfc3339 == text)
        #expect(WallTime(rfc3339: text) == WallTime(milliseconds: milliseconds))
    }

    @Test func `times that four digits of a year cannot hold show as the nearest that can`() {
        for milliseconds in [-62_167_219_200_001, .min] as [Int64] {
            #expect(WallTime(milliseconds: milliseconds).rfc3339 == "0000-01-01T00:00:00.000Z")
        }
        for milliseconds in [253_402_300_800_000, .max] as [Int64] {
            #expect(WallTime(milliseconds: milliseconds).rfc3339 == "9999-12-31T23:59:59.999Z")
        }
    }

    @Test func `every day of 800 years follows the one before it`() {
        var expected = CivilDay(year: 1600, month: 1, day: 1)
        var number = expected.number
        while expected.year < 2400 {
            let day = CivilDay(number: number)
            if day.year != expected.year || day.month != expected.month || day.day != expected.day
                || expected.number != number || !expected.exists
            {
                Issue.record("day \(number)")
                return
            }
            number += 1
            expected = next(expected)
        }
        #expect(number - CivilDay(year: 1600, month: 1, day: 1).number == 2 * 146_097)
    }

    /// The day after, by the rules everyone learns.
    private func next(_ day: CivilDay) -> CivilDay {
        let isLeap = day.year % 4 == 0 && (day.year % 100 != 0 || day.year % 400 == 0)
        let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        if day.day < lengths[Int(day.month) - 1] {
            return CivilDay(year: day.year, month: day.month, day: day.day + 1)
        }
        return day.month < 12
            ? CivilDay(year: day.year, month: day.month + 1, day: 1)
            : CivilDay(year: day.year + 1, month: 1, day: 1)
    }

    @Test func `random times come back`() {
        let seed = UInt64.random(in: .min ... .max)
        var random = Seeded(seed)
        let range = WallTime.rfc3339Range
        for _ in 0..<10_000 {
            let time = WallTime(
                milliseconds: .random(
                    in: range.lowerBound.milliseconds...range.upperBound.milliseconds,
                    using: &random))
            if WallTime(rfc3339: time.rfc3339) != time { Issue.record("seed \(seed): \(time)") }
        }
    }

    @Test(
        arguments: [
            ("2026-11-30T05:09:02Z", 1_796_015_342_000),
            ("2026-11-30t05:09:02z", 1_796_015_342_000),
            ("2026-11-30T05:09:02.1Z", 1_796_015_342_100),
            ("2026-11-30T05:09:02.12Z", 1_796_015_342_120),
            ("2026-11-30T05:09:02.123999999999999999999999Z", 1_796_015_342_123),
            ("2026-11-30T06:39:02.123+01:30", 1_796_015_342_123),
            ("2026-11-29T23:09:02.123-06:00", 1_796_015_342_123),
            ("2026-11-30T05:09:02.123-00:00", 1_796_015_342_123),
            ("2026-11-30T05:09:02.123+00:00", 1_796_015_342_123),
            ("1990-12-31T23:59:60Z", 662_688_000_000),
            ("1990-12-31T15:59:60-08:00", 662_688_000_000),
            ("0000-01-01T00:00:00+23:59", -62_167_305_540_000),
        ] as [(String, Int64)])
    func `any time of RFC 3339 is read`(text: String, milliseconds: Int64) {
        #expect(WallTime(rfc3339: text) == WallTime(milliseconds: milliseconds))
    }

    @Test(arguments: [
        "", "Z", "2026-11-30", "2026-11-30T05:09Z", "2026-11-30T05:09:02", "2026-11-30 05:09:02Z",
        "2026-11-30T05:09:02.Z", "2026-11-30T05:09:02,5Z", "2026-11-30T24:00:00Z",
        "2026-11-30T23:60:00Z", "2026-11-30T23:00:61Z", "2026-02-29T00:00:00Z",
        "2100-02-29T00:00:00Z", "2026-11-31T00:00:00Z", "2026-00-10T00:00:00Z",
        "2026-13-10T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-32T00:00:00Z",
        "2026-11-30T05:09:02+24:00", "2026-11-30T05:09:02+01:60", "2026-11-30T05:09:02+0100",
        "2026-11-30T05:09:02+01", "2026-11-30T05:09:02ZZ", "2026-11-30T05:09:02Z ",
        " 2026-11-30T05:09:02Z", "26-11-30T05:09:02Z", "12026-11-30T05:09:02Z",
        "+026-11-30T05:09:02Z", "-001-11-30T05:09:02Z", "2026-1-30T05:09:02Z",
        "2026-11-30T05:09:02Z\u{0}", "٢٠٢٦-11-30T05:09:02Z", "20261130T050902Z", "2026-W49-1",
    ])
    func `what is no time of RFC 3339 is not read`(text: String) {
        #expect(WallTime(rfc3339: text) == nil)
    }
}
