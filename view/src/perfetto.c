/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timeline as Perfetto reads it: kernels; counters; of each SM its CTA slots, its warps with their instructions and what stage these are in,
 * and its requests; and every other part that a request comes through. A request is a flow, from its instruction through these and back.
 */
#include "follow-priv.h"
#include "track-priv.h"

#include <inttypes.h>
#include <math.h>

enum { RANK_KERNELS, RANK_COUNTERS, RANK_SMS, RANK_STATIONS, RANK_STATISTICS };
enum { RANK_CTAS, RANK_REQUESTS = 1000, RANK_PARTS = 1500, RANK_WARPS = 2000 }; /* of an SM */

static const char *const stages[] = {
    [STAGE_CONTROL] = "control", [STAGE_ALLOCATE] = "allocate", [STAGE_READ] = "read",
    [STAGE_ISSUE] = "issue",     [STAGE_COLLECT] = "collect",   [STAGE_DISPATCH] = "dispatch",
    [STAGE_EXECUTE] = "execute", [STAGE_MEMORY] = "memory",     [STAGE_WRITEBACK] = "write-back",
};

/* What an SM has. */
typedef struct SmTracks {
    Track track;
    Rows *requests;
    GPtrArray *warps, *slots; /* Rows, by number */
    GHashTable *parts;        /* name of a sub-core -> Track */
} SmTracks;

typedef struct Open {
    uint64_t id; /* of a kernel, or a CTA's slot */
    uint32_t row;
} Open;

typedef struct Request {
    uint64_t sm, uid; /* the SM's number */
    const char *req;  /* its name there */
    uint64_t flow;
    uint32_t owner; /* index of the SM */
    uint32_t row;   /* of the SM's requests */
    Place *place;   /* where it is; NULL: in its SM */
    uint32_t visit; /* row there */
    uint64_t since; /* nanosecond */
} Request;

enum {
    COUNT_IPC,
    COUNT_INSTRUCTIONS,
    COUNT_CTAS,
    COUNT_REQUESTS,
    COUNT_COLUMNS,
    COUNT_BANDWIDTH,
    N_COUNTS
};

static const struct {
    const char *name, *unit;
} counts[N_COUNTS] = {
    [COUNT_IPC] = {"warp instructions per cycle", "per cycle"},
    [COUNT_INSTRUCTIONS] = {"instructions in flight", ""},
    [COUNT_CTAS] = {"resident CTAs", ""},
    [COUNT_REQUESTS] = {"outstanding requests", ""},
    [COUNT_COLUMNS] = {"DRAM column commands", "per interval"},
    [COUNT_BANDWIDTH] = {"DRAM bandwidth", "GB/s"},
};

typedef struct Counters {
    bool began;
    uint64_t first, start; /* of the first interval, and of this one: core cycles */
    uint64_t issued, columns, bytes;
    Track track
        [N_COUNTS]; /* 0: no value of it was but 0; the events that it counts may be left out */
} Counters;

typedef struct Perfetto {
    WwView *view;
    Follow *follow;
    Tracks *tracks;
    Rows *kernels;
    GHashTable *launched; /* uid -> row + 1 */
    Track sms, stations, counters;
    GPtrArray *sm;      /* SmTracks, by the SM's index */
    GPtrArray *visited; /* Rows of places */
    GHashTable *requests;
    uint64_t resident; /* CTAs */
    uint64_t flows;    /* so far */
    Counters count;
    const Place *core;   /* some part of an SM: its clock is that of cycles */
    Track statistics;    /* 0: there are none */
    GHashTable *counted; /* path, and path, tab, name -> Track */
} Perfetto;

static uint64_t time_at(Perfetto *p, const Place *place, uint64_t cycle)
{
    return (uint64_t)llrint(view_time(p->view, place, cycle));
}

static uint64_t time_of(Perfetto *p, const Event *e)
{
    return time_at(p, e->place, e->cycle);
}

/* ---- tracks of an SM ------------------------------------------------------------------------------------------------ */

