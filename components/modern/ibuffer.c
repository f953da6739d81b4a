/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instruction buffers of a modern SM: a few entries a warp, of instructions that follow each other in memory.
 *
 * An entry is made when its fetch is sent, before anybody knows what the warp will execute there; the front end runs ahead along
 * fall-through code. It becomes valid when what was fetched is decoded. When an instruction issues behind which the trace goes elsewhere, the
 * others were on the wrong path, and go. Responses to them that are still under way find no entry; but one whose pc has an entry by then,
 * which was made again, makes that one valid: nobody asks which of two fetches it was.
 *
 * Of the trace, each warp holds a window of records, from the instruction that it issues next on: an entry is on the path of execution while it and
 * those before it have the window's pcs. What is not needs no record. The first record is shown to everybody else through `warps`.
 *
 * Source: Huerta et al., MICRO'25 (docs/modern.md).
 *
 * Workload: three calls for a warp instruction, and one more for each that is fetched on a wrong path.
 *
 *     fetch, decode ──> ibuffer ──> issue
 *                          └──> warps (records, the head)
 */
#include "types.h"
#include <ports/events.h>
#include <ports/sub_core.h>
#include <string.h>

#define MAX_ENTRIES 16u
#define MAX_AHEAD 32u /* pcs that a warp has decoded too early, and remembers */

typedef struct Buffer {
    uint64_t base;     /* The pc of the first entry, and where to fetch next when there is none; */
    bool begun;        /* if it is known. */
    bool odd;          /* Its first entry lies elsewhere than the others: entry_pc(). */
    uint8_t n;         /* Entries. */
    uint16_t valid;    /* Bit k: entry k is decoded, */
    uint16_t constant; /* and its constant operand is looked up at issue. */
    uint8_t records;
    uint8_t n_early, oldest_early;
    WwInst *record[MAX_ENTRIES + 1]; /* The trace from the next to issue on. */
    uint32_t early[MAX_AHEAD]; /* Places of uniform loads that were decoded on a wrong path. */
} Buffer;

typedef enum Uldc { ULDC_EARLY, ULDC_ALWAYS, ULDC_NEVER } Uldc;
static const char *const uldc_names[] = {"early", "always", "never", NULL};

typedef struct Ibuffer {
    WwComponent base;
    /* parameters */
    uint32_t entries;
    uint32_t uldc;
    bool second_from_0;
    /* ports */
    WwProvided ibuffer;
    WwPort warps;
    WwPort timing;
    /* state */
    WwIbufferView view;
    const WwWarpView *hardware;
    Buffer buffer[WW_MAX_WARPS];
    WwWake none;
    const WwWake *issue[WW_MAX_WARPS], *fetch[WW_MAX_WARPS]; /* By warp. */
    /* statistics */
    uint64_t requests;
    uint64_t decoded;
    uint64_t wrong;
    uint64_t orphans;
    uint64_t redirects;
    uint64_t dropped;
} Ibuffer;

enum { LOG_DECODE, LOG_WRONG };
static const WwEventRow ibuffer_events[] = {
    [LOG_DECODE] = {"decode",
                    "warp",
                    "an instruction that the warp will execute is decoded: its entry is valid",
                    {&ww_field_inst}},
    [LOG_WRONG] = {"wrong", "warp", "an entry on a wrong path is decoded", {&ww_field_pc}},
    {0},
};

static inline void put_bit(uint64_t *mask, uint32_t warp, bool on)
{
    *mask = (*mask & ~(1ull << warp)) | (uint64_t)on << warp;
}

/*
 * The pc of entry @p k. The released simulator goes on behind pc 0 after the first fetch of a warp, wherever that one was, until it is told
 * where to go: of a trace that begins elsewhere, the entries behind the first are no use.
 */
static inline uint64_t entry_pc(const Buffer *w, uint32_t k)
{
    return (G_UNLIKELY(w->odd) && k != 0 ? 0 : w->base) + (uint64_t)k * WW_CODE_BYTES;
}

