/* SPDX-License-Identifier: Apache-2.0 */
/* A command list, and behind "---" the kernel trace "901" that it may name; "902" is a good one. */
#include "common/fuzz.h"

#include <string.h>

static const char kernel[] =
    "-kernel name = k\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n"
    "-nregs = 8\n-binary version = 70\n-cuda stream id = 0\n"
    "-shmem base_addr = 0x00007f0000000000\n-local mem base_addr = 0x00007f1000000000\n"
    "-nvbit version = 1.5.5\n-accelsim tracer version = 3\n\n"
    "#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 2\n"
    "0000 ffffffff 1 R1 IMAD.MOV.U32 2 R1 R2 0\n0010 ffffffff 0 EXIT 0 0\n\n#END_TB\n";

static void ignore(void *user, const char *message)
{
    fuzz_check(strchr(message, '\n') == NULL && g_utf8_validate(message, -1, NULL),
               "not a line of UTF-8", message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const chosen[] = {NULL, "1", "2-3", "1,3-"};
    size_t length;
    uint64_t n;
    const char *second = fuzz_second(data, size, &length);
    const char *file = fuzz_file(0, data, length);
    fuzz_file(1, second, size - (size_t)(second - (const char *)data));
    fuzz_file(2, kernel, strlen(kernel));
    WwTraceOptions options = {.warn = ignore,
                              .max_line_bytes = 4096,
                              .max_ctas = size % 3,
                              .kernels = chosen[size % G_N_ELEMENTS(chosen)]};
    g_autoptr(GError) error = NULL;
    bool good = fuzz_read_trace(file, &options, &n, &error);
    if (options.kernels == NULL) { /* a choice that fits no list is no fault of the file */
        fuzz_check_error(good, error, false);
    }
    return 0;
}