static SmTracks *sm_tracks(Perfetto *p, uint32_t index)
{
    if (index >= p->sm->len) {
        g_ptr_array_set_size(p->sm, (gint)index + 1);
    }
    if (p->sm->pdata[index] == NULL) {
        const Sm *sm = p->view->sms->pdata[index];
        g_autofree char *name = g_strdup_printf("SM %" PRIu64, sm->number);
        SmTracks *s = p->sm->pdata[index] = g_new0(SmTracks, 1);
        s->track = tracks_add(p->tracks, p->sms, name, (uint32_t)MIN(sm->number, INT32_MAX));
        s->requests = rows_new(s->track, "requests", RANK_REQUESTS);
        s->warps = g_ptr_array_new_with_free_func((GDestroyNotify)rows_free);
        s->slots = g_ptr_array_new_with_free_func((GDestroyNotify)rows_free);
        s->parts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    }
    return p->sm->pdata[index];
}

static Rows *nth(GPtrArray *all, uint32_t n, Track parent, const char *name, uint32_t rank)
{
    if (n >= all->len) {
        g_ptr_array_set_size(all, (gint)n + 1);
    }
    if (all->pdata[n] == NULL) {
        g_autofree char *title = g_strdup_printf("%s %u", name, n);
        all->pdata[n] = rows_new(parent, title, rank + n);
    }
    return all->pdata[n];
}

/* Where the tracks of the warps stand that @p part of the SM issues; "": in the SM. */
static Track part_track(Perfetto *p, SmTracks *s, const char *part)
{
    if (*part == '\0') {
        return s->track;
    }
    gpointer track = g_hash_table_lookup(s->parts, part);
    if (track == NULL) {
        track = GSIZE_TO_POINTER(tracks_add(p->tracks, s->track, part, RANK_PARTS));
        g_hash_table_insert(s->parts, g_strdup(part), track);
    }
    return GPOINTER_TO_SIZE(track);
}

static Rows *warp_rows(Perfetto *p, const Inst *inst)
{
    SmTracks *s = sm_tracks(p, inst->sm);
    return nth(s->warps, inst->warp, part_track(p, s, inst->part), "warp", RANK_WARPS);
}

/* ---- instructions --------------------------------------------------------------------------------------------------- */

static void begin(void *user, Inst *inst, const Event *e, uint64_t cycle) {}

static Track inst_track(Perfetto *p, const Inst *inst)
{
    return rows_track(warp_rows(p, inst), (uint32_t)inst->id);
}

static void slice_end(Perfetto *p, Track track, uint64_t time)
{
    tracks_event(p->tracks, SLICE_END, track, time, NULL, NULL);
    tracks_put(p->tracks);
}

static void issue(void *user, Inst *inst, const Event *e)
{
    Perfetto *p = user;
    uint64_t now = time_of(p, e);
    inst->id = rows_take(p->tracks, warp_rows(p, inst), now);
    tracks_event(p->tracks, SLICE_BEGIN, inst_track(p, inst), now, "instruction", inst->opcode);
    tracks_number(p->tracks, "cycle", e->cycle);
    tracks_number(p->tracks, "uid", inst->uid);
    for (uint32_t i = 0; i < e->n_fields; i++) {
        const Field *f = &e->field[i];
        if (strcmp(f->key, "uid") != 0 && strcmp(f->key, "sm") != 0) {
            tracks_text(p->tracks, f->key, f->value);
        }
    }
    tracks_put(p->tracks);
    p->count.issued++;
}

static void stage(void *user, Inst *inst, Stage s, uint64_t cycle)
{
    Perfetto *p = user;
    if (inst->uid == 0) {
        return; /* not issued */
    }
    uint64_t now = time_at(p, p->core, cycle);
    Track track = inst_track(p, inst);
    if (inst->drawn != NULL) {
        slice_end(p, track, now);
    }
    inst->drawn = inst;
    tracks_event(p->tracks, SLICE_BEGIN, track, now, "stage", stages[s]);
    tracks_put(p->tracks);
}

static void end(void *user, Inst *inst, uint64_t cycle, bool flushed)
{
    Perfetto *p = user;
    if (inst->uid == 0) {
        return;
    }
    uint64_t now = time_at(p, p->core, cycle);
    Track track = inst_track(p, inst);
    if (inst->drawn != NULL) {
        slice_end(p, track, now);
    }
    slice_end(p, track, now);
    rows_give(warp_rows(p, inst), (uint32_t)inst->id, now);
}

