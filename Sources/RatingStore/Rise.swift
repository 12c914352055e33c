package import RatingPolicy

/// What the events of one name of an app have come to, of which nothing else has changed but when it
/// was last seen.
package struct Rise: Sendable {
    package let app: StoredPlace
    /// As it was before.
    package let record: AppRecord
    /// The place of the name in the record's order.
    package let name: Int
    package let count: Int64

    package init(of app: StoredPlace, record: AppRecord, name: Int, to count: Int64) {
        self.app = app
        self.record = record
        self.name = name
        self.count = count
    }
}
