/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace in memory. Programs are kept as the test wrote them; a CTA's instructions and addresses
 * are made when it is read, as a trace on disk does, and everything handed out is counted until
 * it is given back. All of it is in a heap, as that of a trace on disk.
 */
#include <string.h>
#include <testing/fake_trace.h>

struct WwFakeProgram {
    int64_t cta;  /* -1: all */
    int32_t warp; /* -1: all */
    uint32_t n;
    uint32_t first; /* its first entry in the kernel's instruction table */
    WwTestInst *inst;
};

typedef struct Command {
    WwFakeKernel *kernel; /* NULL: a copy */
    uint64_t address, bytes;
    char *error;
} Command;

typedef WW_HEAP_LIST(uint64_t) Words;

typedef struct Cta {
    WwCtaTrace pub;
    WwFakeKernel *kernel;
    WwTinst **warp;
    uint32_t *n_insts;
    Words arena;
} Cta;

typedef struct CtaError {
    const WwFakeKernel *kernel;
    uint64_t cta;
    char *message;
} CtaError;

struct WwFakeTrace {
    WwHeap *heap;
    bool own; /* The heap goes with it. */
    WW_HEAP_LIST(Command *) commands;
    WW_HEAP_LIST(Cta *) ctas; /* handed out */
    WW_HEAP_LIST(CtaError) errors;
    uint32_t at; /* next command */
    uint32_t n_kernels;
};

/* ---- life ------------------------------------------------------------------------------------ */

static void give_command(WwFakeTrace *t, Command *c)
{
    WwFakeKernel *k = c->kernel;
    if (k != NULL) {
        for (uint32_t i = 0; i < k->programs.n; i++) {
            ww_heap_give(t->heap, k->programs.v[i]->inst);
            ww_heap_give(t->heap, k->programs.v[i]);
        }
        for (uint32_t i = 0; i < k->sinsts.n; i++) {
            ww_heap_give(t->heap, (char *)k->sinsts.v[i]->opcode);
            ww_heap_give(t->heap, k->sinsts.v[i]);
        }
        ww_heap_give(t->heap, k->programs.v);
        ww_heap_give(t->heap, k->sinsts.v);
        ww_heap_give(t->heap, (char *)k->pub.name);
        ww_heap_give(t->heap, (char *)k->pub.file);
        ww_heap_give(t->heap, k);
    }
    ww_heap_give(t->heap, c->error);
    ww_heap_give(t->heap, c);
}

static void give_cta(WwFakeTrace *t, Cta *c)
{
    for (uint32_t w = 0; w < c->pub.n_warps; w++) {
        /* whoever still looks there is to notice */
        memset(c->warp[w], 0xdb, c->n_insts[w] * sizeof *c->warp[w]);
        ww_heap_give(t->heap, c->warp[w]);
    }
    ww_heap_give(t->heap, c->warp);
    ww_heap_give(t->heap, c->n_insts);
    ww_heap_give(t->heap, c->arena.v);
    ww_heap_give(t->heap, c);
}

static char *text_of(const WwFakeTrace *t, const char *text)
{
    return ww_heap_text(t->heap, text, strlen(text));
}

WwFakeTrace *ww_fake_trace_new_in(WwHeap *heap)
{
    WwFakeTrace *t = WW_HEAP_NEW(heap, WwFakeTrace, 1);
    t->heap = heap;
    return t;
}

WwFakeTrace *ww_fake_trace_new(void)
{
    WwFakeTrace *t = ww_fake_trace_new_in(ww_heap_new());
    t->own = true;
    return t;
}

void ww_fake_trace_free(WwFakeTrace *t)
{
    if (t != NULL && t->own) {
        ww_heap_free(t->heap);
    }
}

/* ---- description ----------------------------------------------------------------------------- */

