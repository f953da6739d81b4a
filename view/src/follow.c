/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows instructions through the events of their SM. Before its issue an instruction is known by its warp and its place in the i-buffer, where its
 * decoding says no uid. It is over when its result is written; one without a result, when all its requests are done, or when it has passed the
 * load/store unit; what is left, when its warp leaves. A store of a modern SM retires when its requests have left, and its warp may leave before they are done.
 */
#include "follow-priv.h"

#include <inttypes.h>

enum {
    BUFFERED = 16
}; /* instructions of a warp that are decoded and not issued; hardware has two */

enum { ASKED = 8 }; /* fetches of a warp that are looked back at */

enum { RETIRED = 1 << 16 }; /* so many wait for their answers, which may be left out of the log */

typedef struct Asked {
    uint64_t pc, cycle;
} Asked;

typedef struct Warp {
    uint64_t fetch_pc, fetched; /* the last group that went to the decoder */
    Asked asked[ASKED];         /* single instructions that were asked for, in a modern SM */
    uint32_t n_asked;           /* so far */
    bool has_fetch;
    uint32_t n_buffered;
    Inst *buffer[BUFFERED]; /* oldest first */
    Inst *flying;           /* issued */
} Warp;

struct Follow {
    WwView *view;
    const FollowSink *sink;
    void *user;
    GHashTable *flying; /* Inst, by its uid and SM */
    uint32_t n_retired; /* of them */
};

static guint hash_inst(gconstpointer p)
{
    const Inst *i = p;
    return (guint)(i->uid * 0x9e3779b1u) ^ i->sm << 20;
}

static gboolean same_inst(gconstpointer a, gconstpointer b)
{
    const Inst *x = a, *y = b;
    return x->uid == y->uid && x->sm == y->sm;
}

Follow *follow_new(WwView *view, const FollowSink *sink, void *user)
{
    Follow *f = g_new0(Follow, 1);
    f->view = view;
    f->sink = sink;
    f->user = user;
    f->flying = g_hash_table_new(hash_inst, same_inst);
    return f;
}

Inst *follow_find(Follow *f, uint32_t sm, uint64_t uid)
{
    Inst key = {.sm = sm, .uid = uid};
    return g_hash_table_lookup(f->flying, &key);
}

uint32_t follow_in_flight(const Follow *f)
{
    return g_hash_table_size(f->flying);
}

/* ---- warps ------------------------------------------------------------------------------------------------------- */

static Warp *warp_of(Follow *f, const Event *e)
{
    Sm *sm = view_sm(f->view, e->place);
    if (e->unit < 0 || e->unit >= VIEW_WARPS) {
        view_fail(f->view, "event '%s' is of warp %" PRId64 "; expected 0 to %d", e->word, e->unit,
                  VIEW_WARPS - 1);
        return NULL;
    }
    guint n = (guint)e->unit;
    if (n >= sm->warps->len) {
        g_ptr_array_set_size(sm->warps, (gint)n + 1);
    }
    if (sm->warps->pdata[n] == NULL) {
        sm->warps->pdata[n] = g_new0(Warp, 1);
    }
    return sm->warps->pdata[n];
}

static void stage(Follow *f, Inst *inst, Stage s, uint64_t cycle)
{
    inst->stage = s;
    inst->has_stage = true;
    f->sink->stage(f->user, inst, s, cycle);
}

static void unlink_flying(Follow *f, Inst *inst)
{
    g_hash_table_remove(f->flying, inst);
    f->n_retired -= inst->retired;
    *inst->link = inst->next;
    if (inst->next != NULL) {
        inst->next->link = inst->link;
    }
}

static void finish(Follow *f, Inst *inst, uint64_t cycle)
{
    f->sink->end(f->user, inst, cycle, false);
    unlink_flying(f, inst);
    g_free(inst);
}

