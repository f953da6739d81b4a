/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Figures of a run on a picture: how busy parts were, where they stalled, how many tokens went along edges. They come from results of
 * `run --stats '*' -o FILE.json`, where each component has its own; without them (a run without --stats) from the sums over a type, where only one kind
 * of part is of that type. What a channel does not count itself follows from those at its ends.
 */
#include "picture.h"
#include "result_file.h"

#include <report/report.h>
#include <results/rates.h>
#include <results/stalls.h>
#include <string.h>

#define FIGURE_SIZE 9.0
#define MOST_TITLE 40u /* lines */

/* ---- reading ---------------------------------------------------------------------------------------------------- */

static double sum_of(const json_t *value)
{
    double sum = json_is_number(value) ? ww_report_number(value) : 0;
    const char *key;
    json_t *one;
    size_t i;
    json_array_foreach(value, i, one)
    {
        sum += ww_report_number(one);
    }
    if (json_is_object(value)) {
        json_object_foreach((json_t *)value, key, one)
        {
            sum += ww_report_number(one);
        }
    }
    return sum;
}

/* Adds a figure of one instance to those of its node: labels one by one, maxima not. */
static void add_figure(json_t *all, const WwStatRow *row, const char *name, const json_t *value)
{
    json_t *before = json_object_get(all, name);
    const char *label;
    json_t *one;
    if (json_is_object(value)) {
        if (!json_is_object(before)) {
            json_object_set_new(all, name, before = json_object());
        }
        json_object_foreach((json_t *)value, label, one)
        {
            double sum = ww_report_number(json_object_get(before, label));
            json_object_set_new(before, label, json_real(sum + ww_report_number(one)));
        }
        return;
    }
    double own = sum_of(value), old = ww_report_number(before);
    bool maximum = row != NULL && row->kind == WW_STAT_MAX;
    json_object_set_new(all, name, json_real(maximum ? MAX(own, old) : own + old));
}

static const WwStatRow *row_named(const PictureNode *node, const char *name)
{
    int i = node->part->type != NULL ? ww_type_stat(node->part->type, name) : -1;
    return i >= 0 ? &node->part->type->stats[i] : NULL;
}

char *picture_pattern(const char *path)
{
    GString *out = g_string_new(NULL);
    for (const char *p = path; *p != '\0'; p++) {
        g_string_append_c(out, *p);
        if (*p == '[') {
            p += strcspn(p, "]");
            g_string_append(out, *p == ']' ? "*]" : "");
            p -= *p == '\0';
        }
    }
    return g_string_free(out, false);
}

static guint read_instances(Picture *picture, const json_t *instances)
{
    guint found = 0;
    const char *path, *name;
    json_t *own, *value;
    json_object_foreach((json_t *)instances, path, own)
    {
        g_autofree char *pattern = picture_pattern(path);
        PictureNode *node = g_hash_table_lookup(picture->node_of, pattern);
        if (!inspect_machine_has(picture->view, path) || node == NULL || node->part->type == NULL) {
            continue;
        }
        found++;
        node->figures = node->figures != NULL ? node->figures : json_object();
        json_object_foreach(own, name, value)
        {
            if (strcmp(name, "type") != 0) {
                add_figure(node->figures, row_named(node, name), name, value);
            }
        }
    }
    return found;
}

/* "warp_scheduler.stall" of the only kind of part with that type. */
static guint read_sums(Picture *picture, const json_t *counters)
{
    guint found = 0;
    for (guint i = 0; i < picture->leaves->len; i++) {
        PictureNode *node = picture->leaves->pdata[i];
        const WwType *type = node->part->type;
        const WwStatRow *s;
        if (picture->view->element != NULL && !node->outside) {
            continue; /* sums are of all elements */
        }
        guint patterns = type != NULL && picture->patterns_of != NULL
                             ? GPOINTER_TO_UINT(g_hash_table_lookup(picture->patterns_of, type))
                             : 0;
        for (WW_ROWS(patterns == 1 && !node->part->mixed ? type->stats : NULL, s)) {
            g_autofree char *name = g_strdup_printf("%s.%s", type->name, s->name);
            const json_t *value = json_object_get(counters, name);
            if (value != NULL) {
                node->figures = node->figures != NULL ? node->figures : json_object();
                add_figure(node->figures, s, s->name, value);
                found++;
            }
        }
    }
    return found;
}

GHashTable *picture_patterns(const InspectMachine *view)
{
    GHashTable *of = g_hash_table_new(g_direct_hash, g_direct_equal);
    for (guint i = 0; i < view->parts->len; i++) {
        const InspectPart *part = view->parts->pdata[i];
        guint n = GPOINTER_TO_UINT(g_hash_table_lookup(of, part->type));
        g_hash_table_insert(of, (gpointer)part->type, GUINT_TO_POINTER(n + 1));
    }
    return of;
}

/* ---- how busy --------------------------------------------------------------------------------------------------- */

static double figure(const PictureNode *node, const char *name)
{
    return sum_of(json_object_get(node->figures, name));
}

