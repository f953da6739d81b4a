/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The trace as a provider of `trace_source`: commands in order, kernels and CTAs on demand.
 */
#include "pack-priv.h"
#include "text-priv.h"

#include <stdarg.h>
#include <string.h>

WwTrace *ww_trace_open(const char *path, const WwTraceOptions *options, GError **error)
{
    WwHeap *heap = ww_heap_new();
    WwTrace *trace = WW_HEAP_NEW(heap, WwTrace, 1);
    trace->heap = heap;
    trace->spare_inst.item = sizeof(WwTinst);
    trace->spare_addr.item = sizeof(uint64_t);
    ww_names_init(&trace->unknown_names, heap);
    if (options != NULL) {
        trace->options = *options;
    }
    if (trace->options.max_line_bytes == 0) {
        trace->options.max_line_bytes = WW_TRACE_MAX_LINE;
    }
    if (ww_pack_is(path) && (trace->pack = ww_pack_open(heap, path, error)) == NULL) {
        ww_trace_free(trace);
        return NULL;
    }
    if (!ww_list_read(&trace->list, path, trace->pack, &trace->options, error)) {
        ww_trace_free(trace);
        return NULL;
    }
    bool single;
    const char *file = ww_trace_file(trace, &single);
    if (!ww_listings_open(&trace->listings, heap, file, single, trace->options.listings, error)) {
        ww_trace_free(trace);
        return NULL;
    }
    trace->options.kernels = NULL; /* the caller's; not needed any more */
    trace->options.listings = NULL;
    return trace;
}

/** The kernel that was opened for its header is open as others are. */
static WwKernelReader *take_looked_at(WwTrace *trace)
{
    WwKernelReader *k = trace->looked_at;
    trace->looked_at = NULL;
    if (k != NULL) {
        k->next = trace->open;
        if (k->next != NULL) {
            k->next->prev = k;
        }
        trace->open = k;
    }
    return k;
}

/** @p k, opened last, waits for its turn. */
static void look_at(WwTrace *trace, WwKernelReader *k)
{
    trace->looked_at = k;
    trace->open = k->next;
    if (trace->open != NULL) {
        trace->open->prev = NULL;
    }
    k->next = NULL;
}

void ww_trace_free(WwTrace *trace)
{
    if (trace == NULL) {
        return;
    }
    ww_ahead_end(trace);
    take_looked_at(trace);
    while (trace->open != NULL) {
        ww_trace_source.close_kernel(trace, &trace->open->pub);
    }
    ww_stream_forget();
    ww_list_clear(&trace->list);
    ww_pack_close(trace->pack);
    ww_heap_free(trace->heap); /* with all that was read */
}

WwHeap *ww_trace_heap(const WwTrace *trace)
{
    return trace->heap;
}

uint32_t ww_trace_n_kernels(const WwTrace *trace)
{
    return trace->list.n_kernels;
}

uint32_t ww_trace_n_instructions(const WwKernel *kernel)
{
    return ww_kernel_reader(kernel)->n_sinst;
}

const char *ww_trace_file(const WwTrace *trace, bool *single)
{
    *single = trace->pack != NULL || (trace->list.n == 1 && trace->list.n_kernels == 1 &&
                                      strcmp(trace->list.entries[0].path, trace->list.file) == 0);
    return trace->list.file;
}

const char *ww_trace_kernel_file(const WwTrace *trace, uint32_t i)
{
    for (uint32_t k = 0; k < trace->list.n; k++) {
        if (trace->list.entries[k].kind == WW_COMMAND_KERNEL && i-- == 0) {
            return trace->pack != NULL ? trace->list.file : trace->list.entries[k].path;
        }
    }
    return NULL;
}