/* Drops the oldest @p n of the i-buffer. */
static void drop(Follow *f, Warp *w, uint32_t n, uint64_t cycle)
{
    for (uint32_t i = 0; i < n; i++) {
        f->sink->end(f->user, w->buffer[i], cycle, true);
        g_free(w->buffer[i]);
    }
    w->n_buffered -= n;
    memmove(w->buffer, w->buffer + n, w->n_buffered * sizeof *w->buffer);
}

/* ---- before the issue -------------------------------------------------------------------------------------------- */

static Inst *inst_new(const Event *e, uint64_t pc, const char *opcode)
{
    Inst *inst = g_new0(Inst, 1);
    inst->sm = e->place->sm;
    inst->warp = (uint32_t)e->unit;
    inst->pc = pc;
    g_strlcpy(inst->opcode, *opcode != '\0' ? opcode : "?", sizeof inst->opcode);
    return inst;
}

static void fetch(Follow *f, Warp *w, const Event *e)
{
    w->has_fetch = event_hex(f->view, e, "pc", &w->fetch_pc);
    w->fetched = e->cycle;
}

static void ask(Follow *f, Warp *w, const Event *e)
{
    Asked *a = &w->asked[w->n_asked++ % ASKED];
    if (event_hex(f->view, e, "pc", &a->pc)) {
        a->cycle = e->cycle;
    }
}

/* When what is at @p pc was fetched, if that is near enough to be drawn. */
static uint64_t fetched_at(const Warp *w, uint64_t pc, uint64_t now)
{
    for (uint32_t i = 0; i < MIN(w->n_asked, ASKED); i++) {
        const Asked *a = &w->asked[(w->n_asked - 1 - i) % ASKED];
        if (a->pc == pc) {
            return now - a->cycle < FOLLOW_BACK ? a->cycle : now - FOLLOW_BACK + 1;
        }
    }
    return w->has_fetch && now - w->fetched < FOLLOW_BACK ? w->fetched : now;
}

static void decode(Follow *f, Warp *w, const Event *e)
{
    uint64_t pc = 0;
    event_hex(f->view, e, "pc", &pc);
    if (w->n_buffered == BUFFERED) {
        drop(f, w, 1, e->cycle);
    }
    Inst *inst = w->buffer[w->n_buffered++] = inst_new(e, pc, e->first);
    event_number(f->view, e, "uid", &inst->name);
    inst->fetched = fetched_at(w, pc, e->cycle);
    f->sink->begin(f->user, inst, e, inst->fetched);
    if (inst->fetched != e->cycle) {
        stage(f, inst, STAGE_FETCH, inst->fetched);
    }
    stage(f, inst, STAGE_DECODE, e->cycle);
    stage(f, inst, STAGE_BUFFER, e->cycle + 1);
}

/* The buffered one that issues; what stood before it has been dropped. */
static Inst *take(Follow *f, Warp *w, uint64_t pc, uint64_t uid, uint64_t cycle)
{
    for (uint32_t i = 0; i < w->n_buffered; i++) {
        const Inst *b = w->buffer[i];
        if (b->name != 0 ? b->name == uid : b->pc == pc) {
            drop(f, w, i, cycle);
            Inst *inst = w->buffer[0];
            w->n_buffered--;
            memmove(w->buffer, w->buffer + 1, w->n_buffered * sizeof *w->buffer);
            return inst;
        }
    }
    return NULL;
}

/* The part of its SM that the path of @p e names besides the component. */
static void set_part(const Follow *f, Inst *inst, const Event *e)
{
    size_t n = strlen(view_sm(f->view, e->place)->prefix);
    const char *path = e->place->path, *last = strrchr(path, '.');
    if (last != NULL && (size_t)(last - path) > n) {
        g_strlcpy(inst->part, path + n, MIN((size_t)(last - path) - n + 1, sizeof inst->part));
    }
}

