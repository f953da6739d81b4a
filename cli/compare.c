/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `warpwright compare`: results of runs side by side. The first file is what the others are measured against: first what one asks
 * when comparing schedulers (cycles, IPC, rates, where the issue slots went), then every counter that differs. What is compared
 * becomes a row: a name and one number a file; counters that are equal everywhere are counted, not printed.
 */
#include "compare.h"
#include "db_source.h"
#include "result_file.h"
#include <report/report.h>
#include <results/rates.h>
#include <results/stalls.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Up to three files have a value and a ratio each, more share the line. */
#define NAME_WIDTH 50
#define VALUE_WIDTH 12
#define RATIO_WIDTH 7
#define SHORT_WIDTH 8
#define MOST_WIDE 3u

/* ---- reading ---------------------------------------------------------------------------------------------------- */

/* What is not there would be the same in both. */
static bool has_cycles(const char *file, const char *where, const json_t *of, GError **error)
{
    return json_object_get(of, "cycles") != NULL ||
           ww_fail(error, WW_ERROR_INPUT, "%s: '%s' has no 'cycles'; expected a whole number", file,
                   where);
}

static bool all_have_cycles(const Compare *c, const char *file, GError **error)
{
    const json_t *kernels = json_object_get(c->run[c->n - 1], "kernels");
    bool good = true;
    for (size_t i = 0; good && i < json_array_size(kernels); i++) {
        g_autofree char *where = g_strdup_printf("kernels[%zu]", i);
        good = has_cycles(file, where, json_array_get(kernels, i), error);
    }
    return good;
}

static bool load(Compare *c, const char *file, GError **error)
{
    json_t *o = cli_result_read(file, error);
    if (o == NULL) {
        return false;
    }
    c->run[c->n] = o;
    c->file[c->n++] = file;
    return has_cycles(file, "total", compare_total(c, c->n - 1), error) &&
           all_have_cycles(c, file, error);
}

static double figure(const json_t *o, const char *key)
{
    return ww_report_number(json_object_get(o, key));
}

static void free_row(gpointer data)
{
    CompareRow *row = data;
    g_free(row->name);
    g_free(row);
}

void compare_rows_init(CompareRows *rows)
{
    rows->rows = g_ptr_array_new_with_free_func(free_row);
    rows->by_name = g_hash_table_new(g_str_hash, g_str_equal);
}

void compare_rows_clear(CompareRows *rows)
{
    g_hash_table_unref(rows->by_name);
    g_ptr_array_unref(rows->rows);
}

static void set_row(CompareRows *rows, uint32_t i, const char *name, const json_t *value)
{
    CompareRow *row = g_hash_table_lookup(rows->by_name, name);
    if (row == NULL) {
        row = g_new0(CompareRow, 1);
        row->name = g_strdup(name);
        g_ptr_array_add(rows->rows, row);
        g_hash_table_insert(rows->by_name, row->name, row);
    }
    row->v[i] = ww_report_number(value);
    row->whole[i] = (uint64_t)json_integer_value(value);
    row->has[i] = true;
}

void compare_rows_add(CompareRows *rows, uint32_t i, const char *name, const json_t *value)
{
    const char *key;
    json_t *member;
    if (json_is_number(value)) {
        set_row(rows, i, name, value);
    } else if (json_is_array(value)) {
        for (size_t k = 0; k < json_array_size(value); k++) {
            g_autofree char *entry = g_strdup_printf("%s.%zu", name, k);
            compare_rows_add(rows, i, entry, json_array_get(value, k));
        }
    } else if (json_is_object(value)) {
        json_object_foreach((json_t *)value, key, member)
        {
            g_autofree char *entry =
                *name != '\0' ? g_strdup_printf("%s.%s", name, key) : g_strdup(key);
            compare_rows_add(rows, i, entry, member);
        }
    }
}

/* ---- printing --------------------------------------------------------------------------------------------------- */

typedef enum Form { WHOLE, FRACTION, PERCENT } Form;

/* In at most @p width characters if that can be: a large number with the letter of its magnitude. */
static char *value_text(double v, Form form, int width)
{
    static const char letters[] = " kMGTPE";
    if (!(v >= 0 && v < 18446744073709551616.0)) { /* no counter is; a file may say anything */
        return g_strdup_printf("%.3g", v);
    }
    char *text = form == WHOLE ? cli_grouped((uint64_t)v) : g_strdup_printf("%.2f", v);
    int magnitude = 0;
    if ((int)strlen(text) <= width) {
        return text;
    }
    for (; v >= 999.5 && letters[magnitude + 1] != '\0'; v /= 1000) {
        magnitude++;
    }
    g_free(text);
    return g_strdup_printf("%.*f %c", v < 9.995 ? 2 : v < 99.95 ? 1 : 0, v, letters[magnitude]);
}

