#include "CFuzzer.h"

#include <stdlib.h>

// Weak: it is there in builds of Tests/fuzz/run only. Its body has no context, and Swift has no
// place to keep one that is safe.
__attribute__((weak)) int LLVMFuzzerRunDriver(
    int *argc, char ***argv, int (*body)(const uint8_t *bytes, size_t count));

static cfuzzer_body current_body;
static void *current_context;

static int call_body(const uint8_t *bytes, size_t count) {
    current_body(current_context, bytes, count);
    return 0;
}

bool cfuzzer_run(int argc, char **argv, cfuzzer_body body, void *context) {
    if (!LLVMFuzzerRunDriver) return false;
    current_body = body;
    current_context = context;
    exit(LLVMFuzzerRunDriver(&argc, &argv, call_body));
}
