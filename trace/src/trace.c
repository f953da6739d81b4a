/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The trace as a provider of `trace_source`: commands in order, kernels and CTAs on demand, buffers
 * used again.
 */
#include "text-priv.h"
#include "trace-priv.h"

#include <stdarg.h>
#include <string.h>

WwTrace *ww_trace_open(const char *path, const WwTraceOptions *options, GError **error)
{
    WwHeap *heap = options != NULL && options->heap != NULL ? options->heap : ww_heap_new();
    WwTrace *trace = WW_HEAP_NEW(heap, WwTrace, 1);
    trace->heap = heap;
    trace->own_heap = options == NULL || options->heap == NULL;
    ww_names_init(&trace->unknown_names, heap);
    if (options != NULL) {
        trace->options = *options;
    }
    if (trace->options.max_line_bytes == 0) {
        trace->options.max_line_bytes = WW_TRACE_MAX_LINE;
    }
    if (!ww_list_read(&trace->list, path, &trace->options, error)) {
        ww_trace_free(trace);
        return NULL;
    }
    trace->options.kernels = NULL; /* the caller's; not needed any more */
    return trace;
}

void ww_trace_free(WwTrace *trace)
{
    if (trace == NULL) {
        return;
    }
    while (trace->open != NULL) {
        ww_trace_source.close_kernel(trace, &trace->open->pub);
    }
    ww_list_clear(&trace->list);
    if (trace->own_heap) {
        ww_heap_free(trace->heap); /* with all that was read */
    }
}

uint32_t ww_trace_n_kernels(const WwTrace *trace)
{
    return trace->list.n_kernels;
}

const char *ww_trace_file(const WwTrace *trace, bool *single)
{
    *single = trace->list.n == 1 && trace->list.n_kernels == 1 &&
              strcmp(trace->list.entries[0].path, trace->list.file) == 0;
    return trace->list.file;
}

const char *ww_trace_kernel_file(const WwTrace *trace, uint32_t i)
{
    for (uint32_t k = 0; k < trace->list.n; k++) {
        if (trace->list.entries[k].kind == WW_COMMAND_KERNEL && i-- == 0) {
            return trace->list.entries[k].path;
        }
    }
    return NULL;
}

static int by_name(const void *a, const void *b)
{
    const WwTraceUnknown *x = a, *y = b;
    int order = strcmp(x->opcode, y->opcode);
    return order != 0 ? order : (int)x->category - (int)y->category;
}

const WwTraceUnknown *ww_trace_unknown(const WwTrace *trace, uint32_t *n)
{
    WwTrace *t = (WwTrace *)trace; /* the sorted copy is a cache */
    t->sorted = ww_heap_resize(t->heap, t->sorted, t->n_unknown * sizeof *t->sorted);
    if (t->n_unknown > 0) {
        memcpy(t->sorted, t->unknown, t->n_unknown * sizeof *t->unknown);
        qsort(t->sorted, t->n_unknown, sizeof *t->sorted, by_name);
    }
    *n = t->n_unknown;
    return t->sorted;
}

void ww_trace_warn(const WwTraceOptions *options, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *message = g_strdup_vprintf(format, args);
    va_end(args);
    if (options->warn != NULL) {
        options->warn(options->warn_user, message);
    } else {
        g_printerr("%s\n", message);
    }
}

/** Index of the unknown opcode @p key (name and category); false: new, and room is made for it. */
static bool find_unknown(WwTrace *t, const char *key, uint32_t *index)
{
    *index = ww_names_add(&t->unknown_names, key);
    if (*index < t->n_unknown) {
        return true;
    }
    if (t->n_unknown == t->cap_unknown) {
        t->cap_unknown = MAX(16, 2 * t->cap_unknown);
        t->unknown = ww_heap_resize(t->heap, t->unknown, t->cap_unknown * sizeof *t->unknown);
    }
    t->n_unknown++;
    return false;
}

bool ww_trace_add_unknown(WwKernelReader *k, const WwSinst *s, uint32_t *index, GError **error)
{
    WwTrace *t = k->trace;
    const char *map = ww_opcode_map_name(ww_kernel_map(k));
    if (t->options.strict) {
        return ww_fail_at(error, k->lines.file, s->line,
                          "unknown opcode '%s' (%s); expected one of its opcode map (strict)",
                          s->opcode, map);
    }
    g_autofree char *name = g_strndup(s->opcode, strcspn(s->opcode, "."));
    g_autofree char *key = g_strdup_printf("%s.%u", name, s->op);
    if (find_unknown(t, key, index)) {
        return true;
    }
    t->unknown[*index] = (WwTraceUnknown){.opcode = ww_heap_text(t->heap, name, strlen(name)),
                                          .category = (WwOp)s->op};
    if (t->n_unknown <= WW_TRACE_MAX_WARNINGS) {
        ww_trace_warn(&t->options, "%s:%u: unknown opcode '%s' (%s); taken as %s", k->lines.file,
                      s->line, s->opcode, map, ww_op_name((WwOp)s->op));
    } else if (t->n_unknown == WW_TRACE_MAX_WARNINGS + 1) {
        ww_trace_warn(&t->options,
                      "%s:%u: unknown opcode '%s' (%s); further unknown opcodes are only counted",
                      k->lines.file, s->line, s->opcode, map);
    }
    return true;
}

