/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace in memory. Programs are kept as the test wrote them; a CTA's instructions and addresses
 * are made when it is read, as a trace on disk does, and everything handed out is counted until
 * it is given back.
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

typedef struct Cta {
    WwCtaTrace pub;
    WwFakeKernel *kernel;
    WwTinst **warp;
    uint32_t *n_insts;
    GArray *arena; /* uint64_t */
} Cta;

struct WwFakeTrace {
    GPtrArray *commands;
    GPtrArray *ctas; /* handed out */
    uint32_t at;     /* next command */
    uint32_t n_kernels;
    GHashTable *cta_errors; /* kernel -> CtaError */
};

typedef struct CtaError {
    uint64_t cta;
    char *message;
} CtaError;

/* ---- life ------------------------------------------------------------------------------------ */

static void program_free(gpointer p)
{
    WwFakeProgram *program = p;
    g_free(program->inst);
    g_free(program);
}

static void command_free(gpointer p)
{
    Command *c = p;
    if (c->kernel != NULL) {
        g_ptr_array_unref(c->kernel->programs);
        g_ptr_array_unref(c->kernel->sinsts);
        g_free((char *)c->kernel->pub.name);
        g_free(c->kernel);
    }
    g_free(c->error);
    g_free(c);
}

static void cta_free(gpointer p)
{
    Cta *c = p;
    for (uint32_t w = 0; w < c->pub.n_warps; w++) {
        g_free(c->warp[w]);
    }
    g_free(c->warp);
    g_free(c->n_insts);
    g_array_unref(c->arena);
    g_free(c);
}

static void error_free(gpointer p)
{
    CtaError *e = p;
    g_free(e->message);
    g_free(e);
}

WwFakeTrace *ww_fake_trace_new(void)
{
    WwFakeTrace *t = g_new0(WwFakeTrace, 1);
    t->commands = g_ptr_array_new_with_free_func(command_free);
    t->ctas = g_ptr_array_new_with_free_func(cta_free);
    t->cta_errors = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, error_free);
    return t;
}

void ww_fake_trace_free(WwFakeTrace *t)
{
    if (t == NULL) {
        return;
    }
    g_ptr_array_unref(t->ctas);
    g_ptr_array_unref(t->commands);
    g_hash_table_unref(t->cta_errors);
    g_free(t);
}

/* ---- description ----------------------------------------------------------------------------- */