static bool same(const Compare *c, const double *v, const bool *has)
{
    for (uint32_t i = 1; i < c->n; i++) {
        if (v[i] != v[0] || (has != NULL && has[i] != has[0])) {
            return false;
        }
    }
    return true;
}

static int name_width(const Compare *c)
{
    int each = c->n <= MOST_WIDE ? VALUE_WIDTH + 1 + RATIO_WIDTH + 1 : SHORT_WIDTH + 1;
    return MIN(COMPARE_LINE - 2 - (VALUE_WIDTH + 1) - ((int)c->n - 1) * each, NAME_WIDTH);
}

/* A name in its column; one that is too long loses its middle: "cache.l1...s.GLOBAL_ACC_R.HIT". */
static void print_name(const Compare *c, const char *text)
{
    g_autofree char *name = cli_visible(text); /* files may hold anything */
    int width = name_width(c), length = (int)g_utf8_strlen(name, -1);
    if (length <= width) {
        printf("  %s%*s", name, width - length, "");
        return;
    }
    if (strchr(name, '.') == NULL) { /* words */
        g_autofree char *cut = cli_cut(name, (uint32_t)width);
        printf("  %s", cut);
        return;
    }
    int head = width / 4, tail = width - head - 3;
    g_autofree char *front = g_utf8_substring(name, 0, head);
    printf("  %s...%s", front, g_utf8_offset_to_pointer(name, length - tail));
}

/* How many times the first it is; shares that are compared among many files stand for themselves. */
static void print_ratio(double first, double v, Form form, int width)
{
    if (first != 0 && form != PERCENT) {
        printf(" %*.3f", width, v / first);
    } else {
        g_autofree char *text =
            form == PERCENT || v != 0 ? value_text(v, form, width) : g_strdup("");
        printf(" %*s", width, text);
    }
}

/* NAME, a value a file, and behind each but the first how many times the first it is; of many files only that. */
static void print_row(const Compare *c, const char *name, const double *v, const bool *has,
                      Form form)
{
    print_name(c, name);
    for (uint32_t i = 0; i < c->n; i++) {
        bool there = has == NULL || has[i], first = has == NULL || has[0];
        bool wide = i == 0 || c->n <= MOST_WIDE;
        if (wide) {
            g_autofree char *text = there ? value_text(v[i], form, VALUE_WIDTH) : g_strdup("-");
            printf(" %*s", VALUE_WIDTH, text);
        }
        if (i == 0) {
            continue;
        }
        int width = wide ? RATIO_WIDTH : SHORT_WIDTH;
        if (there && (first || !wide) && (!wide || v[0] != 0)) {
            print_ratio(first ? v[0] : 0, v[i], wide && form == PERCENT ? FRACTION : form, width);
        } else {
            printf(" %*s", width, there || wide ? "" : "-");
        }
    }
    putchar('\n');
}

static void print_head(const Compare *c, const char *title)
{
    printf("\n%s%*s", title, name_width(c) + 2 - (int)strlen(title), "");
    for (uint32_t i = 0; i < c->n; i++) {
        bool wide = i == 0 || c->n <= MOST_WIDE;
        printf(" %*c", wide ? VALUE_WIDTH : SHORT_WIDTH, 'A' + (char)i);
        if (i != 0 && wide) {
            printf(" %*s", RATIO_WIDTH, "ratio");
        }
    }
    putchar('\n');
}

static void print_files(const Compare *c)
{
    for (uint32_t i = 0; i < c->n; i++) {
        json_t *configs = json_object_get(c->run[i], "config");
        const char *platform = json_string_value(json_object_get(c->run[i], "platform"));
        const char *trace = json_string_value(json_object_get(c->run[i], "trace"));
        g_autoptr(GString) line = g_string_new(c->file[i]);
        g_string_append_printf(line, ": %s on %s", trace != NULL ? trace : "?",
                               platform != NULL ? platform : "?");
        for (size_t k = 0; k < json_array_size(configs); k++) {
            const char *config = json_string_value(json_array_get(configs, k));
            g_string_append_printf(line, "%s%s", k == 0 ? " with " : ", ",
                                   config != NULL ? config : "?");
        }
        g_autofree char *text = cli_visible(line->str);
        printf("%c  %s%s\n", 'A' + (char)i, text,
               json_is_true(json_object_get(c->run[i], "partial")) ? " (partial)" : "");
    }
}