/* ---- the window of the trace --------------------------------------------------------------------------------------------- */

/* Decodes the trace until @p n records are in the window, or it is at its end. */
static bool look_ahead(Ibuffer *b, Buffer *w, uint32_t warp, uint32_t n)
{
    while (w->records < n) {
        WwInst *inst = WW_WARPS(&b->warps)->decode(b->warps.peer, warp);
        if (inst == NULL) {
            return false;
        }
        w->record[w->records++] = inst;
        b->view.next[warp] = w->record[0];
    }
    return true;
}

/* The record of entry @p k, or NULL when it is on a wrong path. No record behind the first that is elsewhere is looked at. */
static WwInst *on_path(Ibuffer *b, Buffer *w, uint32_t warp, uint32_t k)
{
    if (G_UNLIKELY(w->odd) && k != 0) {
        return NULL;
    }
    for (uint32_t i = 0; i <= k; i++) {
        if (!look_ahead(b, w, warp, i + 1) ||
            w->record[i]->s->pc != w->base + (uint64_t)i * WW_CODE_BYTES) {
            return NULL;
        }
    }
    return w->record[k];
}

/* Is record @p i, which is of entry @p i if that one is on the path, decoded? */
static bool decoded_record(const Buffer *w, uint32_t i)
{
    return i < w->n && (w->valid >> i & 1u) != 0 && !(w->odd && i != 0) &&
           w->record[i]->s->pc == entry_pc(w, i);
}

/* Has all of the trace been decoded? */
static bool exhausted(const Ibuffer *b, const Buffer *w, uint32_t warp)
{
    if (b->hardware->warp[warp].cursor != b->hardware->warp[warp].n_trace) {
        return false;
    }
    for (uint32_t i = 0; i < w->records; i++) {
        if (!decoded_record(w, i)) {
            return false;
        }
    }
    return true;
}

/* ---- uniform loads ------------------------------------------------------------------------------------------------------- */

/*
 * A ULDC has its constant operand looked up only if its record of the trace was decoded before, on a wrong path: what the released
 * simulator does, which marks a record when it is decoded first, and the mark goes with the copy that was dropped.
 */
static bool is_uldc(const char *opcode)
{
    static const char name[] = "ULDC";
    for (uint32_t i = 0; name[i] != '\0'; i++) {
        if (opcode[i] != name[i]) {
            return false;
        }
    }
    return true;
}

static void remember_early(const Ibuffer *b, Buffer *w, uint32_t warp, uint64_t pc)
{
    const WwKernel *kernel = b->hardware->warp[warp].kernel;
    const WwCodeInst *code =
        kernel != NULL && kernel->code != NULL ? ww_code_at(kernel->code, pc) : NULL;
    uint32_t place = (uint32_t)(pc / WW_CODE_BYTES);
    if (code == NULL || !is_uldc(code->opcode)) {
        return;
    }
    for (uint32_t i = 0; i < w->n_early; i++) {
        if (w->early[i] == place) {
            return;
        }
    }
    if (w->n_early < MAX_AHEAD) {
        w->early[w->n_early++] = place;
    } else {
        w->early[w->oldest_early++ % MAX_AHEAD] = place;
    }
}

static bool take_early(Buffer *w, uint64_t pc)
{
    for (uint32_t i = 0; i < w->n_early; i++) {
        if (w->early[i] == (uint32_t)(pc / WW_CODE_BYTES)) {
            w->early[i] = w->early[--w->n_early];
            return true;
        }
    }
    return false;
}

/* Is the constant operand of @p inst, which is decoded, looked up when it issues? */
static bool looks_up(const Ibuffer *b, Buffer *w, const WwInst *inst)
{
    bool looked_up = (inst->timing->flags & WW_TAKES_CONSTANT) != 0 && inst->mask != 0;
    if (looked_up && is_uldc(inst->s->opcode)) {
        bool early = take_early(w, inst->s->pc);
        looked_up = b->uldc == ULDC_ALWAYS || (b->uldc == ULDC_EARLY && early);
    }
    return looked_up;
}

