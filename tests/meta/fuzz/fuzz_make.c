/* SPDX-License-Identifier: Apache-2.0 */
/* A program in the kernel language. What it makes is a trace that can be read to its end; what it does not make leaves nothing. */
#include "common/fuzz.h"

#include <glib/gstdio.h>
#include <string.h>
#include <trace/info.h>
#include <unistd.h>

#define MOST_STEPS 20000u

static void ignore(void *user, const char *message) {}

static void remove_folder(const char *folder)
{
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;
    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        g_autofree char *file = g_build_filename(folder, name, NULL);
        g_unlink(file);
    }
    g_rmdir(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *name = g_strdup_printf("ww-fuzz-make-%d", (int)getpid());
    g_autofree char *folder = g_build_filename(g_get_tmp_dir(), name, NULL);
    const WwTraceMakeOptions options = {.format = size % 2 ? WW_TRACE_ZST : WW_TRACE_PLAIN,
                                        .max_steps = MOST_STEPS};
    const WwTraceOptions reading = {.strict = true, .warn = ignore};
    g_autoptr(GError) error = NULL, other = NULL;
    uint64_t n = 0;
    bool good = ww_trace_make(fuzz_file(0, data, size), folder, &options, NULL, &error);
    fuzz_check_error(good, error, false);
    fuzz_check(good == g_file_test(folder, G_FILE_TEST_EXISTS), "a folder left or missing", folder);
    if (good) {
        fuzz_check(fuzz_read_trace(folder, &reading, &n, &other), "the trace cannot be read",
                   other != NULL ? other->message : "");
        fuzz_check(n <= MOST_STEPS, "more instructions than steps", folder);
        remove_folder(folder);
    }
    return 0;
}