WwFakeKernel *ww_fake_trace_kernel(WwFakeTrace *t, const char *name, uint64_t ctas,
                                   uint32_t threads)
{
    WwFakeKernel *k = g_new0(WwFakeKernel, 1);
    k->pub = (WwKernel){
        .name = g_strdup(name),
        .file = "memory",
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
    k->programs = g_ptr_array_new_with_free_func(program_free);
    k->sinsts = g_ptr_array_new_with_free_func(g_free);
    Command *c = g_new0(Command, 1);
    c->kernel = k;
    g_ptr_array_add(t->commands, c);
    ww_fake_kernel_program(k, NULL, 0);
    return k;
}

void ww_fake_trace_memcpy(WwFakeTrace *t, uint64_t address, uint64_t bytes)
{
    Command *c = g_new0(Command, 1);
    c->address = address;
    c->bytes = bytes;
    g_ptr_array_add(t->commands, c);
}

/* The static half of an instruction; the table entry never moves. */
static WwSinst *describe(const WwTestInst *what, uint32_t id, uint32_t index)
{
    WwSinst *s = g_new0(WwSinst, 1);
    bool memory = what->op == WW_OP_LOAD || what->op == WW_OP_STORE;
    s->pc = what->pc != 0 ? what->pc : 16 * (uint64_t)index;
    s->opcode = what->opcode != NULL ? what->opcode : ww_op_name(what->op);
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
    WwFakeProgram *p = g_new0(WwFakeProgram, 1);
    p->cta = cta;
    p->warp = warp;
    p->n = ends ? n : n + 1;
    p->first = k->sinsts->len;
    p->inst = g_new0(WwTestInst, p->n);
    if (n > 0) {
        memcpy(p->inst, program, n * sizeof *program);
    }
    if (!ends) {
        p->inst[n] = (WwTestInst)WW_T_EXIT();
    }
    for (uint32_t i = 0; i < p->n; i++) {
        g_ptr_array_add(k->sinsts, describe(&p->inst[i], k->sinsts->len, i));
    }
    g_ptr_array_add(k->programs, p);
    k->pub.sinst = (const WwSinst *const *)k->sinsts->pdata;
}

void ww_fake_trace_fail_command(WwFakeTrace *t, uint32_t n, const char *message)
{
    while (t->commands->len <= n) {
        ww_fake_trace_memcpy(t, 0, 0);
    }
    Command *c = g_ptr_array_index(t->commands, n);
    g_free(c->error);
    c->error = g_strdup(message);
}

void ww_fake_kernel_fail_cta(WwFakeKernel *k, uint64_t cta, const char *message)
{
    CtaError *e = g_new0(CtaError, 1);
    e->cta = cta;
    e->message = g_strdup(message);
    g_hash_table_replace(k->trace->cta_errors, k, e);
}

/* ---- questions ------------------------------------------------------------------------------- */

uint32_t ww_fake_trace_open(const WwFakeTrace *t)
{
    uint32_t open = 0;
    for (uint32_t i = 0; i < t->commands->len; i++) {
        const Command *c = g_ptr_array_index(t->commands, i);
        open += c->kernel != NULL && c->kernel->opened && !c->kernel->closed;
    }
    return open;
}

uint64_t ww_fake_trace_held(const WwFakeTrace *t)
{
    return t->ctas->len;
}

uint32_t ww_fake_trace_read(const WwFakeTrace *t)
{
    return t->at;
}

void ww_fake_trace_rewind(WwFakeTrace *t)
{
    t->at = 0;
    g_ptr_array_set_size(t->ctas, 0);
    for (uint32_t i = 0; i < t->commands->len; i++) {
        WwFakeKernel *k = ((Command *)g_ptr_array_index(t->commands, i))->kernel;
        if (k != NULL) {
            k->opened = k->closed = false;
            k->handed = k->held = 0;
        }
    }
}

void ww_fake_trace_clear(WwFakeTrace *t)
{
    ww_fake_trace_rewind(t);
    g_hash_table_remove_all(t->cta_errors);
    g_ptr_array_set_size(t->commands, 0);
    t->n_kernels = 0;
}

const WwFakeKernel *ww_fake_trace_command(const WwFakeTrace *t, uint32_t n)
{
    return n < t->commands->len ? ((const Command *)g_ptr_array_index(t->commands, n))->kernel
                                : NULL;
}

/* ---- the contract ---------------------------------------------------------------------------- */

static bool source_command(void *self, WwCommand *out, GError **error)
{
    WwFakeTrace *t = self;
    if (t->at == t->commands->len) {
        *out = (WwCommand){.kind = WW_COMMAND_END};
        return true;
    }
    Command *c = g_ptr_array_index(t->commands, t->at++);
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
    for (uint32_t i = k->programs->len; i-- > 0;) {
        const WwFakeProgram *p = g_ptr_array_index(k->programs, i);
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
    uint32_t at = c->arena->len;
    WwAddrBlock head = {.base = i->base, .stride = i->stride, .mode = WW_ADDR_LIST};
    int64_t value[WW_WARP_SIZE];
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        place.lane = (uint32_t)__builtin_ctz(rest);
        value[head.n++] = k->address != NULL
                              ? (int64_t)k->address(k->user, &place)
                              : (int64_t)(i->base + (uint64_t)(i->stride * place.lane));
    }
    g_array_set_size(c->arena, at + (uint32_t)(sizeof head / 8) + head.n);
    uint64_t *to = &g_array_index(c->arena, uint64_t, at);
    memcpy(to, &head, sizeof head);
    memcpy(to + sizeof head / 8, value, head.n * sizeof *value);
    return 1 + at;
}

static void fill_warp(Cta *c, const WwFakeKernel *k, uint64_t cta, uint32_t warp)
{
    const WwFakeProgram *p = program_of(k, cta, warp);
    uint32_t left = k->pub.threads_per_cta - warp * WW_WARP_SIZE;
    uint32_t lanes = left >= WW_WARP_SIZE ? UINT32_MAX : (1u << left) - 1;
    c->warp[warp] = g_new0(WwTinst, p->n);
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
    const CtaError *e = g_hash_table_lookup(t->cta_errors, k);
    if (e != NULL && e->cta == k->handed) {
        return ww_fail(error, WW_ERROR_INPUT, "%s", e->message);
    }
    ww_assert(k->opened && !k->closed && k->handed < kernel->n_ctas);
    Cta *c = g_new0(Cta, 1);
    uint32_t n = (kernel->threads_per_cta + WW_WARP_SIZE - 1) / WW_WARP_SIZE;
    c->kernel = k;
    c->warp = g_new0(WwTinst *, n);
    c->n_insts = g_new0(uint32_t, n);
    c->arena = g_array_new(false, true, sizeof(uint64_t));
    for (uint32_t w = 0; w < n; w++) {
        fill_warp(c, k, k->handed, w);
    }
    c->pub = (WwCtaTrace){
        .n_warps = n,
        .warp = (const WwTinst *const *)c->warp,
        .n_insts = c->n_insts,
        .addr = (const uint64_t *)(void *)c->arena->data,
        .id = {(uint32_t)k->handed, 0, 0},
        .priv = c,
    };
    k->handed++;
    k->held++;
    g_ptr_array_add(t->ctas, c);
    *out = &c->pub;
    return true;
}

static void source_release(void *self, const WwKernel *kernel, const WwCtaTrace *cta)
{
    WwFakeTrace *t = self;
    ((WwFakeKernel *)kernel->priv)->held--;
    ww_assert(g_ptr_array_remove_fast(t->ctas, cta->priv));
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
