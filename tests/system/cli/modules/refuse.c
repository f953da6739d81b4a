/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Not a module: preloaded before the command. From the allocation on whose number is in REFUSE_FROM all are refused, the smallest
 * too; a limit of the system only refuses the large ones at first. With REFUSE_NAMED all are from where a file has got its name,
 * with REFUSE_MADE from where one was made.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <warpwright/base.h>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static bool all;

static bool refused(void)
{
    static long from = -1, seen;
    if (from < 0) {
        const char *text = getenv("REFUSE_FROM");
        from = text != NULL ? strtol(text, NULL, 10) : 0;
    }
    if (!all && (from == 0 || ++seen < from)) {
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

WW_API int rename(const char *from, const char *to)
{
    int status = renameat(AT_FDCWD, from, AT_FDCWD, to);
    all |= status == 0 && getenv("REFUSE_NAMED") != NULL;
    return status;
}

WW_API int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
    va_end(more);
    int fd = openat(AT_FDCWD, path, flags, mode);
    all |= fd >= 0 && (flags & O_EXCL) != 0 && getenv("REFUSE_MADE") != NULL;
    return fd;
}
WW_API int open64(const char *path, int flags, ...) __attribute__((alias("open")));
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
#endif
