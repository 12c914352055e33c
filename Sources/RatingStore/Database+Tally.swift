internal import RatingPolicy

extension Database {
    /// Writes the sheets that have changed, within a transaction.
    func writeTally() throws(StoreFailure) {
        for sheet in 0..<tally.sheetCount where tally.isChanged(sheet: sheet) {
            statements.writeSheet.bind(1, Int64(sheet))
            statements.writeSheet.bind(2, tally.began.milliseconds)
            try tally.withBytes(ofSheet: sheet) { bytes throws(StoreFailure) in
                statements.writeSheet.bind(3, bytes)
            }
            try statements.writeSheet.run()
        }
        tally.isStored()
    }

    /// Moves what is in the tally into the rows of its apps, within a transaction.
    func settle() throws(StoreFailure) {
        guard !tally.isEmpty else { return }
        try forEachTallied { row, events, lastSeen throws(StoreFailure) in
            _ = try writeEvents(events, lastSeen: lastSeen, row: row)
        }
        try statements.clearTally.run()
        tally = Tally()
    }

    /// Reads the tally if what is in memory is not what is stored; throws `damaged` if it does not
    /// fit its apps.
    func knowTally() throws(StoreFailure) {
        guard !isTallyKnown else { return }
        defer { statements.readTally.reset() }
        tally = Tally()
        while try statements.readTally.step() {
            let began = WallTime(milliseconds: statements.readTally.integer(1))
            guard statements.readTally.integer(0) == Int64(tally.sheetCount),
                tally.add(sheet: statements.readTally.bytes(2), began: began)
            else {
                throw .damaged("a sheet of the tally is not what this program writes")
            }
        }
        try forEachTallied { _, _, _ in }
        isTallyKnown = true
    }

    /// Brings a record that was read from its row up to date.
    func apply(_ marks: [Tally.Mark], to record: inout AppRecord) throws(StoreFailure) {
        guard let lastSeen = try Self.raise(&record.events, by: marks) else { return }
        record.lastSeen = Stamp(lastSeen)
    }

    /// The same of what a list tells of an app.
    func apply(_ marks: [Tally.Mark], to app: inout AppSummary) throws(StoreFailure) {
        guard let row = marks.first?.place.row else { return }
        var events = try storedEvents(ofApp: row)
        app.lastSeen = try Self.raise(&events, by: marks)
        app.events = events.total
    }

    /// Each app in the tally, with its events and when it was seen last.
    private func forEachTallied(
        _ body: (Int64, EventCounts, WallTime) throws(StoreFailure) -> Void
    ) throws(StoreFailure) {
        var marks = tally.marks[...]
        while let row = marks.first?.place.row {
            var events = try storedEvents(ofApp: row)
            let ofApp = marks.prefix { $0.place.row == row }
            if let lastSeen = try Self.raise(&events, by: ofApp) { try body(row, events, lastSeen) }
            marks = marks.dropFirst(ofApp.count)
        }
    }

    private func storedEvents(ofApp row: Int64) throws(StoreFailure) -> EventCounts {
        defer { statements.readEvents.reset() }
        statements.readEvents.bind(1, row)
        guard try statements.readEvents.step() else {
            throw .damaged("the tally holds app \(row), which is not there")
        }
        return try statements.readEvents.checked(
            EventsText.events(from: try statements.readEvents.text(0)),
            "the text of an app's events")
    }

    /// Answers the last time in the marks; nil if there are none.
    private static func raise(
        _ events: inout EventCounts, by marks: some Sequence<Tally.Mark>
    ) throws(StoreFailure) -> WallTime? {
        var lastSeen: WallTime?
        for mark in marks {
            guard events.raise(mark.place.name, to: Count(mark.count)) else {
                throw .damaged("the tally does not fit the events of app \(mark.place.row)")
            }
            lastSeen = max(lastSeen ?? mark.lastSeen, mark.lastSeen)
        }
        return lastSeen
    }
}
