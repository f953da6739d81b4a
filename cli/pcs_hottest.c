/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `run --pcs`: the hottest instructions of a run.
 *
 * Launches of a kernel are added up, by name, since a program may launch a kernel a thousand times. Most launches have the instructions of the one before,
 * in its order, so that where each is found is where the one before it was found. A first look adds up slots alone; what else is shown of the ten is read
 * where they were met, or in a second look at all launches.
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
#define FEW 16u /* Instructions of one pc that are compared one by one. */

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
    uint32_t letters; /* WwPcEntry.letters */
    uint32_t hash;    /* where somebody looks for it, or did */
    uint64_t pc, n_slots;
    const uint8_t *from; /* its figures; NULL: in several places */
} Met;

/* A kernel, by name. */
typedef struct Program {
    const char *name;
    Met *first, **end;
    uint64_t most_pc;
    Met *top;            /* the first of that pc: all of it are behind it */
    Met **known;         /* its instructions by hash, and NULLs; NULL: nobody had to look for one */
    uint32_t n, n_known; /* instructions; places, a power of two */
} Program;

typedef struct Summary {
    const WwResults *results;
    GHashTable *programs; /* by name */
    GPtrArray *blocks;    /* of AT_ONCE that were met */
    uint32_t n_free;      /* in the last one */
} Summary;

/* Eight letters at a time, the last of which may be some of the ones before. */
static uint32_t hash_of(const Met *m)
{
    uint64_t hash = m->pc, word = 0;
    uint32_t last = m->letters > sizeof word ? m->letters - (uint32_t)sizeof word : 0;
    for (uint32_t i = 0; i < last; i += sizeof word) {
        memcpy(&word, m->opcode + i, sizeof word);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u; /* 2^64 by the golden ratio */
        hash ^= hash >> 32;
    }
    if (G_LIKELY(m->letters >= sizeof word)) {
        memcpy(&word, m->opcode + last, sizeof word);
    } else {
        memcpy(&word, m->opcode, m->letters);
    }
    return (uint32_t)((hash ^ word) * 0x9e3779b97f4a7c15u >> 32);
}

static bool same_met(const Met *x, const Met *y)
{
    return x->pc == y->pc && x->letters == y->letters &&
           memcmp(x->opcode, y->opcode, x->letters) == 0;
}