WwFakeKernel *ww_fake_trace_kernel(WwFakeTrace *t, const char *name, uint64_t ctas,
                                   uint32_t threads)
{
    WwFakeKernel *k = WW_HEAP_NEW(t->heap, WwFakeKernel, 1);
    k->pub = (WwKernel){
        .name = text_of(t, name),
        .file = text_of(t, "memory"),
        .uid = ++t->n_kernels,
        .grid = {(uint32_t)ctas, 1, 1},
        .block = {threads, 1, 1},
        .n_ctas = ctas,
        .threads_per_cta = threads,
        .nregs = 16,
        .binary_version = 80,
        .shmem_base = 0x7f0000000000u,
        .local_base = 0x7f1000000000u,
        .priv = k,
    };
    k->trace = t;
    Command *c = WW_HEAP_NEW(t->heap, Command, 1);
    c->kernel = k;
    *WW_HEAP_ADD(t->heap, &t->commands) = c;
    ww_fake_kernel_program(k, NULL, 0);
    return k;
}

void ww_fake_trace_memcpy(WwFakeTrace *t, uint64_t address, uint64_t bytes)
{
    Command *c = WW_HEAP_NEW(t->heap, Command, 1);
    c->address = address;
    c->bytes = bytes;
    *WW_HEAP_ADD(t->heap, &t->commands) = c;
}

/* The static half of an instruction; the table entry never moves. */
static WwSinst *describe(const WwFakeTrace *t, const WwTestInst *what, uint32_t id, uint32_t index)
{
    WwSinst *s = WW_HEAP_NEW(t->heap, WwSinst, 1);
    bool memory = what->op == WW_OP_LOAD || what->op == WW_OP_STORE;
    s->pc = what->pc != 0 ? what->pc : 16 * (uint64_t)index;
    s->opcode = text_of(t, what->opcode != NULL ? what->opcode : ww_op_name(what->op));
    s->id = id;
    s->line = id + 1;
    s->flags = what->flags;
    s->flags |= what->op == WW_OP_LOAD ? WW_INST_LOAD : what->op == WW_OP_STORE ? WW_INST_STORE : 0;
    s->op = (uint8_t)what->op;
    s->space = what->space;
    s->width = what->width != 0 || !memory ? what->width : 4;
    s->dst = what->dst;
    s->ndst = what->dst != 0;
    while (s->nsrc < WW_MAX_SRC && what->src[s->nsrc] != 0) {
        s->src[s->nsrc] = what->src[s->nsrc];
        s->nsrc++;
    }
    return s;
}

void ww_fake_kernel_program(WwFakeKernel *k, const WwTestInst *program, uint32_t n)
{
    ww_fake_kernel_warp(k, -1, -1, program, n);
}

void ww_fake_kernel_warp(WwFakeKernel *k, int64_t cta, int32_t warp, const WwTestInst *program,
                         uint32_t n)
{
    bool ends = n > 0 && program[n - 1].op == WW_OP_EXIT;
    WwHeap *heap = k->trace->heap;
    WwFakeProgram *p = WW_HEAP_NEW(heap, WwFakeProgram, 1);
    p->cta = cta;
    p->warp = warp;
    p->n = ends ? n : n + 1;
    p->first = k->sinsts.n;
    p->inst = WW_HEAP_NEW(heap, WwTestInst, p->n);
    if (n > 0) {
        memcpy(p->inst, program, n * sizeof *program);
    }
    if (!ends) {
        p->inst[n] = (WwTestInst)WW_T_EXIT();
    }
    for (uint32_t i = 0; i < p->n; i++) {
        WwSinst *s = describe(k->trace, &p->inst[i], k->sinsts.n, i);
        *WW_HEAP_ADD(heap, &k->sinsts) = s;
        p->inst[i].opcode = NULL; /* known now */
    }
    *WW_HEAP_ADD(heap, &k->programs) = p;
    k->pub.sinst = (const WwSinst *const *)k->sinsts.v;
}

void ww_fake_trace_fail_command(WwFakeTrace *t, uint32_t n, const char *message)
{
    while (t->commands.n <= n) {
        ww_fake_trace_memcpy(t, 0, 0);
    }
    Command *c = t->commands.v[n];
    ww_heap_give(t->heap, c->error);
    c->error = text_of(t, message);
}