/* ---- masks and notices --------------------------------------------------------------------------------------------------- */

static void show_space(Ibuffer *b, const Buffer *w, uint32_t warp)
{
    bool space = w->n < b->entries && !(b->view.ended >> warp & 1u);
    put_bit(&b->view.space, warp, space);
    if (space) {
        ww_wake(b->fetch[warp]);
    }
}

/* The first entry has changed. */
static void show_head(Ibuffer *b, const Buffer *w, uint32_t warp)
{
    bool valid = (w->valid & 1u) != 0;
    put_bit(&b->view.valid, warp, valid);
    put_bit(&b->view.constant, warp, valid && (w->constant & 1u) != 0);
    WW_WARPS(&b->warps)->show(b->warps.peer, warp, valid ? w->record[0] : NULL);
    if (valid) {
        ww_wake(b->issue[warp]);
    }
}

/* ---- what callers do ----------------------------------------------------------------------------------------------------- */

static const WwIbufferView *ibuffer_view(void *self)
{
    Ibuffer *b = self;
    b->view.entries = b->entries;
    b->view.issuers = ww_provided_count(&b->ibuffer, WW_IBUFFER_ISSUE);
    b->view.fetchers = ww_provided_count(&b->ibuffer, WW_IBUFFER_FETCH);
    return &b->view;
}

static uint64_t ibuffer_request(void *self, uint32_t warp)
{
    Ibuffer *b = self;
    Buffer *w = &b->buffer[warp];
    ww_assert(w->n < b->entries);
    if (!w->begun) {
        if (!look_ahead(b, w, warp, 1)) {
            b->view.ended |= 1ull << warp; /* an empty trace: the fetch stage ends the run */
            show_space(b, w, warp);
            return 0;
        }
        w->base = w->record[0]->s->pc;
        w->begun = true;
        w->odd = b->second_from_0 && w->base != 0;
    }
    b->requests++;
    uint64_t pc = entry_pc(w, w->n++);
    put_bit(&b->view.space, warp, w->n < b->entries);
    return pc;
}

static void ibuffer_refused(void *self, uint32_t warp)
{
    Ibuffer *b = self;
    Buffer *w = &b->buffer[warp];
    ww_assert(w->n != 0 && !(w->valid >> (w->n - 1u) & 1u));
    w->n--;
    b->requests--;
    put_bit(&b->view.space, warp, true);
}

/* Entry @p k is decoded. True: it is valid now. */
static bool decode_entry(Ibuffer *b, Buffer *w, uint32_t warp, uint32_t k)
{
    uint64_t pc = entry_pc(w, k);
    WwInst *inst = on_path(b, w, warp, k);
    if (inst == NULL) {
        if (exhausted(b, w, warp)) {
            return false; /* nothing comes any more: it waits for the end */
        }
        w->valid |= (uint16_t)(1u << k);
        remember_early(b, w, warp, pc);
        b->wrong++;
        WW_LOG(b, &ibuffer_events[LOG_WRONG], warp, pc);
        return true;
    }
    w->valid |= (uint16_t)(1u << k);
    b->decoded++;
    inst->timing = WW_TIMING(&b->timing)->of(b->timing.peer, inst);
    w->constant |= (uint16_t)(looks_up(b, w, inst) ? 1u << k : 0);
    WW_LOG(b, &ibuffer_events[LOG_DECODE], warp, WW_PART(inst));
    WW_WARPS(&b->warps)->flight(b->warps.peer, warp, 1);
    if (k == 0) {
        show_head(b, w, warp);
    }
    return true;
}

