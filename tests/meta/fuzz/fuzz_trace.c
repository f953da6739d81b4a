/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as a trace file (plain, xz, zst; kernel trace or command list), and as one that says `.tracez`, read to the end. */
#include "common/fuzz.h"

#include <string.h>

static void ignore(void *user, const char *message)
{
    fuzz_check(strchr(message, '\n') == NULL, "more than a line", message);
}

static void read_as(const char *path, const WwTraceOptions *options)
{
    g_autoptr(GError) error = NULL;
    uint64_t n;
    bool good = fuzz_read_trace(path, options, &n, &error);
    fuzz_check_error(good, error, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    WwTraceOptions options = {.warn = ignore, .max_line_bytes = 4096, .strict = size % 7 == 0};
    const char *file = fuzz_file(0, data, size);
    read_as(file, &options);
    read_as(fuzz_as_tracez(file), &options);
    return 0;
}