void ww_fake_kernel_fail_cta(WwFakeKernel *k, uint64_t cta, const char *message)
{
    WwFakeTrace *t = k->trace;
    *WW_HEAP_ADD(t->heap, &t->errors) = (CtaError){k, cta, text_of(t, message)};
}

/* ---- questions ------------------------------------------------------------------------------- */

uint32_t ww_fake_trace_open(const WwFakeTrace *t)
{
    uint32_t open = 0;
    for (uint32_t i = 0; i < t->commands.n; i++) {
        const Command *c = t->commands.v[i];
        open += c->kernel != NULL && c->kernel->opened && !c->kernel->closed;
    }
    return open;
}

uint64_t ww_fake_trace_held(const WwFakeTrace *t)
{
    return t->ctas.n;
}

uint32_t ww_fake_trace_read(const WwFakeTrace *t)
{
    return t->at;
}

void ww_fake_trace_rewind(WwFakeTrace *t)
{
    t->at = 0;
    while (t->ctas.n != 0) {
        give_cta(t, t->ctas.v[--t->ctas.n]);
    }
    for (uint32_t i = 0; i < t->commands.n; i++) {
        WwFakeKernel *k = t->commands.v[i]->kernel;
        if (k != NULL) {
            k->opened = k->closed = false;
            k->handed = k->held = 0;
        }
    }
}

void ww_fake_trace_clear(WwFakeTrace *t)
{
    ww_fake_trace_rewind(t);
    while (t->errors.n != 0) {
        ww_heap_give(t->heap, t->errors.v[--t->errors.n].message);
    }
    while (t->commands.n != 0) {
        give_command(t, t->commands.v[--t->commands.n]);
    }
    t->n_kernels = 0;
}

const WwFakeKernel *ww_fake_trace_command(const WwFakeTrace *t, uint32_t n)
{
    return n < t->commands.n ? t->commands.v[n]->kernel : NULL;
}

/* ---- the contract ---------------------------------------------------------------------------- */

static bool source_command(void *self, WwCommand *out, GError **error)
{
    WwFakeTrace *t = self;
    if (t->at == t->commands.n) {
        *out = (WwCommand){.kind = WW_COMMAND_END};
        return true;
    }
    Command *c = t->commands.v[t->at++];
    if (c->error != NULL) {
        return ww_fail(error, WW_ERROR_INPUT, "%s", c->error);
    }
    if (c->kernel == NULL) {
        *out =
            (WwCommand){.kind = WW_COMMAND_MEMCPY_HTOD, .address = c->address, .bytes = c->bytes};
        return true;
    }
    c->kernel->opened = true;
    *out = (WwCommand){.kind = WW_COMMAND_KERNEL, .kernel = &c->kernel->pub};
    return true;
}

static const WwFakeProgram *program_of(const WwFakeKernel *k, uint64_t cta, uint32_t warp)
{
    for (uint32_t i = k->programs.n; i-- > 0;) {
        const WwFakeProgram *p = k->programs.v[i];
        if ((p->cta < 0 || (uint64_t)p->cta == cta) && (p->warp < 0 || (uint32_t)p->warp == warp)) {
            return p;
        }
    }
    return NULL;
}

/* Appends the addresses of one execution to the arena; returns what WwTinst.addr says. */
static uint32_t add_addresses(Cta *c, const WwFakeKernel *k, const WwTestInst *i, WwFakePlace place,
                              uint32_t mask)
{
    if (i->base == 0 && i->stride == 0) {
        return 0;
    }
    uint32_t at = c->arena.n;
    WwAddrBlock head = {.base = i->base, .stride = i->stride, .mode = WW_ADDR_LIST};
    int64_t value[WW_WARP_SIZE];
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        place.lane = (uint32_t)__builtin_ctz(rest);
        value[head.n++] = k->address != NULL
                              ? (int64_t)k->address(k->user, &place)
                              : (int64_t)(i->base + (uint64_t)(i->stride * place.lane));
    }
    for (uint32_t j = 0; j < sizeof head / 8 + head.n; j++) {
        *WW_HEAP_ADD(k->trace->heap, &c->arena) = 0;
    }
    memcpy(c->arena.v + at, &head, sizeof head);
    memcpy(c->arena.v + at + sizeof head / 8, value, head.n * sizeof *value);
    return 1 + at;
}