static uint32_t ibuffer_decoded(void *self, uint32_t warp, uint64_t pc)
{
    Ibuffer *b = self;
    Buffer *w = &b->buffer[warp];
    uint32_t n = 0;
    bool any = false;
    for (uint32_t k = 0; k < w->n; k++) {
        if (entry_pc(w, k) == pc && (w->valid >> k & 1u) == 0) {
            any = true;
            n += decode_entry(b, w, warp, k);
        }
    }
    b->orphans += !any;
    return n;
}

static const WwInst *ibuffer_head(void *self, uint32_t warp)
{
    const Ibuffer *b = self;
    ww_assert(b->view.valid >> warp & 1u);
    return b->buffer[warp].record[0];
}

static void stamp_order(Ibuffer *b, uint32_t warp, uint32_t issuer)
{
    WwIbufferView *v = &b->view;
    v->before[issuer] = v->last[issuer];
    v->last[issuer] = (uint8_t)warp;
    v->issued[issuer] = ww_now(b);
}

/* The rest of the entries is not what is executed next. */
static void drop_entries(Ibuffer *b, Buffer *w)
{
    b->dropped += w->n;
    w->n = 0;
    w->valid = w->constant = 0;
}

static WwInst *ibuffer_pop(void *self, uint32_t warp, uint32_t issuer)
{
    Ibuffer *b = self;
    Buffer *w = &b->buffer[warp];
    ww_assert(w->valid & 1u);
    WwInst *inst = WW_WARPS(&b->warps)->pop(b->warps.peer, warp);
    w->base += WW_CODE_BYTES;
    w->n--;
    w->valid >>= 1;
    w->constant >>= 1;
    w->records--;
    memmove(&w->record[0], &w->record[1], w->records * sizeof w->record[0]);
    b->view.next[warp] = w->records != 0 ? w->record[0] : NULL;
    if (!look_ahead(b, w, warp, 1)) {
        drop_entries(b, w);
        b->view.ended |= 1ull << warp;
        ww_wake(b->fetch[warp]); /* is the warp at its end, too? */
    } else if (w->record[0]->s->pc != w->base || w->odd) {
        drop_entries(b, w);
        b->redirects++;
        w->base = w->record[0]->s->pc;
    }
    w->odd = false;
    show_head(b, w, warp);
    show_space(b, w, warp);
    stamp_order(b, warp, issuer);
    return inst;
}

static void ibuffer_flush(void *self, uint32_t warp)
{
    Ibuffer *b = self;
    Buffer *w = &b->buffer[warp];
    const WwWarpsIf *warps = WW_WARPS(&b->warps);
    warps->show(b->warps.peer, warp, NULL);
    for (uint32_t i = 0; i < w->records; i++) {
        if (decoded_record(w, i)) {
            warps->flight(b->warps.peer, warp, -1);
        }
        warps->finish(b->warps.peer, w->record[i], WW_END_RECORD);
    }
    b->dropped += w->n;
    *w = (Buffer){0};
    b->view.next[warp] = NULL;
    put_bit(&b->view.valid, warp, false);
    put_bit(&b->view.constant, warp, false);
    put_bit(&b->view.ended, warp, false);
    put_bit(&b->view.space, warp, true);
}

static const WwIbufferIf ibuffer_table = {
    .view = ibuffer_view,
    .request = ibuffer_request,
    .refused = ibuffer_refused,
    .decoded = ibuffer_decoded,
    .head = ibuffer_head,
    .pop = ibuffer_pop,
    .flush = ibuffer_flush,
};

/* ---- the whole ----------------------------------------------------------------------------------------------------------- */

static const WwClient *caller_of(const Ibuffer *b, int32_t rank, uint32_t warp)
{
    uint32_t n = ww_provided_count(&b->ibuffer, rank);
    return n != 0 ? ww_provided_client(&b->ibuffer, rank, warp % n) : NULL;
}