/* ---- comparing -------------------------------------------------------------------------------------------------- */

static void compare_figure(Compare *c, const char *name, const char *key, const char *per)
{
    double v[COMPARE_MOST_FILES];
    for (uint32_t i = 0; i < c->n; i++) {
        double by = per != NULL ? figure(compare_total(c, i), per) : 1;
        v[i] = by != 0 ? figure(compare_total(c, i), key) / by : 0;
    }
    c->exact_same &= same(c, v, NULL);
    print_row(c, name, v, NULL, per == NULL ? WHOLE : FRACTION);
}

static void compare_kernels(Compare *c)
{
    size_t most = 0, equal = 0, shown = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        most = MAX(most, json_array_size(json_object_get(c->run[i], "kernels")));
    }
    for (size_t k = 0; k < most; k++) {
        double v[COMPARE_MOST_FILES] = {0}, insns[COMPARE_MOST_FILES] = {0};
        bool has[COMPARE_MOST_FILES];
        const char *name = NULL;
        bool renamed = false;
        for (uint32_t i = 0; i < c->n; i++) {
            json_t *kernel = json_array_get(json_object_get(c->run[i], "kernels"), k);
            const char *own = json_string_value(json_object_get(kernel, "name"));
            has[i] = kernel != NULL;
            v[i] = figure(kernel, "cycles");
            insns[i] = figure(kernel, "thread_instructions");
            renamed |= name != NULL && own != NULL && strcmp(own, name) != 0;
            name = name != NULL ? name : own;
        }
        bool alike = same(c, v, has) && same(c, insns, NULL) && !renamed;
        equal += alike;
        c->exact_same &= alike;
        if (!alike && shown++ < (c->all ? SIZE_MAX : COMPARE_MOST_ROWS)) {
            g_autofree char *title = g_strdup_printf("%zu %s%s", k + 1, name != NULL ? name : "?",
                                                     renamed ? " (other name)" : "");
            if (shown == 1) {
                print_head(c, "kernels, cycles");
            }
            print_row(c, title, v, has, WHOLE);
        }
    }
    if (shown > COMPARE_MOST_ROWS && !c->all) {
        printf("  and %zu more kernels that differ (--all)\n", shown - COMPARE_MOST_ROWS);
    }
    printf("\n%zu of %zu kernels took the same cycles and instructions\n", equal, most);
}

/* A value of counters of a run, for rates. */
static bool json_value(void *user, const char *type, const char *stat, const char *label,
                       uint64_t *out)
{
    g_autofree char *name = g_strdup_printf("%s.%s", type, stat);
    const json_t *v = json_object_get(user, name);
    v = label != NULL ? json_object_get(v, label) : v;
    *out = json_is_integer(v) ? (uint64_t)json_integer_value(v) : 0;
    return json_is_integer(v);
}

/* Occupancy, hits of caches and rows: of each run that has them. */
static void compare_rates(Compare *c)
{
    WwRate rates[COMPARE_MOST_FILES][WW_N_RATES];
    bool head = false;
    for (uint32_t i = 0; i < c->n; i++) {
        ww_rates(json_value, json_object_get(compare_total(c, i), "counters"), rates[i]);
    }
    for (int k = 0; k < WW_N_RATES; k++) {
        double v[COMPARE_MOST_FILES];
        bool has[COMPARE_MOST_FILES], any = false;
        for (uint32_t i = 0; i < c->n; i++) {
            v[i] = rates[i][k].percent;
            has[i] = rates[i][k].has;
            any |= has[i];
        }
        if (any && !head) {
            print_head(c, "rates, %");
            head = true;
        }
        if (any) {
            print_row(c, rates[0][k].name, v, has, PERCENT);
        }
    }
}