static void issue(Follow *f, Warp *w, const Event *e)
{
    uint64_t pc = 0, uid;
    event_hex(f->view, e, "pc", &pc);
    if (!event_number(f->view, e, "uid", &uid)) {
        f->view->lack[LACK_UID]++;
        return;
    }
    if (follow_find(f, e->place->sm, uid) != NULL) {
        view_fail(f->view,
                  "uid=%" PRIu64 " issues twice in one SM; expected another uid for each "
                  "instruction",
                  uid);
        return;
    }
    if (g_hash_table_size(f->flying) >= VIEW_IN_FLIGHT) {
        view_fail(f->view,
                  "more than %d instructions have issued and not ended; expected the log "
                  "of a run",
                  VIEW_IN_FLIGHT);
        return;
    }
    Inst *inst = take(f, w, pc, uid, e->cycle);
    if (inst == NULL) {
        inst = inst_new(e, pc, e->first);
        inst->fetched = e->cycle;
        f->sink->begin(f->user, inst, e, e->cycle);
    }
    inst->result = event_field(e, "dst") != NULL;
    inst->uid = uid;
    inst->issued = e->cycle;
    set_part(f, inst, e);
    inst->next = w->flying;
    inst->link = &w->flying;
    if (w->flying != NULL) {
        w->flying->link = &inst->next;
    }
    w->flying = inst;
    g_hash_table_add(f->flying, inst);
    f->sink->issue(f->user, inst, e);
    stage(f, inst, STAGE_ISSUE, e->cycle);
}

static void leave(Follow *f, Warp *w, const Event *e)
{
    drop(f, w, w->n_buffered, e->cycle);
    for (Inst *inst = w->flying, *next; inst != NULL; inst = next) {
        next = inst->next;
        if (inst->memory && inst->answers >= inst->requests) {
            finish(f, inst, e->cycle);
        }
    }
    w->has_fetch = false;
    f->sink->leave(f->user, e->place->sm, (uint32_t)e->unit);
}

/* ---- from the issue on: the uid says which one, whatever warp a damaged log says --------------------------------- */

static Inst *find(Follow *f, const Event *e)
{
    uint64_t uid;
    if (!event_number(f->view, e, "uid", &uid)) {
        f->view->lack[LACK_UID]++;
        return NULL;
    }
    Inst *inst = follow_find(f, e->place->sm, uid);
    /* an asynchronous copy is over with its last request, and is in shared memory later */
    f->view->lack[LACK_ISSUE] += inst == NULL && strcmp(e->first, "shared") != 0;
    return inst;
}

/* @p cycle, or the first one that can still be drawn. */
static uint64_t back(uint64_t cycle, uint64_t now)
{
    return now - MIN(cycle, now) < FOLLOW_BACK ? MIN(cycle, now) : now - FOLLOW_BACK + 1;
}

/* The load/store unit has it: will there be requests, and a result? */
static void execute(Follow *f, const Event *e, Inst *inst)
{
    uint64_t cycles = 1, latency;
    if (inst->controlled != 0) {
        if (inst->stage == STAGE_CONTROL && e->cycle > inst->controlled + 1) {
            stage(f, inst, STAGE_DISPATCH, back(inst->controlled + 1, e->cycle));
        }
        if (event_number(f->view, e, "latency", &latency) && latency < VIEW_CYCLES) {
            inst->through = e->cycle + latency;
        }
        if (inst->stage == STAGE_EXECUTE) {
            return; /* first in the sub-core's part of the unit, then in the SM's */
        }
    }
    stage(f, inst, STAGE_EXECUTE, e->cycle);
    if (!event_number(f->view, e, "accesses", &inst->accesses)) {
        return;
    }
    inst->memory = true;
    event_number(f->view, e, "cycles", &cycles);
    if (inst->controlled == 0 && !inst->result && inst->accesses == 0) {
        finish(f, inst, e->cycle + CLAMP(cycles, 1, FOLLOW_BACK));
    }
}

/* In a modern SM what a load/store unit has written retires later. */
static void write_back(Follow *f, const Event *e, Inst *inst)
{
    bool waited = inst->through != 0 && inst->stage == STAGE_EXECUTE;
    if (inst->stage != STAGE_WRITEBACK) {
        stage(f, inst, STAGE_WRITEBACK, waited ? back(inst->through, e->cycle) : e->cycle);
    }
    if (e->kind == KIND_RETIRE || inst->controlled == 0) {
        finish(f, inst, e->cycle + 1);
    }
}

