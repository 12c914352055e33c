internal import CSQLite
internal import RatingPolicy

/// The owner of one compiled statement. See sqlite3_prepare_v3().
///
/// Parameters are numbered from 1, columns from 0. Bindings stay until they are bound anew.
@safe struct Statement: ~Copyable {
    private let handle: OpaquePointer
    /// For error messages: `read an app`.
    private let operation: String

    /// Compiles; `operation` says in error messages what the statement is for.
    init(
        _ connection: borrowing Connection, _ sql: String, as operation: String
    ) throws(StoreFailure) {
        var handle: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(
            connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle = unsafe handle else {
            throw connection.failure(operation, code)
        }
        unsafe self.handle = handle
        self.operation = operation
    }

    /// Compiles one of the store's own statements.
    init(
        _ connection: borrowing Connection, _ text: StatementText
    ) throws(StoreFailure) {
        try self.init(connection, text.sql, as: text.purpose)
    }

    func bind(_ index: Int32, _ value: Int64?) {
        let code =
            if let value { unsafe sqlite3_bind_int64(handle, index, value) } else {
                unsafe sqlite3_bind_null(handle, index)
            }
        precondition(code == SQLITE_OK, "a value is bound to a parameter that is there")
    }

    /// Binds all bytes, NUL too.
    func bind(_ index: Int32, _ text: String?) {
        guard var text else { return bind(index, nil as Int64?) }
        let code = text.withUTF8 { bytes in
            // No address stands for NULL, also for a text of no bytes.
            unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
                unsafe characters.baseAddress == nil
                    ? csqlite_bind_text(handle, index, "", 0)
                    : csqlite_bind_text(
                        handle, index, characters.baseAddress, Int32(characters.count))
            }
        }
        precondition(code == SQLITE_OK, "a text is bound to a parameter that is there")
    }

    /// Binds bytes that are no text.
    func bind(_ index: Int32, _ bytes: RawSpan) {
        let code = unsafe bytes.withUnsafeBytes { bytes in
            unsafe csqlite_bind_blob(handle, index, bytes.baseAddress, Int32(bytes.count))
        }
        precondition(code == SQLITE_OK, "bytes are bound to a parameter that is there")
    }

    /// Binds a stamp to two parameters: what the clock said, and what a repair made of it.
    func bind(_ index: Int32, _ stamp: Stamp?) {
        bind(index, stamp?.first.milliseconds)
        bind(index + 1, stamp?.repaired?.milliseconds)
    }

    /// Goes to the next row; false, and ready to be run again, when there is none.
    func step() throws(StoreFailure) -> Bool {
        let code = unsafe sqlite3_step(handle)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            reset()
            return false
        default:
            let failure = unsafe Connection.failure(
                operation, code, sqlite3_db_handle(handle))
            reset()
            throw failure
        }
    }

    /// Runs to the end.
    func run() throws(StoreFailure) {
        while try step() {}
    }

    /// Ends reading before the last row.
    func reset() {
        unsafe sqlite3_reset(handle)
    }

    func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    func integer(_ column: Int32) -> Int64 {
        unsafe sqlite3_column_int64(handle, column)
    }

    func optionalInteger(_ column: Int32) -> Int64? {
        isNull(column) ? nil : integer(column)
    }

    func stamp(_ column: Int32) -> Stamp? {
        optionalInteger(column).map { first in
            Stamp(
                WallTime(milliseconds: first),
                repaired: optionalInteger(column + 1).map(WallTime.init(milliseconds:)))
        }
    }

    /// All bytes, NUL too; what is no UTF-8 was not written by this program.
    func text(_ column: Int32) throws(StoreFailure) -> String {
        let address = unsafe sqlite3_column_text(handle, column)
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        let bytes = unsafe UnsafeBufferPointer(start: address, count: count)
        guard let text = unsafe String(validating: bytes, as: UTF8.self) else {
            throw .damaged("\(operation) failed: a text is not valid UTF-8")
        }
        return text
    }

    /// Bytes that are no text; none of what is NULL.
    func bytes(_ column: Int32) -> [UInt8] {
        let address = unsafe sqlite3_column_blob(handle, column)
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe [UInt8](UnsafeRawBufferPointer(start: address, count: count))
    }

    func optionalText(_ column: Int32) throws(StoreFailure) -> String? {
        isNull(column) ? nil : try text(column)
    }

    /// Unwraps what was read, or says that it cannot have been written by this program.
    func checked<Value>(_ value: Value?, _ what: String) throws(StoreFailure) -> Value {
        guard let value else { throw .damaged("\(operation) failed: \(what) is not valid") }
        return value
    }

    deinit {
        unsafe sqlite3_finalize(handle)
    }
}
