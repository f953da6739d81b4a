/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `timing.modern`: what instructions take in the sub-cores of a modern SM.
 *
 *     who decodes ──> [timing.modern] ──> warps (whose kernel is it?)
 *
 * Passive. What an instruction takes depends on its text, its operands and the space of its access alone, so it is made once for each static instruction that an SM
 * meets, and kept in a book for each kernel launch. Books whose kernel has no warp here any more are given back when a new one is opened.
 */
#include "timing-priv.h"
#include "types.h"

#include <ports/warps.h>
#include <string.h>

#define BOOKS (WW_MAX_CTAS + 1u)
static const char *const name_rules[] = {"code", "all", NULL};
#define SPACES 4u /* of a generic access: none, global, local, shared */

typedef struct Book {
    const WwCode *code; /* of its kernel */
    uint32_t uid;       /* likewise; 0: free */
    uint32_t n;         /* of `of` */
    WwTiming **of;      /* by number of the static instruction, times SPACES */
} Book;

typedef struct Timing {
    WwComponent base;
    /* parameters */
    WwList int_, sp, dp, half, uniform, branch, misc, sfu;
    TimingRules rules;
    /* ports */
    WwProvided timing;
    WwPort warps;
    /* state */
    const WwWarpView *view;
    Book book[BOOKS];
    uint32_t last; /* book that was asked last */
    /* statistics */
    uint64_t made;
} Timing;

/* ---- books --------------------------------------------------------------------------------- */

static void close_book(Timing *t, Book *b)
{
    for (uint32_t i = 0; i < b->n; i++) {
        ww_give(t, b->of[i]);
    }
    ww_give(t, b->of);
    *b = (Book){0};
}

/* Of no kernel, in a test, too. */
static inline uint32_t uid_of(const WwKernel *kernel)
{
    return kernel != NULL ? kernel->uid : UINT32_MAX;
}

static bool at_home(const Timing *t, uint32_t uid)
{
    for (uint64_t m = t->view->resident; m != 0; m &= m - 1) {
        if (uid_of(t->view->warp[__builtin_ctzll(m)].kernel) == uid) {
            return true;
        }
    }
    return false;
}

WW_COLD static Book *open_book(Timing *t, const WwKernel *kernel)
{
    Book *free = NULL;
    for (uint32_t i = 0; i < BOOKS; i++) {
        if (t->book[i].uid != 0 && !at_home(t, t->book[i].uid)) {
            close_book(t, &t->book[i]);
        }
        free = t->book[i].uid == 0 && free == NULL ? &t->book[i] : free;
    }
    ww_assert(free != NULL); /* an SM has no more kernels than CTAs */
    free->code = kernel != NULL ? kernel->code : NULL;
    free->uid = uid_of(kernel);
    return free;
}

static inline Book *book_of(Timing *t, const WwKernel *kernel)
{
    uint32_t uid = uid_of(kernel);
    if (t->book[t->last].uid == uid) {
        return &t->book[t->last];
    }
    for (uint32_t i = 0; i < BOOKS; i++) {
        if (t->book[i].uid == uid) {
            t->last = i;
            return &t->book[i];
        }
    }
    Book *b = open_book(t, kernel);
    t->last = (uint32_t)(b - t->book);
    return b;
}

WW_COLD static void widen(Timing *t, Book *b, uint32_t at)
{
    uint32_t n = MAX(64u, b->n);
    while (n <= at) {
        n *= 2;
    }
    b->of = ww_resize(t, b->of, n * sizeof *b->of);
    memset(b->of + b->n, 0, (n - b->n) * sizeof *b->of);
    b->n = n;
}

WW_COLD static WwTiming *make(Timing *t, const Book *b, const WwInst *inst)
{
    WwTiming *out = ww_take(t, sizeof *out);
    timing_make(&t->rules, inst->s, b->code, inst->space, out);
    t->made++;
    return out;
}