static void free_program(gpointer program)
{
    Program *p = program;
    g_free(p->known);
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

/* Among those of the most pc, if these are few. True: @p *found is it, or NULL if it was not met. */
static bool among_top(const Program *p, const Met *key, Met **found)
{
    uint32_t n = 0;
    if (key->pc != p->most_pc) {
        return false;
    }
    for (Met *m = p->top; m != NULL; m = m->next) {
        if (same_met(m, key)) {
            *found = m;
            return true;
        }
        if (++n == FEW) {
            return false;
        }
    }
    *found = NULL;
    return true;
}

/* Where @p key is among those known, or where it goes. */
static Met **place_of(const Program *p, const Met *key)
{
    uint32_t mask = p->n_known - 1, i = key->hash & mask;
    Met *m;
    while ((m = p->known[i]) != NULL && (m->hash != key->hash || !same_met(m, key))) {
        i = (i + 1) & mask;
    }
    return &p->known[i];
}

/* All of @p p that were met, which are different, get places: so many that most are found where they are looked for first. */
static void know_all(Program *p)
{
    uint32_t mask = 4 * FEW - 1;
    while (mask / 4 < p->n) {
        mask = 2 * mask + 1;
    }
    g_free(p->known);
    p->known = g_new0(Met *, mask + 1);
    p->n_known = mask + 1;
    for (Met *m = p->first; m != NULL; m = m->next) {
        uint32_t i = m->hash & mask;
        while (p->known[i] != NULL) {
            i = (i + 1) & mask;
        }
        p->known[i] = m;
    }
}

/* NULL: @p key was not met, and goes to *@p place, if that is not NULL. */
static Met *known(Program *p, Met *key, Met ***place)
{
    Met *found = NULL;
    if (p->known == NULL) {
        if (p->first == NULL || key->pc > p->most_pc || among_top(p, key, &found)) {
            return found;
        }
        for (Met *m = p->first; m != NULL; m = m->next) {
            m->hash = hash_of(m);
        }
        know_all(p);
    }
    key->hash = hash_of(key);
    *place = place_of(p, key);
    return **place;
}

static Met *add(Summary *s, Program *p, const Met *key, Met **place)
{
    if (s->n_free == 0) {
        g_ptr_array_add(s->blocks, g_new(Met, AT_ONCE));
        s->n_free = AT_ONCE;
    }
    Met *m = (Met *)g_ptr_array_index(s->blocks, s->blocks->len - 1) + --s->n_free;
    *m = *key;
    if (p->first == NULL || m->pc > p->most_pc) {
        p->top = m;
        p->most_pc = m->pc;
    }
    *p->end = m;
    p->end = &m->next;
    p->n++;
    if (place != NULL) {
        *place = m;
        if (p->n > p->n_known / 2) {
            know_all(p);
        }
    }
    return m;
}

/* Instruction @p e of @p p, whose figures are at @p from: *@p guess, or another one, behind which the next is then looked for; one that was not met is. */
static Met *meet(Summary *s, Program *p, Met **guess, const WwPcEntry *e, const uint8_t *from)
{
    Met key = {.name = p->name,
               .opcode = e->opcode,
               .registers = e->registers,
               .letters = e->letters,
               .pc = e->pc,
               .from = from};
    Met *m = *guess, **place = NULL;
    if (m == NULL || !same_met(m, &key)) {
        m = known(p, &key, &place);
    }
    if (m == NULL) {
        return add(s, p, &key, place);
    }
    m->from = NULL;
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

static void meet_all_of(Summary *s, const WwResultKernel *k)
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
            meet(s, p, &guess, &e, from)->n_slots += e.n_slots;
        }
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

static void add_figures(Hot *h, const uint8_t *from)
{
    WwPcEntry e;
    ww_pcs_next(&from, &e);
    h->issues += e.n.issues;
    h->requests += e.n.requests;
    h->latency += e.n.latency;
    for (uint32_t i = 0; i < WW_N_SLOTS; i++) {
        h->slot[i] += e.n.slots[i];
    }
}

/* Instructions to look for; by pc they are few. */
typedef struct Sought {
    Hot *hot[HOTTEST];
    uint32_t n;
    uint64_t pcs; /* a bit for each pc, 16 bytes apart, of 64 */
} Sought;

static uint64_t pc_bit(uint64_t pc)
{
    return 1ull << (pc / 16 % 64);
}

/* Is it the instruction @p h, of kernel @p k or one beside it? */
static bool is_hot(const WwResults *r, const WwResultKernel *k, const WwPcEntry *e, const Hot *h)
{
    return e->pc == h->pc && strcmp(e->opcode, h->opcode) == 0 &&
           strcmp(e->registers, h->registers) == 0 &&
           strcmp(e->kernel == k->uid ? k->name : name_of(r, e->kernel), h->name) == 0;
}

static void look_again(const WwResults *r, const WwResultKernel *k, const Sought *sought)
{
    const uint8_t *from = k->pcs, *at = from;
    for (WwPcEntry e; ww_pcs_look(&at, &e); from = at) {
        uint32_t n = e.line != 0 && (sought->pcs & pc_bit(e.pc)) != 0 ? sought->n : 0;
        for (uint32_t i = 0; i < n; i++) {
            if (is_hot(r, k, &e, sought->hot[i])) {
                add_figures(sought->hot[i], from);
                break;
            }
        }
    }
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
    for (guint i = 0; i < r->kernels.n; i++) {
        meet_all_of(&s, r->kernels.v[i]);
    }
    for (guint b = 0; b < blocks->len; b++) {
        Met *block = g_ptr_array_index(blocks, b);
        for (uint32_t i = b + 1 == blocks->len ? s.n_free : 0; i < AT_ONCE; i++) {
            n = choose(&block[i], list, n);
        }
    }
    Sought sought = {.n = 0};
    for (uint32_t i = 0; i < n; i++) {
        const Met *m = list[i];
        hot[i] = (Hot){.name = m->name,
                       .opcode = m->opcode,
                       .registers = m->registers,
                       .pc = m->pc,
                       .n_slots = m->n_slots};
        if (m->from != NULL) {
            add_figures(&hot[i], m->from);
        } else {
            sought.hot[sought.n++] = &hot[i];
            sought.pcs |= pc_bit(m->pc);
        }
    }
    for (guint i = 0; sought.n != 0 && i < r->kernels.n; i++) {
        look_again(r, r->kernels.v[i], &sought);
    }
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
