/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Out of memory, too few file descriptors: GLib and libjansson cannot go on, and would abort or hand out NULL. Here it is one line
 * and exit status 2, as any other input that cannot be worked with.
 */
#include "cli-priv.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <warpwright/output.h>

/* Only what GLib calls fatal ends here: it is about to abort. The message may be in a buffer on the stack. */
static void on_log(const char *domain, GLogLevelFlags level, const char *message, void *user)
{
    if ((level & (G_LOG_LEVEL_ERROR | G_LOG_FLAG_FATAL)) == 0) {
        g_log_default_handler(domain, level, message, user);
        return;
    }
    if (message == NULL || strstr(message, "allocat") != NULL ||
        strstr(message, "memory") != NULL || (level & G_LOG_FLAG_RECURSION) != 0) {
        ww_exhausted(WW_OUT_OF_MEMORY);
    }
    ww_exhausted(message);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)
/*
 * GLib's slices abort with a text of their own when this fails; as the program has the name, it is called instead of libc's, where
 * parameters have names that are reserved.
 * NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name) */
WW_API int posix_memalign(void **out, size_t alignment, size_t size)
{
    void *p = aligned_alloc(alignment, size);
    if (p == NULL) {
        ww_exhausted(WW_OUT_OF_MEMORY);
    }
    *out = p;
    return 0;
}
#endif

void cli_exhausted_begin(void)
{
    ww_before_exhaustion(ww_pending_remove_all);
    g_log_set_default_handler(on_log, NULL);
    json_set_alloc_funcs(g_malloc, g_free);
}
