/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Not a module: preloaded before the command. From the allocation on whose number is in REFUSE_FROM all are refused, the smallest
 * too; a limit of the system only refuses the large ones at first.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <warpwright/base.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static bool refused(void)
{
    static long from = -1, seen;
    if (from < 0) {
        const char *text = getenv("REFUSE_FROM");
        from = text != NULL ? strtol(text, NULL, 10) : 0;
    }
    if (from == 0 || ++seen < from) {
        return false;
    }
    errno = ENOMEM;
    return true;
}

/* In libc's headers their parameters have names that are reserved.
 * NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */
WW_API void *malloc(size_t size)
{
    return refused() ? NULL : __libc_malloc(size);
}

WW_API void *calloc(size_t n, size_t size)
{
    return refused() ? NULL : __libc_calloc(n, size);
}

WW_API void *realloc(void *p, size_t size)
{
    return refused() ? NULL : __libc_realloc(p, size);
}

WW_API void *aligned_alloc(size_t alignment, size_t size)
{
    return refused() ? NULL : __libc_memalign(alignment, size);
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
#endif