static void add_line(PictureNode *node, const char *text)
{
    PictureLine *line = g_new0(PictureLine, 1);
    line->text = g_strdup(text);
    line->size = FIGURE_SIZE;
    line->figure = true;
    g_ptr_array_add(node->lines, line);
}

static double slots_of(const PictureNode *node)
{
    return figure(node, "single_issue") + figure(node, "dual_issue") + figure(node, "cause");
}

static bool is_scheduler(const PictureNode *node)
{
    const char *const *type = ww_issue_types;
    while (node->figures != NULL && *type != NULL && strcmp(node->part->type->name, *type) != 0) {
        type++;
    }
    return node->figures != NULL && *type != NULL;
}

/* Cycles in which an SM was clocked, summed over all: of each scheduler they are its slots. */
static double clocked_cycles(const Picture *picture)
{
    for (guint i = 0; i < picture->leaves->len; i++) {
        const PictureNode *node = picture->leaves->pdata[i];
        if (is_scheduler(node)) {
            return slots_of(node) / node->n;
        }
    }
    return 0;
}

/* The share of issue slots that were used, and what most of the others waited for. */
static void tell_scheduler(PictureNode *node)
{
    double slots = slots_of(node), most = 0;
    const char *label, *cause = NULL;
    json_t *value;
    if (slots <= 0) {
        return;
    }
    node->share = 1 - figure(node, "cause") / slots;
    json_object_foreach(json_object_get(node->figures, "cause"), label, value)
    {
        if (ww_report_number(value) > most) {
            most = ww_report_number(value);
            cause = label;
        }
    }
    g_autofree char *issues = g_strdup_printf("issues %.1f %%", node->share * 100);
    add_line(node, issues);
    if (cause != NULL) {
        g_autofree char *waits = g_strdup_printf("%.0f %%", most / slots * 100);
        add_line(node, ww_cause_text(cause));
        add_line(node, waits);
    }
}

/* What says of a type how busy it was: a statistic over another one, or (NULL) over the cycles in which the SM was clocked. */
typedef struct Busy {
    const char *type, *part, *whole, *text;
} Busy;

static const Busy busies[] = {
    {"fu.", "busy", NULL, "busy"},
    {"dp.shared", "busy", NULL, "busy"},
    {"ldst_unit", "n_stall_shd_mem", NULL, "blocked"},
    {"cta_slots", "warp_cycles", "slot_cycles", "occupancy"},
    {"cache.", "data_port_busy", "port_samples", "port"},
    {"dram.frfcfs", "bw_util", "n_cmd", "data bus"},
};

static void tell_busy(PictureNode *node, double clocked)
{
    for (size_t i = 0; i < G_N_ELEMENTS(busies); i++) {
        const Busy *b = &busies[i];
        double whole = b->whole != NULL ? figure(node, b->whole) : clocked * node->n;
        if (g_str_has_prefix(node->part->type->name, b->type) && whole > 0) {
            node->share = CLAMP(figure(node, b->part) / whole, 0, 1);
            g_autofree char *text = g_strdup_printf("%s %.1f %%", b->text, node->share * 100);
            add_line(node, text);
        }
    }
    double accesses = figure(node, "accesses");
    if (g_str_has_prefix(node->part->type->name, "cache.") && accesses > 0) {
        double misses = figure(node, "misses") + figure(node, "pending_hits"); /* as the summary */
        g_autofree char *text = g_strdup_printf("hits %.1f %%", (1 - misses / accesses) * 100);
        add_line(node, text);
    }
}

/* All that is not zero, for who points at the part. */
static void tell_title(PictureNode *node)
{
    guint lines = 0;
    const char *name, *label;
    json_t *value, *one;
    json_object_foreach(node->figures, name, value)
    {
        if (json_is_object(value)) {
            json_object_foreach(value, label, one)
            {
                if (ww_report_number(one) != 0 && lines++ < MOST_TITLE) {
                    g_string_append_printf(node->title, "%s.%s = %.0f\n", name, label,
                                           ww_report_number(one));
                }
            }
        } else if (ww_report_number(value) != 0 && lines++ < MOST_TITLE) {
            g_string_append_printf(node->title, "%s = %.0f\n", name, ww_report_number(value));
        }
    }
    if (lines > MOST_TITLE) {
        g_string_append_printf(node->title, "and %u more\n", lines - MOST_TITLE);
    }
}

/* ---- tokens ----------------------------------------------------------------------------------------------------- */

/* What counts the tokens that go through a part (@p through), or come into it. */
typedef struct Counts {
    const char *type, *stat;
    bool through;
} Counts;

static const Counts counts[] = {
    {"fifo", "puts", true},        {"fu.", "issued", true},
    {"dp.shared", "issued", true}, {"operand_collector", "instructions", true},
    {"delay", "passed", true},     {"probe", "passed", true},
    {"source", "sent", true},      {"sink", "taken", true},
};

typedef struct Sides {
    double known[2]; /* sums of edges */
    guint open[2];
    PictureEdge *last[2]; /* of the open ones */
} Sides;

