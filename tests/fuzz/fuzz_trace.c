/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Fuzz target: bytes as a trace file (plain, xz, zst; kernel trace or command list), read to the
 * end.
 *
 * Checks more than memory safety: an error is one line and names the file, every CTA keeps its
 * promises (ids in range, address blocks inside the arena and of the right size).
 */
#define _GNU_SOURCE /* memfd_create() */
#include <trace/trace.h>

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_cta(const WwKernel *kernel, const WwCtaTrace *cta, uint64_t *sum)
{
    for (uint32_t w = 0; w < cta->n_warps; w++) {
        ww_assert(cta->n_insts[w] >= 1);
        for (uint32_t i = 0; i < cta->n_insts[w]; i++) {
            const WwTinst *t = &cta->warp[w][i];
            const WwSinst *s = kernel->sinst[t->sinst];
            uint64_t lanes[WW_WARP_SIZE];
            ww_assert(s->id == t->sinst && s->op < WW_N_OPS && s->nsrc <= WW_MAX_SRC &&
                      s->ndst <= 1);
            if (t->addr == 0) {
                continue;
            }
            const WwAddrBlock *b = (const WwAddrBlock *)(const void *)&cta->addr[t->addr - 1];
            uint32_t active = (uint32_t)__builtin_popcount(t->mask);
            ww_assert(b->mode <= WW_ADDR_DELTA);
            ww_assert(b->n == (b->mode == WW_ADDR_LIST    ? active
                               : b->mode == WW_ADDR_DELTA ? active - (active > 0)
                                                          : 0));
            ww_addr_expand(b, t->mask, lanes);
            ww_assert(t->mask == 0 || lanes[__builtin_ctz(t->mask)] == ww_addr_first(b, t->mask));
            *sum += lanes[31];
        }
    }
}

static bool read_kernel(WwTrace *trace, WwKernel *kernel, GError **error)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < kernel->n_ctas; i++) {
        WwCtaTrace *cta = NULL;
        if (!ww_trace_source.next_cta(trace, kernel, &cta, error)) {
            return false;
        }
        check_cta(kernel, cta, &sum);
        ww_trace_source.release_cta(trace, kernel, cta);
    }
    return true;
}

static bool read_trace(const char *path, const WwTraceOptions *options, GError **error)
{
    WwCommand command;
    g_autoptr(WwTrace) trace = ww_trace_open(path, options, error);
    if (trace == NULL) {
        return false;
    }
    do {
        if (!ww_trace_source.next_command(trace, &command, error)) {
            return false;
        }
        if (command.kind == WW_COMMAND_KERNEL) {
            bool good = read_kernel(trace, command.kernel, error);
            ww_trace_source.close_kernel(trace, command.kernel);
            if (!good) {
                return false;
            }
        }
    } while (command.kind != WW_COMMAND_END);
    return true;
}

static void ignore(void *user, const char *message)
{
    (void)user;
    ww_assert(strchr(message, '\n') == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int fd = -1;
    static char path[64];
    if (fd < 0) {
        fd = memfd_create("trace", MFD_CLOEXEC);
        ww_assert(fd >= 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    if (ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size) {
        return 0;
    }
    WwTraceOptions options = {.warn = ignore, .max_line_bytes = 4096, .strict = size % 7 == 0};
    g_autoptr(GError) error = NULL;
    if (!read_trace(path, &options, &error)) {
        ww_assert(error != NULL && strchr(error->message, '\n') == NULL);
        ww_assert(g_utf8_validate(error->message, -1, NULL));
    }
    return 0;
}
