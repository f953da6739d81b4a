/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The trace as a provider of `trace_source`: commands in order, kernels and CTAs on demand, buffers
 * used again.
 */
#include "trace-priv.h"

#include <string.h>

WwTrace *ww_trace_open(const char *path, const WwTraceOptions *options, GError **error)
{
    WwTrace *trace = g_new0(WwTrace, 1);
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
    while (trace->ctas != NULL) {
        WwCtaBuf *c = trace->ctas;
        trace->ctas = c->made_before;
        g_free(c->inst);
        g_free(c->addr);
        g_free(c);
    }
    for (uint32_t i = 0; i < trace->n_unknown; i++) {
        g_free((char *)trace->unknown[i].opcode);
    }
    g_free(trace->unknown);
    g_free(trace->sorted);
    ww_list_clear(&trace->list);
    g_free(trace);
}

uint32_t ww_trace_n_kernels(const WwTrace *trace)
{
    return trace->list.n_kernels;
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
    t->sorted = g_renew(WwTraceUnknown, t->sorted, t->n_unknown);
    if (t->n_unknown > 0) {
        memcpy(t->sorted, t->unknown, t->n_unknown * sizeof *t->unknown);
        qsort(t->sorted, t->n_unknown, sizeof *t->sorted, by_name);
    }
    *n = t->n_unknown;
    return t->sorted;
}

static void warn(const WwTrace *trace, const char *message)
{
    if (trace->options.warn != NULL) {
        trace->options.warn(trace->options.warn_user, message);
    } else {
        g_printerr("%s\n", message);
    }
}

bool ww_trace_add_unknown(WwKernelReader *k, const WwSinst *s, uint32_t *index, GError **error)
{
    WwTrace *t = k->trace;
    g_autofree char *text = g_strdup_printf("%s:%u: unknown opcode '%s' (%s)", k->lines.file,
                                            s->line, s->opcode, ww_opcode_map_name(k->map));
    if (t->options.strict) {
        return ww_fail(error, WW_ERROR_INPUT, "%s; expected one of its opcode map (strict)", text);
    }
    g_autofree char *name = g_strndup(s->opcode, strcspn(s->opcode, "."));
    for (uint32_t i = 0; i < t->n_unknown; i++) {
        if (t->unknown[i].category == (WwOp)s->op && strcmp(t->unknown[i].opcode, name) == 0) {
            *index = i;
            return true;
        }
    }
    if (t->n_unknown == t->cap_unknown) {
        t->cap_unknown = MAX(16, 2 * t->cap_unknown);
        t->unknown = g_renew(WwTraceUnknown, t->unknown, t->cap_unknown);
    }
    *index = t->n_unknown++;
    t->unknown[*index] =
        (WwTraceUnknown){.opcode = g_steal_pointer(&name), .category = (WwOp)s->op};
    if (t->n_unknown <= WW_TRACE_MAX_WARNINGS) {
        g_autofree char *message =
            g_strdup_printf("%s; taken as %s", text, ww_op_name((WwOp)s->op));
        warn(t, message);
    } else if (t->n_unknown == WW_TRACE_MAX_WARNINGS + 1) {
        g_autofree char *message =
            g_strdup_printf("%s; further unknown opcodes are only counted", text);
        warn(t, message);
    }
    return true;
}

static void close_kernel(void *self, WwKernel *kernel)
{
    WwTrace *trace = self;
    WwKernelReader *k = ww_kernel_reader(kernel);
    *(k->prev != NULL ? &k->prev->next : &trace->open) = k->next;
    if (k->next != NULL) {
        k->next->prev = k->prev;
    }
    ww_lines_close(&k->lines);
    ww_sinst_table_clear(&k->table);
    g_free(k->name);
    g_free(k);
}

static WwKernel *open_kernel(WwTrace *trace, const WwListEntry *entry, GError **error)
{
    WwKernelReader *k = g_new0(WwKernelReader, 1);
    if (!ww_lines_open(&k->lines, entry->path, trace->options.max_line_bytes, error)) {
        g_free(k);
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
    ww_sinst_table_init(&k->table);
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
    WwKernel *kernel = open_kernel(trace, &trace->list.entries[i], &later);
    uint32_t version = kernel != NULL ? kernel->binary_version : 0;
    if (kernel != NULL) {
        close_kernel(trace, kernel);
    }
    trace->options = options;
    return version;
}

static void release_cta(void *self, WwKernel *kernel, WwCtaTrace *cta)
{
    (void)kernel;
    WwTrace *trace = self;
    WwCtaBuf *c = cta->priv;
    c->next = trace->free_ctas;
    trace->free_ctas = c;
}

static bool next_cta(void *self, WwKernel *kernel, WwCtaTrace **out, GError **error)
{
    WwTrace *trace = self;
    WwKernelReader *k = ww_kernel_reader(kernel);
    WwCtaBuf *c = trace->free_ctas;
    *out = NULL;
    g_return_val_if_fail(k->ctas_read < kernel->n_ctas, false);
    if (c != NULL) {
        trace->free_ctas = c->next;
    } else {
        c = g_new0(WwCtaBuf, 1);
        c->pub.priv = c;
        c->made_before = trace->ctas;
        trace->ctas = c;
    }
    if (!ww_cta_read(k, c, error)) {
        release_cta(self, kernel, &c->pub);
        return false;
    }
    k->ctas_read++;
    *out = &c->pub;
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