/* Adds the entries of a row to the row "issued", or makes it one of its own with the cause in words. */
static void add_slots(const Compare *c, GPtrArray *slots, const CompareRow *row)
{
    bool used = strcmp(row->name, "warp_scheduler.single_issue") == 0 ||
                strcmp(row->name, "warp_scheduler.dual_issue") == 0 ||
                strcmp(row->name, "issue_stage.single_issue") == 0;
    const char *cause = ww_cause_of(row->name, '.');
    if (!used && cause == NULL) {
        return;
    }
    const char *text = used ? "issued" : ww_cause_text(cause);
    CompareRow *slot = NULL;
    for (guint i = 0; i < slots->len && slot == NULL; i++) {
        slot = strcmp(((CompareRow *)slots->pdata[i])->name, text) == 0 ? slots->pdata[i] : NULL;
    }
    if (slot == NULL) {
        slot = g_new0(CompareRow, 1);
        slot->name = g_strdup(text);
        g_ptr_array_add(slots, slot);
    }
    for (uint32_t k = 0; k < c->n; k++) {
        slot->v[k] += row->v[k];
    }
}

/* Where the issue slots went, in percent of each run's own: every slot was used or has one cause, so that they add up. */
static void compare_slots(Compare *c)
{
    double all[COMPARE_MOST_FILES] = {0};
    g_autoptr(GPtrArray) slots = g_ptr_array_new_with_free_func(free_row);
    for (guint i = 0; i < c->counters.rows->len; i++) {
        add_slots(c, slots, c->counters.rows->pdata[i]);
    }
    for (guint i = 0; i < slots->len; i++) {
        for (uint32_t k = 0; k < c->n; k++) {
            all[k] += ((const CompareRow *)slots->pdata[i])->v[k];
        }
    }
    if (slots->len == 0) {
        return;
    }
    print_head(c, "issue slots, %");
    for (guint i = 0; i < slots->len; i++) {
        const CompareRow *slot = slots->pdata[i];
        double part[COMPARE_MOST_FILES], most = 0;
        for (uint32_t k = 0; k < c->n; k++) {
            part[k] = all[k] != 0 ? 100 * slot->v[k] / all[k] : 0;
            most = MAX(most, part[k]);
        }
        if (most >= 0.005) {
            print_row(c, slot->name, part, NULL, PERCENT);
        }
    }
    print_row(c, "slots in all", all, NULL, WHOLE);
}

static bool same_bits(const Compare *c, const CompareRow *row)
{
    for (uint32_t i = 1; i < c->n; i++) {
        if (row->whole[i] != row->whole[0]) {
            return false;
        }
    }
    return true;
}

void compare_rows_print(Compare *c, const CompareRows *rows, const char *title, const char *what)
{
    guint shown = 0, equal = 0;
    for (guint i = 0; i < rows->rows->len; i++) {
        const CompareRow *row = rows->rows->pdata[i];
        if (same(c, row->v, row->has) && same_bits(c, row)) {
            equal++;
            continue;
        }
        c->exact_same = false;
        if (row->shown) {
            continue;
        }
        if (shown++ == 0) {
            print_head(c, title);
        }
        if (shown <= COMPARE_MOST_ROWS || c->all) {
            print_row(c, row->name, row->v, row->has, WHOLE);
        }
    }
    if (shown > COMPARE_MOST_ROWS && !c->all) {
        compare_print_more("  ", shown - COMPARE_MOST_ROWS);
    }
    printf("\n%u of %u %s are the same\n", equal, rows->rows->len, what);
}

/* Statistics of modules, alike or not, if they counted anything: what their authors look for first. */
static void compare_modules(Compare *c)
{
    guint shown = 0;
    for (guint r = 0; r < c->counters.rows->len; r++) {
        CompareRow *row = c->counters.rows->pdata[r];
        bool own = false, any = false;
        for (uint32_t i = 0; i < c->n; i++) {
            own |= ww_report_of_module(c->run[i], NULL, row->name);
            any |= row->v[i] != 0;
        }
        if (own && any) {
            if (shown++ == 0) {
                print_head(c, "statistics of modules");
            }
            print_row(c, row->name, row->v, row->has, WHOLE);
            row->shown = true;
        }
    }
}

static void compare_fingerprints(Compare *c)
{
    const char *first = json_string_value(json_object_get(c->run[0], "fingerprint"));
    for (uint32_t i = 1; i < c->n && first != NULL; i++) {
        const char *other = json_string_value(json_object_get(c->run[i], "fingerprint"));
        if (other != NULL && strcmp(first, other) != 0) {
            printf("fingerprints differ: %s and %s\n", first, other);
            c->exact_same = false;
        }
    }
}