char *const *ww_trace_listings(const WwTrace *trace, uint32_t *n)
{
    *n = trace->listings.files.n;
    return trace->listings.files.v;
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
    ww_trace_hold(t);
    t->sorted = ww_heap_resize(t->heap, t->sorted, t->n_unknown * sizeof *t->sorted);
    if (t->n_unknown > 0) {
        memcpy(t->sorted, t->unknown, t->n_unknown * sizeof *t->unknown);
        qsort(t->sorted, t->n_unknown, sizeof *t->sorted, by_name);
    }
    *n = t->n_unknown;
    ww_trace_go(t);
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

/** Registers an unknown opcode, with a warning, and returns its index in *@p index. */
static void add_unknown(WwKernelReader *k, const WwSinst *s, uint32_t *index)
{
    WwTrace *t = k->trace;
    const char *map = ww_opcode_map_name(ww_kernel_map(k));
    g_autofree char *name = g_strndup(s->opcode, strcspn(s->opcode, "."));
    g_autofree char *key = g_strdup_printf("%s.%u", name, s->op);
    if (find_unknown(t, key, index)) {
        return;
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
}

/** Counts the unknown opcodes of a CTA that is handed out now, however long ago it was read. */
static void count_odd(WwKernelReader *k, const WwCtaBuf *c)
{
    for (uint32_t i = 0; i < c->odd.n; i++) {
        WwLineEntry *e = c->odd.v[i].entry;
        if (e->unknown == WW_NOT_UNKNOWN) {
            ww_trace_hold(k->trace);
            add_unknown(k, c->sinst[e->sinst], &e->unknown);
            ww_trace_go(k->trace);
        }
        k->trace->unknown[e->unknown].count += c->odd.v[i].n;
    }
}

/** Says once that lanes stay that an EXIT has, when the first CTA is handed out where it is so. */
static void tell_stays(WwKernelReader *k, const WwCtaBuf *c)
{
    if (!k->trace->told_stays) {
        k->trace->told_stays = true;
        ww_trace_warn(&k->trace->options,
                      "%s:%u: warp %u of thread block %u,%u,%u goes on after this EXIT of its last "
                      "lanes; lanes leave at the last EXIT that they execute, here and wherever "
                      "else it is so",
                      k->lines.file, c->stays.line, c->stays.warp, c->pub.id[0], c->pub.id[1],
                      c->pub.id[2]);
    }
}

static void close_held(WwTrace *trace, WwKernelReader *k)
{
    ww_ahead_drop(trace, k);
    *(k->prev != NULL ? &k->prev->next : &trace->open) = k->next;
    if (k->next != NULL) {
        k->next->prev = k->prev;
    }
    ww_lines_close(&k->lines);
    ww_pack_kernel_close(k);
    ww_sinst_table_clear(&k->table);
    ww_heap_give(trace->heap, k->name);
    ww_heap_give(trace->heap, k);
}

static void close_kernel(void *self, const WwKernel *kernel)
{
    ww_trace_hold(self);
    close_held(self, ww_kernel_reader(kernel));
    ww_trace_go(self);
}

/** What needs the kernel's opcode map, which a config may choose when the version is known. Held. */
static const WwKernel *begin_reading(WwKernelReader *k, GError **error)
{
    WwTrace *trace = k->trace;
    if (!k->begun && (!ww_header_map(k, error) ||
                      !ww_listings_find(&trace->listings, k->pub.name, k->pub.binary_version,
                                        &k->pub.code, error) ||
                      (k->pack != NULL && !ww_pack_kernel_begin(k, error)))) {
        close_held(trace, k);
        return NULL;
    }
    if (!k->begun) { /* else CTAs of it may have been read since */
        k->begun = true;
        k->pub.sinst = k->table.sinst;
        k->n_sinst = k->table.n;
    }
    return &k->pub;
}

/** Up to the end of its header. Held. */
static WwKernelReader *open_kernel(WwTrace *trace, const WwListEntry *entry, GError **error)
{
    WwKernelReader *k = WW_HEAP_NEW(trace->heap, WwKernelReader, 1);
    k->trace = trace;
    if (trace->pack == NULL ? !ww_lines_open_trace(&k->lines, trace->heap, entry->path,
                                                   trace->options.max_line_bytes, error)
                            : !ww_pack_kernel_open(k, entry->in_pack, error)) {
        ww_heap_give(trace->heap, k);
        return NULL;
    }
    k->next = trace->open;
    if (k->next != NULL) {
        k->next->prev = k;
    }
    trace->open = k;
    k->pub.priv = k;
    k->pub.uid = entry->ordinal;
    ww_sinst_table_init(&k->table, trace->heap);
    if (!ww_header_read(k, error)) {
        close_held(trace, k);
        return NULL;
    }
    if (trace->options.max_ctas != 0 && k->pub.n_ctas > trace->options.max_ctas) {
        k->pub.n_ctas = trace->options.max_ctas;
    }
    return k;
}

/** The entry of the first kernel from @p i on, or those that there are. */
static uint32_t kernel_from(const WwTrace *trace, uint32_t i)
{
    while (i < trace->list.n && trace->list.entries[i].kind != WW_COMMAND_KERNEL) {
        i++;
    }
    return i;
}

/** The kernel of entry @p i: what was opened before its turn, or its file. Held. */
static const WwKernel *begin_kernel(WwTrace *trace, uint32_t i, GError **error)
{
    trace->coming = kernel_from(trace, i + 1);
    WwKernelReader *k = trace->looked_at == NULL || trace->looked_at_entry != i
                            ? open_kernel(trace, &trace->list.entries[i], error)
                            : take_looked_at(trace);
    return k != NULL ? begin_reading(k, error) : NULL;
}

void ww_trace_begin_looked_at(WwTrace *trace)
{
    WwKernelReader *k = take_looked_at(trace);
    g_autoptr(GError) later = NULL;
    trace->coming = k == NULL ? kernel_from(trace, trace->next) : trace->list.n;
    if (k != NULL && begin_reading(k, &later) != NULL) {
        look_at(trace, k);
    }
}

void ww_trace_look(WwTrace *trace)
{
    uint32_t i = trace->coming;
    g_autoptr(GError) later = NULL;
    trace->coming = trace->list.n; /* once */
    WwKernelReader *k = open_kernel(trace, &trace->list.entries[i], &later);
    if (k != NULL && begin_reading(k, &later) != NULL) {
        look_at(trace, k);
        trace->looked_at_entry = i;
    }
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
        ww_trace_hold(trace);
        out->kernel = begin_kernel(trace, trace->next - 1, error);
        ww_trace_go(trace);
        if (out->kernel == NULL) {
            return false;
        }
    }
    out->kind = entry->kind;
    out->address = entry->address;
    out->bytes = entry->bytes;
    return true;
}

const char *ww_trace_command_line(const WwTrace *trace)
{
    return trace->next != 0 ? trace->list.entries[trace->next - 1].name : NULL;
}

uint32_t ww_trace_version(WwTrace *trace, bool keep)
{
    uint32_t i = kernel_from(trace, trace->next);
    if (i == trace->list.n || (trace->pack == NULL &&
                               !g_file_test(trace->list.entries[i].path, G_FILE_TEST_IS_REGULAR))) {
        return 0;
    }
    ww_assert(trace->looked_at == NULL);
    g_autoptr(GError) later = NULL;
    WwKernelReader *kernel = open_kernel(trace, &trace->list.entries[i], &later);
    uint32_t version = kernel != NULL ? kernel->pub.binary_version : 0;
    if (kernel != NULL && keep) {
        look_at(trace, kernel);
        trace->looked_at_entry = i;
    } else if (kernel != NULL) {
        close_held(trace, kernel);
    }
    return version;
}

static void release_cta(void *self, const WwKernel *kernel, const WwCtaTrace *cta)
{
    (void)kernel;
    ww_ahead_return(self, cta->priv);
}

static bool next_cta(void *self, const WwKernel *kernel, const WwCtaTrace **out, GError **error)
{
    WwTrace *trace = self;
    WwKernelReader *k = ww_kernel_reader(kernel);
    *out = NULL;
    g_return_val_if_fail(k->ctas_taken < kernel->n_ctas, false);
    WwCtaBuf *c = ww_ahead_take(trace, k);
    if (c->odd.n != 0) {
        count_odd(k, c);
    }
    if (c->stays.line != 0) {
        tell_stays(k, c);
    }
    if (c->failure != NULL) {
        ww_fail(error, c->failure_code, "%s", c->failure);
        release_cta(self, kernel, &c->pub);
        return false;
    }
    k->ctas_taken++;
    k->pub.sinst = c->sinst;
    k->n_sinst = c->n_sinst;
    *out = &c->pub;
    return true;
}

/* Maps of opcodes are the other process's, too; of kernels that are open all headers have been read. */
static bool map_all(WwTrace *trace, GError **error)
{
    for (WwKernelReader *k = trace->open; k != NULL; k = k->next) {
        if (!ww_header_map(k, error)) {
            return false;
        }
    }
    return true;
}

static bool reopen_all(WwTrace *trace, GError **error)
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

bool ww_trace_reopen(WwTrace *trace, GError **error)
{
    trace->ahead = 0;
    if (!map_all(trace, error)) {
        return false;
    }
    if (trace->pack !=
        NULL) { /* open since before the checkpoint's image, so it is this process's; facts told it to be the same */
        return true;
    }
    WwKernelReader *early = take_looked_at(trace);
    bool good = reopen_all(trace, error);
    if (early != NULL) {
        look_at(trace, early);
    }
    return good;
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
