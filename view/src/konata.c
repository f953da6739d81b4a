/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pipeline as Konata reads it, version 4 of its format ("Kanata"): a text of commands, a cycle's after the other, that cannot go back. A
 * group is fetched before it is known which instructions it has, so commands wait some cycles in a ring.
 *
 * I id uid thread: an instruction; the thread is 1000 times the SM and the warp. L id 0|1 text: what stands at its left, and what the mouse
 * shows. S, E id lane stage. R id n 0|1: over, or dropped. W consumer producer 0: an arrow, from the end of the producer's last stage with an X in its
 * name to the begin of the consumer's.
 */
#include "follow-priv.h"

#include <inttypes.h>

enum { RING = 256, REGISTERS = 256, THREADS = 1000 };

static const char *const names[] = {
    [STAGE_FETCH] = "F",     [STAGE_DECODE] = "Dc", [STAGE_BUFFER] = "Ib", [STAGE_CONTROL] = "Co",
    [STAGE_ALLOCATE] = "Al", [STAGE_READ] = "Rd",   [STAGE_ISSUE] = "Is",  [STAGE_COLLECT] = "Oc",
    [STAGE_DISPATCH] = "Dp", [STAGE_EXECUTE] = "X", [STAGE_MEMORY] = "MX", [STAGE_WRITEBACK] = "Wb",
};

/* Who wrote each register of a warp last. */
typedef struct Writers {
    uint64_t id[REGISTERS]; /* 1 + id; 0: nobody in the file */
} Writers;

typedef struct Konata {
    WwView *view;
    Follow *follow;
    GString *ring[RING]; /* commands of cycles base to base + RING - 1 */
    uint64_t base;
    bool began;       /* the head is written */
    uint64_t written; /* cycle of the last command that was */
    uint64_t ids, retired;
    GHashTable *writers; /* (sm, warp) -> Writers */
} Konata;

/* ---- commands in their order ------------------------------------------------------------------------------------- */

static void write_cycle(Konata *k, uint64_t cycle, GString *commands)
{
    FILE *out = k->view->spec.out;
    if (commands->len == 0) {
        return;
    }
    if (!k->began) {
        fprintf(out, "Kanata\t0004\nC=\t%" PRIu64 "\n", cycle);
        k->began = true;
    } else if (cycle != k->written) {
        fprintf(out, "C\t%" PRIu64 "\n", cycle - k->written);
    }
    k->written = cycle;
    fwrite(commands->str, 1, commands->len, out);
    g_string_truncate(commands, 0);
}

/* Nothing will be said of a cycle before @p cycle any more. */
static void move_on(Konata *k, uint64_t cycle)
{
    uint64_t steps = cycle > k->base ? MIN(cycle - k->base, RING) : 0;
    for (uint64_t i = 0; i < steps; i++) {
        write_cycle(k, k->base + i, k->ring[(k->base + i) % RING]);
    }
    k->base = MAX(k->base, cycle);
}

static GString *at(Konata *k, uint64_t cycle)
{
    cycle = CLAMP(cycle, k->base, k->base + RING - 1);
    return k->ring[cycle % RING];
}

static void look_at_time(Konata *k, uint64_t now)
{
    move_on(k, now >= FOLLOW_BACK ? now - FOLLOW_BACK : 0);
}

/* ---- instructions ------------------------------------------------------------------------------------------------ */

/* The text of a label: no tab, and a line break is written as Konata wants it. */
static void label(GString *to, uint64_t id, int type, const char *text)
{
    g_string_append_printf(to, "L\t%" PRIu64 "\t%d\t%s\n", id, type, text);
}

static void begin(void *user, Inst *inst, const Event *e, uint64_t cycle)
{
    Konata *k = user;
    const Sm *sm = view_sm(k->view, e->place);
    GString *to = at(k, cycle);
    inst->id = k->ids++;
    uint64_t uid = 0;
    event_number(k->view, e, "uid", &uid);
    g_string_append_printf(to, "I\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", inst->id,
                           uid != 0 ? uid : inst->id, sm->number * THREADS + inst->warp);
    g_autofree char *text = g_strdup_printf("%" PRIu64 "/%u %04" PRIx64 ": %s", sm->number,
                                            inst->warp, inst->pc, inst->opcode);
    label(to, inst->id, 0, text);
}

static guint hash_warp(gconstpointer p)
{
    uint64_t key = *(const uint64_t *)p;
    return (guint)(key * 0x9e3779b1u);
}

static gboolean same_warp(gconstpointer a, gconstpointer b)
{
    return *(const uint64_t *)a == *(const uint64_t *)b;
}

static Writers *writers_of(Konata *k, uint32_t sm, uint32_t warp)
{
    uint64_t key = (uint64_t)sm << 32 | warp;
    Writers *w = g_hash_table_lookup(k->writers, &key);
    if (w == NULL) {
        w = g_new0(Writers, 1);
        g_hash_table_insert(k->writers, g_memdup2(&key, sizeof key), w);
    }
    return w;
}