static void leave(void *user, uint32_t sm, uint32_t warp) {}

static const FollowSink sink = {begin, issue, stage, end, leave};

/* ---- requests ------------------------------------------------------------------------------------------------------- */

static guint hash_request(gconstpointer key)
{
    const Request *r = key;
    return g_str_hash(r->req) ^ (guint)(r->sm * 0x85ebca6bu);
}

static gboolean same_request(gconstpointer a, gconstpointer b)
{
    const Request *x = a, *y = b;
    return x->sm == y->sm && x->uid == y->uid && strcmp(x->req, y->req) == 0;
}

static void request_free(gpointer data)
{
    Request *r = data;
    g_free((char *)r->req);
    g_free(r);
}

static Rows *station(Perfetto *p, Place *place)
{
    if (place->drawn == NULL) {
        Track parent = place->sm != VIEW_NOBODY ? sm_tracks(p, place->sm)->track : p->stations;
        place->drawn = rows_new(parent, place->path, place->index);
        g_ptr_array_add(p->visited, place->drawn);
    }
    return place->drawn;
}

/* It is where it was no longer. */
static void visit_end(Perfetto *p, Request *r, uint64_t now)
{
    if (r->place != NULL) {
        Rows *rows = station(p, r->place);
        now = MAX(now, r->since);
        slice_end(p, rows_track(rows, r->visit), now);
        rows_give(rows, r->visit, now);
        r->place = NULL;
    }
}

static void annotate(Perfetto *p, const Event *e)
{
    tracks_number(p->tracks, "cycle", e->cycle);
    for (uint32_t i = 0; i < e->n_fields; i++) {
        tracks_text(p->tracks, e->field[i].key, e->field[i].value);
    }
}

/* The instruction shows when its requests leave and come back: there the arrows begin and end. */
static void mark(Perfetto *p, const Event *e, const Request *r, const char *name, bool last)
{
    const Inst *inst = follow_find(p->follow, r->owner, r->uid);
    if (inst != NULL) {
        tracks_event(p->tracks, SLICE_INSTANT, inst_track(p, inst), time_of(p, e), "request", name);
        tracks_flow(p->tracks, r->flow, last);
        tracks_put(p->tracks);
    }
}

static Request *request_new(Perfetto *p, const Request *key, uint32_t owner)
{
    Request *r = g_memdup2(key, sizeof *key);
    r->req = g_strdup(key->req);
    r->owner = owner;
    r->flow = ++p->flows;
    g_hash_table_add(p->requests, r);
    return r;
}

static void request_begin(Perfetto *p, const Event *e, const Request *key)
{
    if (g_hash_table_size(p->requests) >= VIEW_IN_FLIGHT) {
        view_fail(p->view, "more than %d requests are under way; expected the log of a run",
                  VIEW_IN_FLIGHT);
        return;
    }
    uint64_t now = time_of(p, e);
    const char *type = event_field(e, "type");
    Request *r = request_new(p, key, e->place->sm);
    Rows *rows = sm_tracks(p, e->place->sm)->requests;
    r->row = rows_take(p->tracks, rows, now);
    mark(p, e, r, "request", false);
    tracks_event(p->tracks, SLICE_BEGIN, rows_track(rows, r->row), now, "request",
                 type != NULL ? type : "request");
    annotate(p, e);
    tracks_flow(p->tracks, r->flow, false);
    tracks_put(p->tracks);
}

/* What a cache made for itself is over when its line has come, or where nobody waits for it. */
static bool ends_own(const Event *e)
{
    return strcmp(e->word, "fill") == 0 || strcmp(e->word, "end") == 0 ||
           strcmp(e->word, "drop") == 0;
}

static void request_end(Perfetto *p, const Event *e, Request *r)
{
    uint64_t now = time_of(p, e);
    Rows *rows = sm_tracks(p, r->owner)->requests;
    visit_end(p, r, now);
    mark(p, e, r, "done", true);
    slice_end(p, rows_track(rows, r->row), now);
    rows_give(rows, r->row, now);
    g_hash_table_remove(p->requests, r);
}

