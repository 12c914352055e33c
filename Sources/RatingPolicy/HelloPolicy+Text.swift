extension HelloPolicy {
    /// One `KEY=VALUE` a line, then one `[NAME]=NEED` a line, as the store keeps it.
    ///
    /// `init(text:)` reads it back. Event names hold neither brackets nor line feeds.
    package var text: String {
        let keys = values.sorted { $0.key.rawValue < $1.key.rawValue }
        let events = needs.sorted { $0.key < $1.key }
        return
            (keys.map { "\($0.key.rawValue)=\($0.value.text)" }
            + events.map { "[\($0.key.string)]=\($0.value)" }).joined(separator: "\n")
    }

    /// Leaves out what this version does not know, such as a key of a newer one.
    ///
    /// Reads scalars, not characters: a name may begin with an accent, which would make one
    /// character with the bracket before it.
    package init(text: String) {
        self.init()
        for line in text.unicodeScalars.split(separator: "\n") {
            if line.first == "[", let end = line.lastIndex(of: "]") {
                let name = String(line[..<end].dropFirst())
                let need = String(line[end...].dropFirst("]=".count))
                guard let name = EventName(name), let need = EventNeed.value(from: need)
                else { continue }
                needs[name] = need
            } else if let sign = line.firstIndex(of: "=") {
                guard let key = PolicyKey(rawValue: String(line[..<sign])) else { continue }
                values[key] = key.value(from: String(line[sign...].dropFirst()))
            }
        }
    }
}