static void ibuffer_reset(void *self)
{
    Ibuffer *b = self;
    memset(b->buffer, 0, sizeof b->buffer);
    b->view = (WwIbufferView){.space = UINT64_MAX};
    ibuffer_view(b);
    b->hardware = WW_WARPS(&b->warps)->view(b->warps.peer);
    b->none = ww_wake_none();
    ww_provided_wakes(&b->ibuffer, WW_IBUFFER_ISSUE, &b->none, b->issue, WW_MAX_WARPS);
    ww_provided_wakes(&b->ibuffer, WW_IBUFFER_FETCH, &b->none, b->fetch, WW_MAX_WARPS);
    for (uint32_t warp = 0; warp < WW_MAX_WARPS; warp++) {
        if (warp < b->hardware->slots && b->view.issuers != 0) {
            uint32_t issuer = warp % b->view.issuers;
            b->view.last[issuer] = b->view.before[issuer] = (uint8_t)warp;
        }
    }
}

static void ibuffer_explain(void *self, WwExplain *explain)
{
    const Ibuffer *b = self;
    for (uint64_t m = b->hardware->live & ~b->view.valid; m != 0; m &= m - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(m);
        const Buffer *w = &b->buffer[warp];
        const WwClient *fetch = caller_of(b, WW_IBUFFER_FETCH, warp);
        ww_explain_unit(explain, (int32_t)warp, -1);
        ww_explain_waits(explain, fetch != NULL ? fetch->who : NULL,
                         "warp %u waits for the instruction at pc %" G_GINT64_MODIFIER
                         "x to be fetched and decoded",
                         warp, w->base);
    }
}

/* ---- descriptor ---------------------------------------------------------------------------------------------------------- */

static const WwParamRow ibuffer_params[] = {
    WW_UINT(Ibuffer, entries, "entries", "3", 1, MAX_ENTRIES,
            "instructions per warp, decoded or being fetched"),
    WW_BOOL(Ibuffer, second_from_0, "true",
            "after a warp's first fetch, fetching continues after pc 0, wherever the first was, as "
            "in the released simulator; false: after the first"),
    WW_CHOICE(Ibuffer, uldc, "early", uldc_names,
              "when a ULDC looks up its constant: `early`: if it was decoded before on a wrong "
              "path, as in the released simulator; always; never"),
    {0},
};

static const WwPortRow ibuffer_ports[] = {
    WW_PORT_PROVIDES(Ibuffer, ibuffer, &ww_contract_ibuffer, &ibuffer_table,
                     "instructions fetched ahead of issue"),
    WW_PORT_REQUIRES(Ibuffer, warps, &ww_contract_warps, 1, NULL,
                     "the trace, and other readers of the next instruction"),
    WW_PORT_REQUIRES(Ibuffer, timing, &ww_contract_timing, 1, NULL, "timing of instructions"),
    {0},
};

static const WwStatRow ibuffer_stats[] = {
    WW_COUNTER(Ibuffer, requests, "instructions", "entries made, i.e. fetches sent"),
    WW_COUNTER(Ibuffer, decoded, "instructions", "entries decoded on the right path"),
    WW_COUNTER(Ibuffer, wrong, "instructions", "entries decoded on a wrong path"),
    WW_COUNTER(Ibuffer, orphans, "instructions", "fetched instructions that had no entry any more"),
    WW_COUNTER(Ibuffer, redirects, "times",
               "times the trace left the fall-through path after an issued instruction"),
    WW_COUNTER(Ibuffer, dropped, "instructions",
               "entries dropped on wrong paths and after the end of a warp"),
    {0},
};

const WwType ibuffer_type = {
    .abi = WW_ABI_VERSION,
    .name = "ibuffer",
    .doc = "instruction buffers that run ahead of the trace along the fall-through path",
    .family = "ibuffer",
    .size = sizeof(Ibuffer),
    .events = ibuffer_events,
    .params = ibuffer_params,
    .ports = ibuffer_ports,
    .stats = ibuffer_stats,
    .reset = ibuffer_reset,
    .explain = ibuffer_explain,
};
