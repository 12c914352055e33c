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
    package init(text: String) {
        self.init()
        for line in text.unicodeScalars.split(separator: "\n") {
            let line = String(line)
            if line.hasPrefix("["), let end = line.lastIndex(of: "]") {
                let name = String(line[line.index(after: line.startIndex)..<end])
                let need = line[end...].dropFirst(2)
                if let name = EventName(name), let need = Int64(need) { needs[name] = need }
            } else if let sign = line.firstIndex(of: "=") {
                guard let key = PolicyKey(rawValue: String(line[..<sign])) else { continue }
                values[key] = key.value(from: String(line[line.index(after: sign)...]))
            }
        }
    }
}
