/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `run --pcs`: the hottest instructions of a run.
 *
 * Launches of a kernel are added up, by name, since a program may launch a kernel a thousand times. Most launches have the instructions of the one before,
 * in its order, so that where each is found is where the one before it was found. A first look adds up slots alone; a second one the rest, of those that are shown.
 */
#include "cli-priv.h"
#include "pcs.h"

#include <inttypes.h>
#include <results/rates.h>
#include <results/stalls.h>
#include <string.h>

#define HOTTEST 10u
#define TEXT_WIDTH 30u
#define AT_ONCE 256u

/* An instruction that is shown. */
typedef struct Hot {
    const char *name; /* of its kernel */
    const char *opcode, *registers;
    uint64_t pc, n_slots, issues, requests, latency;
    uint64_t slot[WW_N_SLOTS];
} Hot;

/* ---- all that were met ------------------------------------------------------------------------------------------ */

/* An instruction, of all launches of its kernel. */
typedef struct Met {
    struct Met *next; /* of the same kernel, which was met after it */
    const char *name, *opcode, *registers;
    uint64_t pc, n_slots;
    Hot *hot; /* NULL: it is not shown */
} Met;

/* A kernel, by name. */
typedef struct Program {
    const char *name;
    Met *first, **end;
    uint64_t most_pc;
    GHashTable *known; /* of its instructions; NULL: nobody had to look for one */
} Program;

typedef struct Summary {
    const WwResults *results;
    GHashTable *programs; /* by name */
    GPtrArray *blocks;    /* of AT_ONCE that were met */
    uint32_t n_free;      /* in the last one */
} Summary;

static guint hash_met(gconstpointer key)
{
    const Met *m = key;
    guint hash = (guint)m->pc;
    for (const char *c = m->registers; *c != '\0'; c++) {
        hash = hash * 31 + (guint)*c;
    }
    return hash;
}

static gboolean same_met(gconstpointer a, gconstpointer b)
{
    const Met *x = a, *y = b;
    return x->pc == y->pc && strcmp(x->opcode, y->opcode) == 0 &&
           strcmp(x->registers, y->registers) == 0;
}

static void free_program(gpointer program)
{
    Program *p = program;
    g_clear_pointer(&p->known, g_hash_table_unref);
    g_free(p);
}

static Program *program_of(Summary *s, const char *name)
{
    Program *p = g_hash_table_lookup(s->programs, name);
    if (p == NULL) {
        p = g_new0(Program, 1);
        p->name = name;
        p->end = &p->first;
        g_hash_table_insert(s->programs, (gpointer)(uintptr_t)name, p);
    }
    return p;
}

static Met *known(Program *p, const Met *key)
{
    if (p->known == NULL) {
        p->known = g_hash_table_new(hash_met, same_met);
        for (Met *m = p->first; m != NULL; m = m->next) {
            g_hash_table_add(p->known, m);
        }
    }
    return g_hash_table_lookup(p->known, key);
}

static Met *add(Summary *s, Program *p, const Met *key)
{
    if (s->n_free == 0) {
        g_ptr_array_add(s->blocks, g_new(Met, AT_ONCE));
        s->n_free = AT_ONCE;
    }
    Met *m = (Met *)g_ptr_array_index(s->blocks, s->blocks->len - 1) + --s->n_free;
    *m = *key;
    *p->end = m;
    p->end = &m->next;
    p->most_pc = MAX(p->most_pc, m->pc);
    if (p->known != NULL) {
        g_hash_table_add(p->known, m);
    }
    return m;
}

/* Instruction @p e of @p p: *@p guess, or another one, behind which the next is then looked for; one that was not met is. */
static Met *find(Summary *s, Program *p, Met **guess, const WwPcEntry *e)
{
    const Met key = {.name = p->name, .opcode = e->opcode, .registers = e->registers, .pc = e->pc};
    Met *m = *guess;
    if (m == NULL || !same_met(m, &key)) {
        bool is_new = p->first == NULL || e->pc > p->most_pc;
        m = is_new ? NULL : known(p, &key);
    }
    if (m == NULL) {
        return add(s, p, &key);
    }
    *guess = m->next;
    return m;
}

static const char *name_of(const WwResults *r, uint32_t uid)
{
    for (guint i = 0; i < r->kernels.n; i++) {
        if (r->kernels.v[i]->uid == uid) {
            return r->kernels.v[i]->name;
        }
    }
    return "?";
}

