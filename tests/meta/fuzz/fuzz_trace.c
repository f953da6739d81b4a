/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as a trace file (plain, xz, zst; kernel trace or command list), read to the end. */
#include "common/fuzz.h"

#include <string.h>

static void ignore(void *user, const char *message)
{
    fuzz_check(strchr(message, '\n') == NULL, "more than a line", message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    WwTraceOptions options = {.warn = ignore, .max_line_bytes = 4096, .strict = size % 7 == 0};
    g_autoptr(GError) error = NULL;
    uint64_t n;
    bool good = fuzz_read_trace(fuzz_file(0, data, size), &options, &n, &error);
    fuzz_check_error(good, error, false);
    return 0;
}