/* It is seen at a place: its stay there is a slice, that ends when it is seen elsewhere. */
static void request_at(Perfetto *p, const Event *e, Request *r)
{
    uint64_t now = time_of(p, e);
    Rows *rows = station(p, e->place);
    bool stays = r->place == e->place;
    if (!stays) {
        visit_end(p, r, now);
        r->place = e->place;
        r->since = now;
        r->visit = rows_take(p->tracks, rows, now);
    }
    tracks_event(p->tracks, stays ? SLICE_INSTANT : SLICE_BEGIN, rows_track(rows, r->visit),
                 MAX(now, r->since), "station", e->word);
    annotate(p, e);
    if (!stays) {
        tracks_flow(p->tracks, r->flow, false);
    }
    tracks_put(p->tracks);
}

/* @p e may be of a request. */
static void follow_request(Perfetto *p, const Event *e)
{
    Request key = {.sm = UINT64_MAX};
    const Sm *sm = view_sm(p->view, e->place);
    key.req = event_field(e, "req");
    if (key.req == NULL) {
        return;
    }
    if (!event_number(p->view, e, "sm", &key.sm) && sm != NULL) {
        key.sm = sm->number;
    }
    event_number(p->view, e, "uid", &key.uid);
    Request *r = g_hash_table_lookup(p->requests, &key);
    bool named = !g_ascii_isdigit(*key.req); /* a cache made it */
    bool own = named || key.uid == 0;        /* no instruction did */
    if (r == NULL && e->kind == KIND_REQUEST && sm != NULL) {
        request_begin(p, e, &key);
    } else if (r == NULL && own && g_hash_table_size(p->requests) < VIEW_IN_FLIGHT / 2) {
        request_at(p, e, request_new(p, &key, VIEW_NOBODY));
    } else if (r == NULL) {
        p->view->lack[LACK_ISSUE] += !own;
    } else if (e->kind == KIND_DONE && sm != NULL && r->owner != VIEW_NOBODY) {
        request_end(p, e, r);
    } else {
        request_at(p, e, r);
        if ((named || r->owner == VIEW_NOBODY) && (ends_own(e) || e->kind == KIND_DONE)) {
            visit_end(p, r, time_of(p, e));
            g_hash_table_remove(p->requests, r);
        }
    }
}

/* ---- kernels and CTAs ----------------------------------------------------------------------------------------------- */

static const char *word_of(const Event *e, uint32_t n)
{
    return n < e->n_words ? e->word_at[n] : "";
}

static void kernel(Perfetto *p, const Event *e)
{
    uint64_t uid = 0, now = time_of(p, e), ready;
    if (!event_number(p->view, e, "kernel", &uid)) {
        event_number(p->view, e, "uid", &uid); /* as logs had it before */
    }
    gpointer key = (gpointer)(uintptr_t)uid;
    uintptr_t row = (uintptr_t)g_hash_table_lookup(p->launched, key);
    if (strcmp(e->first, "launch") == 0 && row == 0 &&
        g_hash_table_size(p->launched) < VIEW_NAMES) {
        row = rows_take(p->tracks, p->kernels, now);
        g_hash_table_insert(p->launched, key, (gpointer)(row + 1));
        Track track = rows_track(p->kernels, (uint32_t)row);
        const char *name = event_field(e, "name");
        name = name != NULL ? name : word_of(e, 1);
        tracks_event(p->tracks, SLICE_BEGIN, track, now, "kernel", *name != '\0' ? name : "kernel");
        annotate(p, e);
        tracks_put(p->tracks);
        if (event_number(p->view, e, "ready", &ready) && ready > e->cycle) {
            tracks_event(p->tracks, SLICE_BEGIN, track, now, "launch", "launch latency");
            tracks_put(p->tracks);
            slice_end(p, track, time_at(p, e->place, ready));
        }
    } else if (row != 0 && strcmp(e->first, "finish") == 0) {
        slice_end(p, rows_track(p->kernels, (uint32_t)row - 1), now);
        rows_give(p->kernels, (uint32_t)row - 1, now);
        g_hash_table_remove(p->launched, key);
    }
}