static Sides sides_of(const Picture *picture, const PictureNode *node)
{
    Sides s = {0};
    for (guint i = 0; i < picture->edges->len; i++) {
        PictureEdge *edge = picture->edges->pdata[i];
        int side = edge->from == node ? PICTURE_RIGHT : PICTURE_LEFT;
        if (edge->call || (edge->from != node && edge->to != node)) {
            continue;
        }
        if (edge->tokens >= 0) {
            s.known[side] += edge->tokens;
        } else {
            s.open[side]++;
            s.last[side] = edge;
        }
    }
    return s;
}

/* What a part passes on under the name of the port at which it came in ("sp", "sp_out"). */
static bool pair_ports(const Picture *picture, const PictureNode *node)
{
    bool any = false;
    for (guint i = 0; i < picture->edges->len; i++) {
        PictureEdge *in = picture->edges->pdata[i];
        for (guint k = 0; k < picture->edges->len && in->to == node && !in->call; k++) {
            PictureEdge *out = picture->edges->pdata[k];
            const char *a = in->wire->to_port, *b = out->wire->from_port;
            if (out->from != node || out->call || a == NULL || b == NULL ||
                !g_str_has_prefix(b, a) || strcmp(b + strlen(a), "_out") != 0) {
                continue;
            }
            if (in->tokens < 0 && out->tokens >= 0) {
                in->tokens = out->tokens;
                any = true;
            } else if (out->tokens < 0 && in->tokens >= 0) {
                out->tokens = in->tokens;
                any = true;
            }
        }
    }
    return any;
}

/* One edge that is not known yet follows from the others and from what the node counts. */
static bool deduce(const Picture *picture, PictureNode *node, bool through)
{
    Sides s = sides_of(picture, node);
    bool any = false;
    if (node->tokens < 0 && (node->kind == PICTURE_CHANNEL) && !node->outside) {
        bool right =
                 s.open[PICTURE_RIGHT] == 0 && (s.known[PICTURE_RIGHT] > 0 || s.last[0] != NULL),
             left = s.open[PICTURE_LEFT] == 0 && (s.known[PICTURE_LEFT] > 0 || s.last[1] != NULL);
        if (right || left) {
            node->tokens = right ? s.known[PICTURE_RIGHT] : s.known[PICTURE_LEFT];
            any = true;
        }
    }
    for (int side = 0; side < 2; side++) {
        if (node->tokens >= 0 && s.open[side] == 1 && (through || side == PICTURE_LEFT)) {
            s.last[side]->tokens = MAX(node->tokens - s.known[side], 0);
            any = true;
        }
    }
    return any;
}

static void find_tokens(Picture *picture)
{
    g_autofree bool *through = g_new0(bool, picture->n_nodes);
    for (guint i = 0; i < picture->leaves->len; i++) {
        PictureNode *node = picture->leaves->pdata[i];
        through[node->number] = node->kind == PICTURE_CHANNEL;
        for (size_t k = 0; k < G_N_ELEMENTS(counts) && node->figures != NULL; k++) {
            const Counts *c = &counts[k];
            if (g_str_has_prefix(node->part->type->name, c->type) &&
                json_object_get(node->figures, c->stat) != NULL) {
                node->tokens = figure(node, c->stat);
                through[node->number] = c->through;
            }
        }
    }
    for (bool more = true; more;) {
        more = false;
        for (guint i = 0; i < picture->leaves->len; i++) {
            PictureNode *node = picture->leaves->pdata[i];
            more |= deduce(picture, node, through[node->number]) || pair_ports(picture, node);
        }
    }
    for (guint i = 0; i < picture->edges->len; i++) {
        const PictureEdge *edge = picture->edges->pdata[i];
        picture->most = MAX(picture->most, edge->tokens);
    }
}

bool picture_with(Picture *picture, const CliSetup *setup, const char *file, GError **error)
{
    json_t *run = cli_result_read(file, error);
    if (run == NULL) {
        return false;
    }
    if (!picture_same(picture, setup, run, file, error)) {
        json_decref(run);
        return false;
    }
    const json_t *total = json_object_get(run, "total"),
                 *instances = json_object_get(total, "instances");
    guint found = json_is_object(instances)
                      ? read_instances(picture, instances)
                      : read_sums(picture, json_object_get(total, "counters"));
    json_decref(run);
    if (found == 0) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "%s: has no figures of any part of this picture; expected results of "
                       "warpwright run --stats '*' -o FILE.json on the same machine",
                       file);
    }
    double clocked = clocked_cycles(picture);
    for (guint i = 0; i < picture->leaves->len; i++) {
        PictureNode *node = picture->leaves->pdata[i];
        if (is_scheduler(node)) {
            tell_scheduler(node);
        } else if (node->figures != NULL) {
            tell_busy(node, clocked);
        }
        if (node->figures != NULL) {
            tell_title(node);
        }
    }
    find_tokens(picture);
    picture->with = true;
    return true;
}