/* It is over, unless it is a store whose answers are to come. */
static void retire(Follow *f, const Event *e, Inst *inst)
{
    if (inst->result || inst->answers >= inst->requests || f->n_retired >= RETIRED) {
        write_back(f, e, inst);
    } else if (!inst->retired) {
        inst->retired = true;
        f->n_retired++;
    }
}

/* A request has left, or was answered. */
static void follow_request(Follow *f, const Event *e, Inst *inst)
{
    if (e->kind == KIND_REQUEST) {
        inst->requests++;
        if (inst->stage != STAGE_MEMORY) {
            stage(f, inst, STAGE_MEMORY, e->cycle);
        }
        return;
    }
    inst->answers++;
    bool over = inst->controlled == 0 && !inst->result &&
                inst->answers == MAX(inst->requests, inst->accesses);
    if (over || (inst->retired && inst->answers >= inst->requests)) {
        finish(f, inst, e->cycle);
    }
}

static void follow_issued(Follow *f, const Event *e)
{
    Inst *inst = find(f, e);
    if (inst == NULL) {
        return;
    }
    switch (e->kind) {
    case KIND_CONTROL:
        inst->controlled = e->cycle;
        stage(f, inst, STAGE_CONTROL, e->cycle);
        break;
    case KIND_ALLOCATE:
        stage(f, inst, STAGE_ALLOCATE, e->cycle);
        stage(f, inst, STAGE_READ, e->cycle + 1);
        break;
    case KIND_COLLECT:
        stage(f, inst, STAGE_COLLECT, e->cycle);
        break;
    case KIND_DISPATCH:
        stage(f, inst, STAGE_DISPATCH, e->cycle);
        break;
    case KIND_EXEC:
        execute(f, e, inst);
        break;
    case KIND_WRITEBACK:
        write_back(f, e, inst);
        break;
    case KIND_RETIRE:
        retire(f, e, inst);
        break;
    default:
        follow_request(f, e, inst);
        break;
    }
}

bool follow_event(Follow *f, const Event *e)
{
    if (e->place->sm == VIEW_NOBODY || e->kind > KIND_FLUSH || e->unit < 0) {
        return false;
    }
    if (e->kind == KIND_DONE && e->n_fields == 1) {
        return false; /* a fetch of a modern SM is there */
    }
    Warp *w = warp_of(f, e);
    if (w == NULL) {
        return true;
    }
    if (e->kind == KIND_REQUEST && event_field(e, "pc") != NULL) {
        ask(f, w, e);
        return true;
    }
    switch (e->kind) {
    case KIND_FETCH:
        fetch(f, w, e);
        break;
    case KIND_DECODE:
        decode(f, w, e);
        break;
    case KIND_ISSUE:
        issue(f, w, e);
        break;
    case KIND_FLUSH:
        drop(f, w, w->n_buffered, e->cycle);
        break;
    case KIND_VACATE:
        leave(f, w, e);
        break;
    case KIND_RETIRE: /* of an instruction, in a modern SM; else of a warp */
        if (event_field(e, "uid") != NULL) {
            follow_issued(f, e);
        } else {
            leave(f, w, e);
        }
        break;
    default:
        follow_issued(f, e);
        break;
    }
    return true;
}

void follow_free(Follow *f)
{
    GHashTableIter it;
    gpointer inst;
    g_hash_table_iter_init(&it, f->flying);
    while (g_hash_table_iter_next(&it, &inst, NULL)) {
        g_free(inst);
    }
    for (guint i = 0; i < f->view->sms->len; i++) {
        GPtrArray *warps = ((Sm *)f->view->sms->pdata[i])->warps;
        for (guint k = 0; k < warps->len; k++) {
            Warp *w = warps->pdata[k];
            for (uint32_t n = 0; w != NULL && n < w->n_buffered; n++) {
                g_free(w->buffer[n]);
            }
            g_free(w);
        }
    }
    g_hash_table_unref(f->flying);
    g_free(f);
}