static void cta(Perfetto *p, const Event *e)
{
    uint64_t slot, n = 0, now = time_of(p, e);
    if (e->place->sm == VIEW_NOBODY || !event_number(p->view, e, "slot", &slot)) {
        return;
    }
    if (slot >= VIEW_WARPS) {
        view_fail(p->view, "slot=%" PRIu64 "; expected a CTA slot below %d", slot, VIEW_WARPS);
        return;
    }
    SmTracks *s = sm_tracks(p, e->place->sm);
    Rows *rows = nth(s->slots, (uint32_t)slot, s->track, "CTA slot", RANK_CTAS);
    bool taken = rows->row->len != 0 && g_array_index(rows->row, Row, 0).free == UINT64_MAX;
    if (strcmp(e->first, "place") == 0 && !taken) {
        event_number(p->view, e, "cta", &n);
        g_autofree char *name = g_strdup_printf("CTA %" PRIu64, n);
        uint32_t row = rows_take(p->tracks, rows, now);
        tracks_event(p->tracks, SLICE_BEGIN, rows_track(rows, row), now, "cta", name);
        annotate(p, e);
        tracks_put(p->tracks);
        p->resident++;
    } else if (strcmp(e->first, "complete") == 0 && taken) {
        slice_end(p, rows_track(rows, 0), now);
        rows_give(rows, 0, now);
        p->resident--;
    }
}

/* ---- counters ------------------------------------------------------------------------------------------------------- */

static void write_counter(Perfetto *p, uint32_t i, uint64_t now, double value)
{
    Track *track = &p->count.track[i];
    if (*track == 0 && value > 0) {
        uint64_t first = time_at(p, p->core, p->count.first);
        *track = tracks_add_counter(p->tracks, p->counters, counts[i].name, counts[i].unit, i);
        if (first < now) {
            tracks_value(p->tracks, *track, first, 0);
        }
    }
    if (*track != 0) {
        tracks_value(p->tracks, *track, now, value);
    }
}

static void write_counters(Perfetto *p)
{
    Counters *c = &p->count;
    uint64_t every = p->view->spec.every, now = time_at(p, p->core, c->start);
    uint64_t ns = MAX(time_at(p, p->core, c->start + every) - now, 1);
    write_counter(p, COUNT_IPC, now, (double)c->issued / (double)every);
    write_counter(p, COUNT_INSTRUCTIONS, now, follow_in_flight(p->follow));
    write_counter(p, COUNT_CTAS, now, (double)p->resident);
    write_counter(p, COUNT_REQUESTS, now, g_hash_table_size(p->requests));
    write_counter(p, COUNT_COLUMNS, now, (double)c->columns);
    write_counter(p, COUNT_BANDWIDTH, now, (double)c->bytes / (double)ns);
    c->issued = c->columns = c->bytes = 0;
}

/* Intervals that are over. In a long one without events nothing changes but once. */
static void count_to(Perfetto *p, uint64_t cycle)
{
    Counters *c = &p->count;
    uint64_t every = p->view->spec.every, now = cycle - cycle % every;
    if (!c->began) {
        c->began = true;
        c->first = c->start = now;
    }
    if (now <= c->start) { /* an edge of another clock may be a cycle ahead */
        return;
    }
    write_counters(p);
    c->start += every;
    if (now != c->start) {
        write_counters(p);
        c->start = now;
    }
}

static void count(Perfetto *p, const Event *e)
{
    uint64_t bytes = 0;
    if (e->place->sm != VIEW_NOBODY) {
        p->core = e->place;
        count_to(p, e->cycle);
        return;
    }
    bool column = e->kind == KIND_COLUMN,
         data = strcmp(e->word, "return") == 0 || strcmp(e->word, "end") == 0;
    if (p->count.began && (column || data)) { /* SMs may have nothing to say meanwhile */
        count_to(p, view_core_cycle(p->view, e));
    }
    p->count.columns += column;
    if (data && event_number(p->view, e, "size", &bytes)) { /* read, or written */
        p->count.bytes += bytes;
    }
}

/* ---- statistics over time ------------------------------------------------------------------------------------------- */

