/* SPDX-License-Identifier: Apache-2.0 */
/* The trace of a run, and what the command wants to know of it while it passes. */
#include "source.h"

#include <string.h>

#define MANY_WARNINGS 100u

static void on_warning(void *user, const char *message)
{
    CliSource *s = user;
    if (s->warnings.n == MANY_WARNINGS) {
        message = "and more of this kind; 'warpwright trace check' lists them all";
    }
    if (s->warnings.n <= MANY_WARNINGS) {
        *WW_HEAP_ADD(s->heap, &s->warnings) = ww_heap_text(s->heap, message, strlen(message));
    }
}

CliSource *cli_source_new(WwHeap *heap, const char *path, const WwTraceOptions *options, bool lines,
                          GError **error)
{
    CliSource *s = WW_HEAP_NEW(heap, CliSource, 1);
    WwTraceOptions own = *options;
    own.warn = on_warning;
    own.warn_user = s;
    s->heap = heap;
    s->tell = lines;
    s->trace = ww_trace_open(path, &own, error);
    if (s->trace == NULL) {
        cli_source_free(s);
        return NULL;
    }
    return s;
}

void cli_source_free(CliSource *s)
{
    if (s != NULL) {
        ww_trace_free(s->trace);
    }
}

/* The lines that the reference prints when it reads a command: scrapers tell kernels apart by them. NULL: none. */
static char *lines_of(const WwCommand *c, const char *listed)
{
    const WwKernel *k = c->kernel;
    if (c->kind == WW_COMMAND_MEMCPY_HTOD) {
        return g_strdup_printf("launching memcpy command : %s\n", listed);
    }
    return c->kind != WW_COMMAND_KERNEL
               ? NULL
               : g_strdup_printf(
                     "Processing kernel %s\n"
                     "-kernel name = %s\n"
                     "-kernel id = %u\n"
                     "-grid dim = (%u,%u,%u)\n"
                     "-block dim = (%u,%u,%u)\n"
                     "-shmem = %u\n"
                     "-nregs = %u\n"
                     "-binary version = %u\n"
                     "-cuda stream id = %" G_GUINT64_FORMAT "\n"
                     "Header info loaded for kernel command : %s\n"
                     "launching kernel name: %s uid: %u cuda_stream_id: %" G_GUINT64_FORMAT "\n",
                     k->file, k->name, k->uid, k->grid[0], k->grid[1], k->grid[2], k->block[0],
                     k->block[1], k->block[2], k->shmem, k->nregs, k->binary_version, k->stream,
                     k->file, k->name, k->uid, k->stream);
}

static void add_lines(CliSource *s, const WwCommand *c)
{
    g_autofree char *text = lines_of(c, ww_trace_command_line(s->trace));
    if (text != NULL) {
        *WW_HEAP_ADD(s->heap, &s->lines) = ww_heap_text(s->heap, text, strlen(text));
    }
}

bool cli_source_lines(CliSource *s, FILE *out)
{
    uint32_t n = s->lines.n;
    for (uint32_t i = 0; i < n; i++) {
        fputs(s->lines.v[i], out);
        ww_heap_give(s->heap, s->lines.v[i]);
    }
    s->lines.n = 0;
    return n != 0;
}

static bool source_next_command(void *self, WwCommand *out, GError **error)
{
    CliSource *s = self;
    if (!ww_trace_source.next_command(s->trace, out, error)) {
        return false;
    }
    if (out->kind == WW_COMMAND_KERNEL) {
        *WW_HEAP_ADD(s->heap, &s->open) = out->kernel;
    }
    if (s->tell) {
        add_lines(s, out);
    }
    return true;
}

static bool source_next_cta(void *self, const WwKernel *kernel, const WwCtaTrace **out,
                            GError **error)
{
    return ww_trace_source.next_cta(((CliSource *)self)->trace, kernel, out, error);
}

static void source_release_cta(void *self, const WwKernel *kernel, const WwCtaTrace *cta)
{
    ww_trace_source.release_cta(((CliSource *)self)->trace, kernel, cta);
}

/* ---- instructions of closed kernels ----------------------------------------------------------------------------- */

static size_t letters_of(const WwSinst *s)
{
    return G_LIKELY(s->letters != 0) ? s->letters : strlen(s->opcode);
}

/* The opcode of @p s is at @p at, from now on; returns where it ends. */
static char *copy_opcode(char *at, WwSinst *s)
{
    size_t n = letters_of(s);
    if (G_LIKELY(s->letters != 0 && n <= WW_OPCODE_ROOM)) {
        memcpy(at, s->opcode, WW_OPCODE_ROOM); /* so many are there */
    } else {
        memcpy(at, s->opcode, n);
    }
    at[n] = '\0';
    s->opcode = at;
    return at + n + 1;
}

static void describe(CliSource *s, const WwKernel *kernel)
{
    CliClosed *c = WW_HEAP_NEW(s->heap, CliClosed, 1);
    c->uid = kernel->uid;
    c->n = ww_trace_n_instructions(kernel);
    c->sinst = WW_HEAP_NEW(s->heap, WwSinst, c->n);
    size_t letters = WW_OPCODE_ROOM; /* behind the last */
    for (uint32_t i = 0; i < c->n; i++) {
        c->sinst[i] = *kernel->sinst[i];
        letters += letters_of(&c->sinst[i]) + 1;
    }
    char *at = c->opcodes = WW_HEAP_NEW(s->heap, char, letters);
    for (uint32_t i = 0; i < c->n; i++) {
        at = copy_opcode(at, &c->sinst[i]);
    }
    *WW_HEAP_ADD(s->heap, &s->closed) = c;
}

void cli_source_forget(CliSource *s)
{
    for (uint32_t i = 0; i < s->closed.n; i++) {
        CliClosed *c = s->closed.v[i];
        ww_heap_give(s->heap, c->opcodes);
        ww_heap_give(s->heap, c->sinst);
        ww_heap_give(s->heap, c);
    }
    s->closed.n = 0;
}

const WwSinst *cli_source_instruction(void *source, uint32_t uid, uint32_t id)
{
    const CliSource *s = source;
    for (uint32_t i = 0; i < s->open.n; i++) {
        if (s->open.v[i]->uid == uid) {
            return s->open.v[i]->sinst[id];
        }
    }
    for (uint32_t i = 0; i < s->closed.n; i++) {
        if (s->closed.v[i]->uid == uid && id < s->closed.v[i]->n) {
            return &s->closed.v[i]->sinst[id];
        }
    }
    return NULL;
}

/* ---- closing ---------------------------------------------------------------------------------------------------- */

static void source_close_kernel(void *self, const WwKernel *kernel)
{
    CliSource *s = self;
    if (s->describes) {
        describe(s, kernel);
    }
    uint32_t left = 0;
    for (uint32_t i = 0; i < s->open.n; i++) {
        if (s->open.v[i] != kernel) {
            s->open.v[left++] = s->open.v[i];
        }
    }
    s->open.n = left;
    ww_trace_source.close_kernel(s->trace, kernel);
}

const WwTraceSourceIf cli_source_table = {
    .next_command = source_next_command,
    .next_cta = source_next_cta,
    .release_cta = source_release_cta,
    .close_kernel = source_close_kernel,
};