/* @p from: where its figures are. */
typedef void (*LookFn)(Met *m, const WwPcEntry *e, const uint8_t *from);

static void look_at_kernel(Summary *s, const WwResultKernel *k, LookFn look)
{
    Program *p = NULL;
    Met *guess = NULL;
    uint32_t uid = 0; /* of `p` */
    const uint8_t *from = k->pcs, *at = from;
    for (WwPcEntry e; ww_pcs_look(&at, &e); from = at) {
        if (p == NULL || e.kernel != uid) {
            uid = e.kernel;
            p = program_of(s, uid == k->uid ? k->name : name_of(s->results, uid));
            guess = p->first;
        }
        if (e.line != 0) {
            look(find(s, p, &guess, &e), &e, from);
        }
    }
}

static void look_at_all(Summary *s, LookFn look)
{
    for (guint i = 0; i < s->results->kernels.n; i++) {
        look_at_kernel(s, s->results->kernels.v[i], look);
    }
}

static void add_slots(Met *m, const WwPcEntry *e, const uint8_t *from)
{
    (void)from;
    m->n_slots += e->n_slots;
}

static void add_figures(Met *m, const WwPcEntry *e, const uint8_t *from)
{
    Hot *h = m->hot;
    WwPcEntry all;
    (void)e;
    if (h == NULL) {
        return;
    }
    ww_pcs_next(&from, &all);
    h->issues += all.n.issues;
    h->requests += all.n.requests;
    h->latency += all.n.latency;
    for (uint32_t i = 0; i < WW_N_SLOTS; i++) {
        h->slot[i] += all.n.slots[i];
    }
}

/* ---- the hottest ------------------------------------------------------------------------------------------------ */

static bool hotter(const Met *x, const Met *y)
{
    if (x->n_slots != y->n_slots) {
        return x->n_slots > y->n_slots;
    }
    int d = x->name != y->name ? strcmp(x->name, y->name) : 0;
    d = d != 0 ? d : (x->pc > y->pc) - (x->pc < y->pc);
    d = d != 0 ? d : strcmp(x->opcode, y->opcode);
    return (d != 0 ? d : strcmp(x->registers, y->registers)) < 0;
}

/* Puts @p m among the @p n hottest so far, if it is one of them; returns how many these are. */
static uint32_t choose(Met *m, Met *list[HOTTEST], uint32_t n)
{
    uint32_t i = n;
    if (n < HOTTEST) {
        n++;
    } else if (!hotter(m, list[--i])) {
        return n;
    }
    for (; i != 0 && hotter(m, list[i - 1]); i--) {
        list[i] = list[i - 1];
    }
    list[i] = m;
    return n;
}

/* The hottest instructions, so many as is returned. */
static uint32_t find_hottest(const WwResults *r, Hot hot[HOTTEST])
{
    Met *list[HOTTEST];
    uint32_t n = 0;
    g_autoptr(GHashTable) programs =
        g_hash_table_new_full(g_str_hash, g_str_equal, NULL, free_program);
    g_autoptr(GPtrArray) blocks = g_ptr_array_new_with_free_func(g_free);
    Summary s = {.results = r, .programs = programs, .blocks = blocks};
    look_at_all(&s, add_slots);
    for (guint b = 0; b < blocks->len; b++) {
        Met *block = g_ptr_array_index(blocks, b);
        for (uint32_t i = b + 1 == blocks->len ? s.n_free : 0; i < AT_ONCE; i++) {
            n = choose(&block[i], list, n);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        const Met *m = list[i];
        hot[i] = (Hot){.name = m->name,
                       .opcode = m->opcode,
                       .registers = m->registers,
                       .pc = m->pc,
                       .n_slots = m->n_slots};
        list[i]->hot = &hot[i];
    }
    look_at_all(&s, add_figures);
    return n;
}

/* ---- as text ---------------------------------------------------------------------------------------------------- */

static uint64_t all_slots(const WwResults *r)
{
    static const char *const stats[] = {"single_issue", "dual_issue", "cause"};
    uint64_t sum = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(stats); i++) {
        for (const char *const *type = ww_issue_types; *type != NULL; type++) {
            uint64_t v;
            ww_results_value(r, r->total, *type, stats[i], NULL, &v);
            sum += v;
        }
    }
    return sum;
}