/* The track that is found by @p key, made when it is asked for. @p counter: of values. */
static Track counted_track(Perfetto *p, const char *key, Track parent, const char *name,
                           bool counter)
{
    gpointer track = g_hash_table_lookup(p->counted, key);
    if (track == NULL) {
        uint32_t rank = g_hash_table_size(p->counted);
        Track made = counter ? tracks_add_counter(p->tracks, parent, name, "", rank)
                             : tracks_add(p->tracks, parent, name, rank);
        track = GSIZE_TO_POINTER(made);
        g_hash_table_insert(p->counted, g_strdup(key), track);
    }
    return GPOINTER_TO_SIZE(track);
}

/* What was counted in an interval stands at its begin, and holds up to the next. */
static void interval(Perfetto *p, const Event *e)
{
    const Counted *c = &e->counted;
    if (p->statistics == 0) {
        p->statistics = tracks_add(p->tracks, 0, "statistics", RANK_STATISTICS);
    }
    const char *path = e->place->path;
    g_autofree char *key = g_strdup_printf("%s\t%s", path, c->name);
    Track of = counted_track(p, path, p->statistics, path, false);
    Track track = counted_track(p, key, of, c->name, true);
    tracks_value(p->tracks, track, (uint64_t)llrint(view_core_time(p->view, c->since)),
                 (double)c->value);
}

/* ---- the format ----------------------------------------------------------------------------------------------------- */

static void *perfetto_begin(WwView *view)
{
    Perfetto *p = g_new0(Perfetto, 1);
    Tracks *t = tracks_new(view->spec.out);
    p->view = view;
    p->tracks = t;
    p->follow = follow_new(view, &sink, p);
    p->kernels = rows_new(0, "kernels", RANK_KERNELS);
    p->launched = g_hash_table_new(NULL, NULL);
    p->counters = tracks_add(t, 0, "counters", RANK_COUNTERS);
    p->sms = tracks_add(t, 0, "SMs", RANK_SMS);
    p->stations = tracks_add(t, 0, "memory system", RANK_STATIONS);
    p->sm = g_ptr_array_new();
    p->visited = g_ptr_array_new_with_free_func((GDestroyNotify)rows_free);
    p->counted = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    p->requests = g_hash_table_new_full(hash_request, same_request, request_free, NULL);
    return p;
}

static void perfetto_event(void *self, const Event *e)
{
    Perfetto *p = self;
    if (e->kind == KIND_INTERVAL) {
        interval(p, e);
        return;
    }
    count(p, e);
    if (e->kind == KIND_KERNEL) {
        kernel(p, e);
    } else if (e->kind == KIND_CTA) {
        cta(p, e);
    } else if (e->kind == KIND_PUT || e->kind == KIND_TAKE) {
        return;
    } else {
        if (e->kind == KIND_DONE) { /* may end the instruction that shows it */
            follow_request(p, e);
        }
        follow_event(p->follow, e);
        if (e->kind != KIND_DONE) {
            follow_request(p, e);
        }
    }
}

static void perfetto_end(void *self)
{
    Perfetto *p = self;
    const Track *track = p->count.track;
    if (p->count.began) {
        write_counters(p);
    }
    p->view->lack[LACK_DATA] += track[COUNT_COLUMNS] != 0 && track[COUNT_BANDWIDTH] == 0;
}

static void sm_tracks_free(SmTracks *s)
{
    if (s != NULL) {
        rows_free(s->requests);
        g_ptr_array_unref(s->warps);
        g_ptr_array_unref(s->slots);
        g_hash_table_unref(s->parts);
        g_free(s);
    }
}

static void perfetto_free(void *self)
{
    Perfetto *p = self;
    follow_free(p->follow);
    tracks_free(p->tracks);
    rows_free(p->kernels);
    for (guint i = 0; i < p->sm->len; i++) {
        sm_tracks_free(p->sm->pdata[i]);
    }
    g_ptr_array_unref(p->sm);
    g_ptr_array_unref(p->visited);
    g_hash_table_unref(p->launched);
    g_hash_table_unref(p->requests);
    g_hash_table_unref(p->counted);
    g_free(p);
}

const Drawer view_perfetto = {perfetto_begin, perfetto_event, perfetto_end, perfetto_free};