static const WwTiming *timing_of(void *self, const WwInst *inst)
{
    Timing *t = self;
    const WwKernel *kernel = t->view->warp[inst->warp].kernel;
    Book *b = book_of(t, kernel);
    uint32_t at = inst->s->id * SPACES +
                  (inst->s->space == WW_SPACE_GENERIC ? MIN(inst->space, SPACES - 1) : 0);
    if (at >= b->n) {
        widen(t, b, at);
    }
    if (b->of[at] == NULL) {
        b->of[at] = make(t, b, inst);
    }
    return b->of[at];
}

static const WwTimingIf timing_table = {.of = timing_of};

/* ---- life ---------------------------------------------------------------------------------- */

static bool pair_of(const WwList *list, const char *name, TimingPair *out, GError **error)
{
    if (list->n != 2) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "%s has %u %s; expected a latency and an initiation interval", name, list->n,
                       WW_PLURAL(list->n, "number", "numbers"));
    }
    *out = (TimingPair){(uint32_t)list->v[0], (uint32_t)list->v[1]};
    return true;
}

static bool timing_init(void *self, GError **error)
{
    Timing *t = self;
    TimingRules *r = &t->rules;
    if (r->mem_stages > WW_MAX_SUB_STAGES || r->dp_stages > WW_MAX_SUB_STAGES) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "mem_stages = %u, dp_stages = %u; expected at most %u", r->mem_stages,
                       r->dp_stages, WW_MAX_SUB_STAGES);
    }
    return pair_of(&t->int_, "int", &r->int_, error) && pair_of(&t->sp, "sp", &r->sp, error) &&
           pair_of(&t->dp, "dp", &r->dp, error) && pair_of(&t->half, "half", &r->half, error) &&
           pair_of(&t->uniform, "uniform", &r->uniform, error) &&
           pair_of(&t->branch, "branch", &r->branch, error) &&
           pair_of(&t->misc, "misc", &r->misc, error) && pair_of(&t->sfu, "sfu", &r->sfu, error);
}

static bool timing_start(void *self, GError **error)
{
    Timing *t = self;
    (void)error;
    t->view = WW_WARPS(&t->warps)->view(t->warps.peer);
    return true;
}

static void timing_reset(void *self)
{
    Timing *t = self;
    for (uint32_t i = 0; i < BOOKS; i++) {
        close_book(t, &t->book[i]);
    }
    t->last = 0;
}

/* ---- descriptor ---------------------------------------------------------------------------- */

#define PAIR(field, name_, default_, doc_)                                                         \
    WW_LIST_AT(Timing, field, name_, "cycles", default_, 0, 1024, doc_)