static void compare_all(Compare *c)
{
    for (uint32_t i = 0; i < c->n; i++) {
        compare_rows_add(&c->counters, i, "", json_object_get(compare_total(c, i), "counters"));
    }
    c->exact_same = true;
    print_files(c);
    compare_inputs(c);
    compare_settings(c);
    print_head(c, "total");
    compare_figure(c, "cycles", "cycles", NULL);
    compare_figure(c, "thread instructions", "thread_instructions", NULL);
    compare_figure(c, "warp instructions", "warp_instructions", NULL);
    compare_figure(c, "IPC", "thread_instructions", "cycles");
    compare_rates(c);
    compare_slots(c);
    compare_kernels(c);
    compare_modules(c);
    compare_rows_print(c, &c->counters, "counters that differ", "counters");
    compare_more(c);
    compare_fingerprints(c);
}

static bool side_by_side(Compare *c, char *const *files, int n, double most, bool *same_,
                         GError **error)
{
    bool good = true;
    if (n < 2) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "compare: expected two results or more, or a database, got %d", n);
    }
    compare_rows_init(&c->counters);
    for (int i = 0; good && i < n; i++) {
        good = load(c, files[i], error);
    }
    if (good) {
        compare_all(c);
        *same_ = !c->exact || c->exact_same;
        *same_ &= isnan(most) || compare_within(c, most);
        *same_ &= (!c->exact && isnan(most)) || compare_ends(c);
    }
    for (uint32_t i = 0; i < c->n; i++) {
        json_decref(c->run[i]);
    }
    compare_rows_clear(&c->counters);
    return good;
}

/* Are these more than files to be put side by side? */
static bool are_many(const CompareMany *m, const CliRuns *runs, char *const *files, int n)
{
    bool many = m->measures != NULL || m->baseline != NULL || runs->where != NULL ||
                runs->experiment != NULL || n > (int)COMPARE_MOST_FILES;
    for (int i = 0; i < n; i++) {
        many |= ww_db_is_one(files[i]);
    }
    return many;
}

static const char *const description =
    "FILEs come from warpwright run -o FILE.json, also of different platforms. Ratios are relative "
    "to A. Each issue slot of a run is used or lost to one cause; they add up to that run's "
    "total.\n"
    "\n"
    "More than 8 files, and databases (warpwright sweep, warpwright db), are compared run by run, "
    "one line each, largest change first. Runs of one database are compared with its first, or "
    "with --baseline NAME=VALUE: the run that has this value and is otherwise the same. Of several "
    "databases, runs of the others are compared with those of the first that have the same axes.\n"
    "\n"
    "  warpwright compare before.db after.db --max-change 1%     exit status 1 if any run's cycles "
    "changed by more\n"
    "  warpwright compare runs.db --baseline scheduler=lrr --where config=qv100 --measure ipc";

int cli_compare(int argc, char **argv)
{
    Compare c = {0};
    CliRuns runs = {0};
    CompareMany m = {.runs = &runs, .most = NAN};
    GError *error = NULL;
    const GOptionEntry own[] = {
        CLI_HEADING("What is compared"),
        {"measure", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &m.measures,
         "The figure to compare (default cycles), as for 'warpwright table'; repeatable", "NAME"},
        {"baseline", 0, 0, G_OPTION_ARG_FILENAME, &m.baseline, "The runs to compare with",
         "NAME=VALUE"},
        {"all", 0, 0, G_OPTION_ARG_NONE, &c.all, "Print every difference, however many", NULL},
        CLI_HEADING("Exit status"),
        {"exact", 0, 0, G_OPTION_ARG_NONE, &c.exact,
         "Exit status 1 if any figure differs, or one run is partial and another is not", NULL},
        {"max-change", 0, 0, G_OPTION_ARG_FILENAME, &m.max_change,
         "Exit status 1 if cycles (or --measure) changed by more, or a run is missing, or partial "
         "on one side only",
         "PERCENT"},
        {NULL},
    };
    const GOptionEntry *const tables[] = {own, cli_runs_options(&runs), NULL};
    bool same_ = true,
         good = cli_parse(&argc, &argv, "FILE...", "Compares the results of two or more runs.",
                          description, tables, &error) &&
                (m.max_change == NULL || compare_percent(m.max_change, &m.most, &error));
    if (good) {
        m.exact = c.exact;
        m.all = c.all;
        good = are_many(&m, &runs, argv + 1, argc - 1)
                   ? compare_many(&m, argv + 1, argc - 1, &same_, &error)
                   : side_by_side(&c, argv + 1, argc - 1, m.most, &same_, &error);
    }
    g_strfreev(m.measures);
    g_free(m.baseline);
    g_free(m.max_change);
    cli_runs_clear(&runs);
    return !good ? cli_fail(error) : same_ ? CLI_DONE : CLI_STOPPED;
}