/* What most of its slots went to. */
static const char *mostly(const Hot *h)
{
    static const char *const stalls[] = {WW_STALL_LABELS};
    uint32_t best = 0;
    for (uint32_t i = 1; i < WW_N_SLOTS; i++) {
        best = h->slot[i] > h->slot[best] ? i : best;
    }
    return best == WW_SLOT_ISSUED ? "issued" : ww_cause_text(stalls[best]);
}

/* Widths of the columns; on a pipe they are the same for all runs. */
typedef struct Columns {
    int text, issues, latency; /* latency 0: none has one */
    uint32_t most;             /* what the last may have; 0: all */
} Columns;
#define BESIDE 22 /* What the others take: pc, share, blanks. */
#define LEAST_TEXT 12
#define LEAST_LAST 6 /* "mostly" */

static Columns columns_for(const Hot *list, uint32_t n, uint32_t width)
{
    Columns c = {.text = TEXT_WIDTH, .issues = 11, .latency = 8};
    if (width == 0) {
        return c;
    }
    int text = 0, last = 0;
    c.issues = (int)strlen("issues");
    c.latency = 0;
    for (uint32_t i = 0; i < n; i++) {
        const Hot *h = &list[i];
        g_autofree char *issues = cli_grouped(h->issues);
        text = MAX(text, (int)(strlen(h->opcode) + strlen(h->registers) + 1));
        last = MAX(last, (int)strlen(mostly(h)));
        c.issues = MAX(c.issues, (int)strlen(issues));
        c.latency = h->requests != 0 ? 8 : c.latency;
    }
    int beside = BESIDE + c.issues, room = (int)width - beside - LEAST_TEXT - LEAST_LAST;
    c.latency = room > c.latency ? c.latency : 0; /* goes first where there is no room */
    beside += c.latency != 0 ? c.latency + 1 : 0;
    text = MAX(text, (int)strlen("hottest instructions"));
    c.text = CLAMP((int)width - beside - last, MIN(LEAST_TEXT, (int)width - beside - LEAST_LAST),
                   MIN(text, (int)TEXT_WIDTH));
    c.text = MAX(c.text, LEAST_LAST);
    c.most = (uint32_t)MAX((int)width - beside - c.text, LEAST_LAST);
    return c;
}

static void print_hot(const Hot *h, uint64_t slots, bool named_kernel, const Columns *c, FILE *out)
{
    g_autofree char *both = g_strdup_printf("%s %s", h->opcode, h->registers);
    g_autofree char *what = cli_cut(both, (uint32_t)c->text);
    g_autofree char *pc = g_strdup_printf("%04" PRIx64, h->pc);
    g_autofree char *issues = cli_grouped(h->issues);
    g_autofree char *latency =
        h->requests != 0 && c->latency != 0 ? cli_grouped(h->latency / h->requests) : g_strdup("");
    g_autofree char *name = named_kernel ? cli_cut(h->name, TEXT_WIDTH) : NULL;
    g_autofree char *all =
        named_kernel ? g_strdup_printf("%s, in %s", mostly(h), name) : g_strdup(mostly(h));
    g_autofree char *last = c->most != 0 ? cli_cut(all, c->most) : g_strdup(all);
    int pad = c->text - (int)g_utf8_strlen(what, -1);
    fprintf(out, "  %6s  %s%*s %*s %6.1f %% %*s%s%s\n", pc, what, pad, "", c->issues, issues,
            slots != 0 ? 100.0 * (double)h->n_slots / (double)slots : 0, c->latency, latency,
            c->latency != 0 ? "  " : " ", last);
}

void cli_pcs_hottest(const WwResults *r, uint32_t width, FILE *out)
{
    Hot list[HOTTEST];
    uint32_t n = find_hottest(r, list);
    uint64_t slots = all_slots(r);
    bool several = false;
    for (guint i = 1; i < r->kernels.n; i++) {
        several |= strcmp(r->kernels.v[i]->name, r->kernels.v[0]->name) != 0;
    }
    if (n == 0) {
        return;
    }
    Columns c = columns_for(list, n, width);
    g_autofree char *head = cli_cut("hottest instructions", (uint32_t)c.text);
    fprintf(out, "\n  %6s  %-*s %*s %8s %*s%smostly\n", "pc", c.text, head, c.issues, "issues",
            "slots", c.latency, c.latency != 0 ? "latency" : "", c.latency != 0 ? "  " : " ");
    for (uint32_t i = 0; i < n; i++) {
        print_hot(&list[i], slots, several, &c, out);
    }
}