#define RULE(field, unit_, default_, min_, max_, doc_)                                             \
    WW_UINT_AT(Timing, rules.field, #field, unit_, default_, min_, max_, doc_)

static const char *const imads[] = {"any", "wide", NULL};
static const char *const indexes[] = {"code", "paper", NULL};

static const WwParamRow timing_params[] = {
    PAIR(int_, "int", "[2, 2]", "integer: latency after the unit's input, initiation interval"),
    PAIR(sp, "sp", "[2, 2]", "single precision, and IMAD"),
    PAIR(dp, "dp", "[24, 16]", "double precision, in the unit shared by the SM"),
    PAIR(half, "half", "[3, 2]", "packed half precision; most instructions at half this interval"),
    PAIR(uniform, "uniform", "[2, 2]", "uniform datapath"),
    PAIR(branch, "branch", "[2, 1]", "branches"),
    PAIR(misc, "misc", "[1, 1]",
         "instructions of the miscellaneous unit without a queue: NOP, VOTE, ..."),
    PAIR(sfu, "sfu", "[8, 8]", "transcendental functions and conversions"),
    RULE(predicate, "cycles", "13", 0, 64,
         "latency and interval of predicate results, including the stages after INT's"),
    WW_BOOL_AT(Timing, rules.fp_in_int, "fp_in_int", "true",
               "the INT unit also executes single and half precision (not IMAD)"),
    RULE(read_stages, "cycles", "3", 1, 6, "from Allocate to a unit"),
    RULE(read_wide, "cycles", "6", 1, 6,
         "the same for tensor products with a four-register operand"),
    RULE(tensor_rate, "", "2048", 1, 1u << 20,
         "rate of a tensor unit: multiplications per cycle times bits of an operand"),
    RULE(tensor_extra, "cycles", "0", 0, 256,
         "extra latency and interval of HMMA.16816.F32 and HMMA.1688.F32"),
    RULE(mem_stages, "entries", "6", 3, WW_MAX_SUB_STAGES,
         "stages of the sub-core's part of the LD/ST unit, after its queue"),
    RULE(scalar_units, "", "8", 1, 16, "lanes whose addresses are calculated per cycle"),
    RULE(first_less, "cycles", "0", 0, 1,
         "cycles by which the first of these stages is shorter (Turing: 1)"),
    RULE(war_more, "cycles", "0", 0, 16,
         "extra cycles, compared with the released simulator, until the sources of memory "
         "instructions have been read; the paper: 1"),
    RULE(flat_less, "cycles", "0", 0, 1,
         "cycles by which global and local memory instructions leave their sub-core earlier than "
         "in the released simulator, apart from their sources; the paper: 1"),
    WW_CHOICE_AT(Timing, rules.indexed, "indexed", "code", indexes,
                 "how long the address register of an LDC is kept: code: as for other loads; "
                 "paper: until its result is available"),
    WW_CHOICE_AT(Timing, rules.imad, "imad", "any", imads,
                 "IMADs after which the issue port is closed: any: all, as in the released "
                 "simulator; wide: IMAD.WIDE, as in the paper"),
    RULE(link, "bytes", "128", 2, 1024, "bytes per cycle from a sub-core to the SM's structures"),
    WW_BOOL_AT(Timing, rules.load_half, "load_half", "true",
               "load data return at half that rate, except from shared memory"),
    WW_BOOL_AT(Timing, rules.store_half, "store_half", "true", "store data go at half that rate"),
    RULE(copy_extra, "cycles", "2", 0, 64, "extra cycles for asynchronous copies (LDGSTS)"),
    RULE(shared, "cycles", "7", 1, 256, "latency of shared memory, in the SM's shared structure"),
    RULE(ldsm_extra, "cycles", "2", 0, 64, "extra cycles for LDSM of two or four matrices"),
    RULE(l1, "cycles", "13", 1, 256, "latency of the L1 data cache"),
    RULE(constant, "cycles", "11", 1, 256, "latency of the constant cache of LDC"),
    RULE(dp_stages, "entries", "6", 1, WW_MAX_SUB_STAGES,
         "stages of the sub-core's part of the DP unit, after its queue"),
    RULE(transfer, "cycles", "2", 1, 16,
         "cycles per register from the SM's structures to a sub-core"),
    WW_U64_AT(Timing, rules.constant_base, "constant_base", "", "0xEEEEEEEE", 0, UINT64_C(1) << 40,
              "address of constant bank 0"),
    RULE(constant_bank, "bytes", "65535", 1, 1u << 20, "from one constant bank to the next"),
    WW_CHOICE_AT(
        Timing, rules.names, "names", "code", name_rules,
        "registers of an instruction known to scoreboards and allocators: code: as in the released "
        "simulator; all: also guards, every register of an address and every result"),
    {0},
};

static const WwPortRow timing_ports[] = {
    WW_PORT_PROVIDES(Timing, timing, &ww_contract_timing, &timing_table, "timing of instructions"),
    WW_PORT_REQUIRES(Timing, warps, &ww_contract_warps, 1, NULL,
                     "tell the kernel of an instruction"),
    {0},
};

static const WwGoneRow timing_gone[] = {
    {"queued", "what goes to the unit with a queue takes a cycle behind it"},
    {0},
};

static const WwStatRow timing_stats[] = {
    WW_COUNTER(Timing, made, "instructions", "static instructions encountered"),
    {0},
};

const WwType timing_modern_type = {
    .abi = WW_ABI_VERSION,
    .name = "timing.modern",
    .doc = "Timing of instructions in the sub-cores of a modern SM: units, latencies, stages, "
           "registers.",
    .family = "timing",
    .size = sizeof(Timing),
    .params = timing_params,
    .gone = timing_gone,
    .ports = timing_ports,
    .stats = timing_stats,
    .init = timing_init,
    .start = timing_start,
    .reset = timing_reset,
};
