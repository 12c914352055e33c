// What Swift cannot call by itself of SQLite, with the reason beside each function.
#pragma once

#include <sqlite3.h>

// sqlite3_bind_text() of a counted string that SQLite copies: SQLITE_TRANSIENT is the integer -1
// cast to a function pointer, which Swift does not import.
static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int count)
{
    return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}

// sqlite3_bind_blob() of bytes that SQLite copies, as above.
static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count)
{
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

// sqlite3_db_config() is variadic. Whether closing the last connection leaves the write-ahead log
// as it is, without a checkpoint.
static inline int csqlite_keep_log_on_close(sqlite3 *connection, int keep)
{
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep, (int *)0);
}

// sqlite3_config() is variadic. Without figures of its memory SQLite takes no lock for each piece
// of it; to be called before anything else.
static inline int csqlite_count_no_memory(void)
{
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
