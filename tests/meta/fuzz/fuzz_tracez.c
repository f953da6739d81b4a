/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as a `.tracez` file, whose name has to say so, read to the end. */
#include "common/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *link_path;

static void remove_link(void)
{
    unlink(link_path);
    g_free(link_path);
}

/* The file in memory by a name that ends as it should. */
static const char *named(const char *file)
{
    if (link_path == NULL) {
        link_path = g_build_filename(g_get_tmp_dir(), "fuzz-XXXXXX.tracez", NULL);
        int fd = g_mkstemp(link_path);
        fuzz_check(fd >= 0 && close(fd) == 0 && unlink(link_path) == 0 &&
                       symlink(file, link_path) == 0,
                   "no link", link_path);
        atexit(remove_link);
    }
    return link_path;
}

static void ignore(void *user, const char *message)
{
    fuzz_check(strchr(message, '\n') == NULL, "more than a line", message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    WwTraceOptions options = {.warn = ignore, .max_line_bytes = 4096, .strict = size % 7 == 0};
    g_autoptr(GError) error = NULL;
    uint64_t n;
    bool good = fuzz_read_trace(named(fuzz_file(0, data, size)), &options, &n, &error);
    fuzz_check(good == (error == NULL), "an error, or none, as was not said", "");
    fuzz_check(error == NULL || (g_utf8_validate(error->message, -1, NULL) &&
                                 strchr(error->message, '\n') == NULL &&
                                 strstr(error->message, link_path) != NULL),
               "not one line of the file", error != NULL ? error->message : "");
    return 0;
}