static void fill_warp(Cta *c, const WwFakeKernel *k, uint64_t cta, uint32_t warp)
{
    const WwFakeProgram *p = program_of(k, cta, warp);
    uint32_t left = k->pub.threads_per_cta - warp * WW_WARP_SIZE;
    uint32_t lanes = left >= WW_WARP_SIZE ? UINT32_MAX : (1u << left) - 1;
    c->warp[warp] = WW_HEAP_NEW(k->trace->heap, WwTinst, p->n);
    c->n_insts[warp] = p->n;
    for (uint32_t i = 0; i < p->n; i++) {
        const WwTestInst *what = &p->inst[i];
        uint32_t mask = what->no_lanes ? 0 : (what->mask != 0 ? what->mask : UINT32_MAX) & lanes;
        c->warp[warp][i] = (WwTinst){
            .sinst = p->first + i,
            .mask = mask,
            .addr = add_addresses(c, k, what, (WwFakePlace){.cta = cta, .warp = warp, .index = i},
                                  mask),
        };
    }
}

static bool source_cta(void *self, const WwKernel *kernel, const WwCtaTrace **out, GError **error)
{
    WwFakeTrace *t = self;
    WwFakeKernel *k = kernel->priv;
    for (uint32_t i = 0; i < t->errors.n; i++) {
        const CtaError *e = &t->errors.v[i];
        if (e->kernel == k && e->cta == k->handed) {
            return ww_fail(error, WW_ERROR_INPUT, "%s", e->message);
        }
    }
    ww_assert(k->opened && !k->closed && k->handed < kernel->n_ctas);
    Cta *c = WW_HEAP_NEW(t->heap, Cta, 1);
    uint32_t n = (kernel->threads_per_cta + WW_WARP_SIZE - 1) / WW_WARP_SIZE;
    c->kernel = k;
    c->warp = WW_HEAP_NEW(t->heap, WwTinst *, n);
    c->n_insts = WW_HEAP_NEW(t->heap, uint32_t, n);
    for (uint32_t w = 0; w < n; w++) {
        fill_warp(c, k, k->handed, w);
    }
    c->pub = (WwCtaTrace){
        .n_warps = n,
        .warp = (const WwTinst *const *)c->warp,
        .n_insts = c->n_insts,
        .addr = c->arena.v,
        .id = {(uint32_t)k->handed, 0, 0},
        .priv = c,
    };
    k->handed++;
    k->held++;
    *WW_HEAP_ADD(t->heap, &t->ctas) = c;
    *out = &c->pub;
    return true;
}

static void source_release(void *self, const WwKernel *kernel, const WwCtaTrace *cta)
{
    WwFakeTrace *t = self;
    ((WwFakeKernel *)kernel->priv)->held--;
    uint32_t i = 0;
    while (i < t->ctas.n && t->ctas.v[i] != cta->priv) {
        i++;
    }
    ww_assert(i < t->ctas.n);
    give_cta(t, t->ctas.v[i]);
    t->ctas.v[i] = t->ctas.v[--t->ctas.n];
}

static void source_close(void *self, const WwKernel *kernel)
{
    WwFakeKernel *k = kernel->priv;
    ww_assert(k->opened && !k->closed && k->held == 0);
    k->closed = true;
}

const WwTraceSourceIf ww_fake_trace_source = {
    .next_command = source_command,
    .next_cta = source_cta,
    .release_cta = source_release,
    .close_kernel = source_close,
};