static void close_kernel(void *self, const WwKernel *kernel)
{
    WwTrace *trace = self;
    WwKernelReader *k = ww_kernel_reader(kernel);
    *(k->prev != NULL ? &k->prev->next : &trace->open) = k->next;
    if (k->next != NULL) {
        k->next->prev = k->prev;
    }
    ww_lines_close(&k->lines);
    ww_sinst_table_clear(&k->table);
    ww_heap_give(trace->heap, k->name);
    ww_heap_give(trace->heap, k);
}

static const WwKernel *open_kernel(WwTrace *trace, const WwListEntry *entry, GError **error)
{
    WwKernelReader *k = WW_HEAP_NEW(trace->heap, WwKernelReader, 1);
    if (!ww_lines_open(&k->lines, trace->heap, entry->path, trace->options.max_line_bytes, error)) {
        ww_heap_give(trace->heap, k);
        return NULL;
    }
    k->trace = trace;
    k->next = trace->open;
    if (k->next != NULL) {
        k->next->prev = k;
    }
    trace->open = k;
    k->pub.priv = k;
    k->pub.uid = entry->ordinal;
    ww_sinst_table_init(&k->table, trace->heap);
    if (!ww_header_read(k, error)) {
        close_kernel(trace, &k->pub);
        return NULL;
    }
    if (trace->options.max_ctas != 0 && k->pub.n_ctas > trace->options.max_ctas) {
        k->pub.n_ctas = trace->options.max_ctas;
    }
    k->pub.sinst = k->table.sinst;
    return &k->pub;
}

static bool next_command(void *self, WwCommand *out, GError **error)
{
    WwTrace *trace = self;
    *out = (WwCommand){.kind = WW_COMMAND_END};
    if (trace->next == trace->list.n) {
        return true;
    }
    const WwListEntry *entry = &trace->list.entries[trace->next++];
    if (entry->kind == WW_COMMAND_KERNEL) {
        out->kernel = open_kernel(trace, entry, error);
        if (out->kernel == NULL) {
            return false;
        }
    }
    out->kind = entry->kind;
    out->address = entry->address;
    out->bytes = entry->bytes;
    return true;
}

static void no_warning(void *user, const char *message) {}

uint32_t ww_trace_version(WwTrace *trace)
{
    uint32_t i = trace->next;
    while (i < trace->list.n && trace->list.entries[i].kind != WW_COMMAND_KERNEL) {
        i++;
    }
    if (i == trace->list.n || !g_file_test(trace->list.entries[i].path, G_FILE_TEST_IS_REGULAR)) {
        return 0;
    }
    WwTraceOptions options = trace->options;
    trace->options.warn = no_warning; /* the header will be read again */
    g_autoptr(GError) later = NULL;
    const WwKernel *kernel = open_kernel(trace, &trace->list.entries[i], &later);
    uint32_t version = kernel != NULL ? kernel->binary_version : 0;
    if (kernel != NULL) {
        close_kernel(trace, kernel);
    }
    trace->options = options;
    return version;
}

static void release_cta(void *self, const WwKernel *kernel, const WwCtaTrace *cta)
{
    (void)kernel;
    WwTrace *trace = self;
    WwCtaBuf *c = cta->priv;
    ww_cta_clear(c);
    c->next = trace->free_ctas;
    trace->free_ctas = c;
}

static bool next_cta(void *self, const WwKernel *kernel, const WwCtaTrace **out, GError **error)
{
    WwTrace *trace = self;
    WwKernelReader *k = ww_kernel_reader(kernel);
    WwCtaBuf *c = trace->free_ctas;
    *out = NULL;
    g_return_val_if_fail(k->ctas_read < kernel->n_ctas, false);
    if (c != NULL) {
        trace->free_ctas = c->next;
    } else {
        c = WW_HEAP_NEW(trace->heap, WwCtaBuf, 1);
        c->trace = trace;
        c->heap = trace->heap;
        c->pub.priv = c;
        c->made_before = trace->ctas;
        trace->ctas = c;
    }
    if (!ww_cta_read(k, c, error)) {
        release_cta(self, kernel, &c->pub);
        return false;
    }
    k->ctas_read++;
    if (k->ctas_read == k->ctas_in_grid && !ww_cta_read_end(k, error)) {
        release_cta(self, kernel, &c->pub);
        return false;
    }
    *out = &c->pub;
    return true;
}

bool ww_trace_reopen(WwTrace *trace, GError **error)
{
    for (WwKernelReader *k = trace->open; k != NULL; k = k->next) {
        k->lines.stream = 0; /* of the other process */
    }
    for (WwKernelReader *k = trace->open; k != NULL; k = k->next) {
        if (!ww_lines_reopen(&k->lines, error)) {
            return false;
        }
    }
    return true;
}

const WwListEntry *ww_trace_peek(const WwTrace *trace)
{
    return trace->next < trace->list.n ? &trace->list.entries[trace->next] : NULL;
}

const WwTraceSourceIf ww_trace_source = {
    .next_command = next_command,
    .next_cta = next_cta,
    .release_cta = release_cta,
    .close_kernel = close_kernel,
};
