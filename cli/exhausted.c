/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Out of memory, too few file descriptors: GLib and libjansson cannot go on, and would abort or hand out NULL. Here it is one line
 * and exit status 2, as any other input that cannot be worked with.
 */
#include "cli-priv.h"
#include <errno.h>
#include <jansson.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <warpwright/output.h>

/* Only what GLib calls fatal ends here: it is about to abort. The message may be in a buffer on the stack. */
static void on_log(const char *domain, GLogLevelFlags level, const char *message, void *user)
{
    if (user == NULL) { /* the one that cli_exhausted_begin() sends */
        return;
    }
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

#ifdef __has_feature /* as Clang says it */
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER
#endif

#if !defined(HAS_SANITIZER) && defined(__GLIBC__)
/*
 * Where these fail, GLib aborts with a text of its own, or says so with a message that it formats with what has just failed, until
 * the stack is full. As the program has the names, they are called instead of libc's, where parameters have names that are reserved.
 * NOLINTBEGIN(readability-inconsistent-declaration-parameter-name,bugprone-reserved-identifier) */
WW_API int posix_memalign(void **out, size_t alignment, size_t size)
{
    void *p = memalign(alignment, size); /* takes any size, which aligned_alloc() need not */
    if (p == NULL) {
        ww_exhausted(WW_OUT_OF_MEMORY);
    }
    *out = p;
    return 0;
}

WW_API int vasprintf(char **out, const char *format, va_list args)
{
    char first[512];
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(first, sizeof first, format, args);
    char *p = n < 0 ? NULL : malloc((size_t)n + 1);
    if (n < 0 ? errno == ENOMEM : p == NULL) {
        ww_exhausted(WW_OUT_OF_MEMORY);
    }
    if (n >= (int)sizeof first) {
        n = vsnprintf(p, (size_t)n + 1, format, again);
    } else if (n >= 0) {
        memcpy(p, first, (size_t)n + 1);
    }
    va_end(again);
    *out = p;
    return n;
}

/* The same for who was compiled with checks; %n, which they are about, is nowhere used. */
WW_API int __vasprintf_chk(char **out, int flag, const char *format, va_list args);
WW_API int __vasprintf_chk(char **out, int flag, const char *format, va_list args)
{
    (void)flag;
    return vasprintf(out, format, args);
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name,bugprone-reserved-identifier) */
#endif

void cli_exhausted_begin(void)
{
    ww_before_exhaustion(ww_pending_remove_all);
    g_log_set_default_handler(on_log, NULL);
    /* Each allocates what every later one needs, and GLib ends itself when it gets nothing. */
    const char **charsets;
    g_get_filename_charsets(&charsets);
    g_debug("the first");
    const char *volatile none = g_strerror(ENOMEM); /* converted once, kept */
    (void)none;
    g_log_set_default_handler(on_log, stderr);
    json_set_alloc_funcs(g_malloc, g_free);
}