/* Register numbers of a list "R2,R4"; 255 reads as zero and has no writer. */
static bool next_register(const char **list, uint32_t *number)
{
    while (**list != '\0') {
        const char *word = *list;
        size_t n = strcspn(word, ",");
        *list = word + n + (word[n] != '\0');
        uint64_t value = *word == 'R' && g_ascii_isdigit(word[1])
                             ? g_ascii_strtoull(word + 1, NULL, 10)
                             : REGISTERS;
        if (value < REGISTERS - 1) {
            *number = (uint32_t)value;
            return true;
        }
    }
    return false;
}

static void depend(Konata *k, const Inst *inst, const Event *e, GString *to)
{
    const char *src = event_field(e, "src"), *dst = event_field(e, "dst");
    uint32_t reg;
    if (src == NULL && dst == NULL) {
        return;
    }
    Writers *w = writers_of(k, inst->sm, inst->warp);
    uint64_t told[8], n = 0; /* one arrow for each producer */
    while (src != NULL && next_register(&src, &reg)) {
        uint64_t id = w->id[reg];
        bool again = id == 0 || n == G_N_ELEMENTS(told);
        for (uint64_t i = 0; i < n && !again; i++) {
            again = told[i] == id;
        }
        if (!again) {
            told[n++] = id;
            g_string_append_printf(to, "W\t%" PRIu64 "\t%" PRIu64 "\t0\n", inst->id, id - 1);
        }
    }
    while (dst != NULL && next_register(&dst, &reg)) {
        w->id[reg] = inst->id + 1;
    }
}

static void issue(void *user, Inst *inst, const Event *e)
{
    Konata *k = user;
    GString *to = at(k, e->cycle);
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_printf(text, "SM %" PRIu64 "%s%s warp %u uid %" PRIu64,
                    view_sm(k->view, e->place)->number, *inst->part != '\0' ? " " : "", inst->part,
                    inst->warp, inst->uid);
    for (uint32_t i = 0; i < e->n_fields; i++) {
        const Field *f = &e->field[i];
        if (strcmp(f->key, "uid") != 0 && strcmp(f->key, "sm") != 0) {
            bool line = strcmp(f->key, "line") == 0;
            g_string_append_printf(text, "\\n%s %s", line ? "trace line" : f->key, f->value);
        }
    }
    label(to, inst->id, 1, text->str);
    const char *dst = event_field(e, "dst"), *src = event_field(e, "src");
    if (dst != NULL || src != NULL) {
        g_string_truncate(text, 0);
        g_string_printf(text, "%s%s%s%s", dst != NULL ? " " : "", dst != NULL ? dst : "",
                        src != NULL ? " <- " : "", src != NULL ? src : "");
        label(to, inst->id, 0, text->str);
    }
    depend(k, inst, e, to);
}

/* The end of a stage is said before the begin of the next: Konata would take both, but others who read the file need not guess. */
static void stage(void *user, Inst *inst, Stage s, uint64_t cycle)
{
    Konata *k = user;
    GString *to = at(k, cycle);
    const char *before = inst->drawn;
    if (before != NULL) {
        g_string_append_printf(to, "E\t%" PRIu64 "\t0\t%s\n", inst->id, before);
    }
    inst->drawn = (void *)names[s];
    g_string_append_printf(to, "S\t%" PRIu64 "\t0\t%s\n", inst->id, names[s]);
}

static void end(void *user, Inst *inst, uint64_t cycle, bool flushed)
{
    Konata *k = user;
    GString *to = at(k, cycle);
    if (inst->drawn != NULL) {
        g_string_append_printf(to, "E\t%" PRIu64 "\t0\t%s\n", inst->id, (const char *)inst->drawn);
    }
    g_string_append_printf(to, "R\t%" PRIu64 "\t%" PRIu64 "\t%d\n", inst->id,
                           flushed ? 0 : k->retired, flushed);
    k->retired += !flushed;
}

static void leave(void *user, uint32_t sm, uint32_t warp)
{
    Konata *k = user;
    uint64_t key = (uint64_t)sm << 32 | warp;
    g_hash_table_remove(k->writers, &key);
}

static const FollowSink sink = {begin, issue, stage, end, leave};

/* ---- the format -------------------------------------------------------------------------------------------------- */

static void *konata_begin(WwView *view)
{
    Konata *k = g_new0(Konata, 1);
    k->view = view;
    k->follow = follow_new(view, &sink, k);
    k->writers = g_hash_table_new_full(hash_warp, same_warp, g_free, g_free);
    for (int i = 0; i < RING; i++) {
        k->ring[i] = g_string_new(NULL);
    }
    return k;
}

static void konata_event(void *self, const Event *e)
{
    Konata *k = self;
    if (e->place->sm != VIEW_NOBODY) {
        look_at_time(k, e->cycle);
    }
    follow_event(k->follow, e);
}

static void konata_end(void *self)
{
    Konata *k = self;
    move_on(k, k->base + RING);
    if (!k->began) {
        fputs("Kanata\t0004\n", k->view->spec.out);
        k->view->empty = true;
    }
}

static void konata_free(void *self)
{
    Konata *k = self;
    follow_free(k->follow);
    g_hash_table_unref(k->writers);
    for (int i = 0; i < RING; i++) {
        g_string_free(k->ring[i], true);
    }
    g_free(k);
}

const Drawer view_konata = {konata_begin, konata_event, konata_end, konata_free};
