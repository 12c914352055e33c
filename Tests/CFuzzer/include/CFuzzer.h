#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Deals with one input; the bytes are there until it returns.
typedef void (*cfuzzer_body)(void *context, const uint8_t *bytes, size_t count);

/// Has libFuzzer look for inputs that make the body crash; does not return.
///
/// False if this was built without libFuzzer. See LLVMFuzzerRunDriver in libFuzzer's documentation.
bool cfuzzer_run(int argc, char **argv, cfuzzer_body body, void *context);
