#include <ini.h>

// Debian's inih reads its options from global variables, which Swift 6 cannot write: they are
// mutable state of nobody. Called once, before the first parse.
static inline void cinih_configure(int line_bytes) {
    ini_allow_multiline = false;       // an indented line is no part of the one before it
    ini_allow_inline_comments = false; // " ;" in a value is part of the value
    ini_allow_bom = false;             // the caller drops it
    ini_start_comment_prefixes = "#;";
    ini_stop_on_first_error = false;
    ini_use_stack = true;
    ini_max_line = line_bytes + 3;     // CR, LF and NUL
}
