/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What options of `run` add to results: figures of single components (--stats), of instructions (--pcs), over time (--intervals). With --exact
 * also what has no column of its own.
 */
#include "compare.h"

#include <inttypes.h>
#include <string.h>

static json_t *member(const Compare *c, uint32_t i, const char *name)
{
    return json_object_get(c->run[i], name);
}

static json_t *kernel(const Compare *c, uint32_t i, size_t k)
{
    return json_array_get(member(c, i, "kernels"), k);
}

/* Which runs lack what others have: "not in B". False: all or none have it. */
static bool lacking(Compare *c, const char *what, json_t *const *of, bool *any)
{
    g_autoptr(GString) line = g_string_new(NULL);
    *any = false;
    for (uint32_t i = 0; i < c->n; i++) {
        *any |= of[i] != NULL;
        if (of[i] == NULL) {
            g_string_append_printf(line, "%s%c", line->len != 0 ? ", " : "", 'A' + (char)i);
        }
    }
    if (!*any || line->len == 0) {
        return false;
    }
    printf("\n%s: not in %s\n", what, line->str);
    c->exact_same = false;
    return true;
}

/* ---- components ------------------------------------------------------------------------------------------------- */

static void compare_instances(Compare *c)
{
    json_t *of[COMPARE_MOST_FILES];
    bool any;
    CompareRows rows;
    for (uint32_t i = 0; i < c->n; i++) {
        of[i] = json_object_get(member(c, i, "total"), "instances");
    }
    if (lacking(c, "statistics of components (--stats)", of, &any) || !any) {
        return;
    }
    compare_rows_init(&rows);
    for (uint32_t i = 0; i < c->n; i++) {
        const char *path, *name;
        json_t *part, *value;
        json_object_foreach(of[i], path, part)
        {
            json_object_foreach(part, name, value)
            {
                g_autofree char *row = g_strdup_printf("%s:%s", path, name);
                compare_rows_add(&rows, i, row, value);
            }
        }
    }
    compare_rows_print(c, &rows, "components that differ", "statistics of components");
    compare_rows_clear(&rows);
}

/* ---- instructions ----------------------------------------------------------------------------------------------- */

/* The instruction at this address, which may stand elsewhere in another run's list. */
static const json_t *instruction(const json_t *pcs, const json_t *pc, size_t guess)
{
    json_t *at = json_array_get(pcs, guess);
    size_t k;
    if (json_equal(json_object_get(at, "pc"), pc)) {
        return at;
    }
    json_array_foreach((json_t *)pcs, k, at)
    {
        if (json_equal(json_object_get(at, "pc"), pc)) {
            return at;
        }
    }
    return NULL;
}

/* Names of the members in which two instructions differ. */
static char *members_that_differ(const json_t *one, const json_t *other)
{
    GString *names = g_string_new(NULL);
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)one, key, value)
    {
        if (!json_equal(value, json_object_get(other, key))) {
            g_string_append_printf(names, "%s%s", names->len != 0 ? ", " : "", key);
        }
    }
    json_object_foreach((json_t *)other, key, value)
    {
        if (json_object_get(one, key) == NULL) {
            g_string_append_printf(names, "%s%s", names->len != 0 ? ", " : "", key);
        }
    }
    return g_string_free(names, false);
}

/* One kernel's instructions of run @p i beside those of the first run. */
static void compare_code(Compare *c, size_t k, uint32_t i, guint *shown)
{
    const json_t *first = json_object_get(kernel(c, 0, k), "pcs"),
                 *other = json_object_get(kernel(c, i, k), "pcs");
    size_t n = json_array_size(first), differ = 0;
    for (size_t p = 0; p < n; p++) {
        const json_t *one = json_array_get(first, p), *pc = json_object_get(one, "pc"),
                     *two = instruction(other, pc, p);
        if (two != NULL && json_equal(one, two)) {
            continue;
        }
        differ++;
        c->exact_same = false;
        if ((*shown)++ < (c->all ? G_MAXUINT : COMPARE_MOST_ROWS)) {
            const char *opcode = json_string_value(json_object_get(one, "opcode"));
            g_autofree char *names =
                two != NULL ? members_that_differ(one, two) : g_strdup("not there");
            g_autofree char *line =
                g_strdup_printf("  kernel %zu, pc %04" PRIx64 " %s in %c: %s", k + 1,
                                (uint64_t)json_integer_value(pc), opcode != NULL ? opcode : "?",
                                'A' + (char)i, names);
            g_autofree char *cut = cli_cut(line, c->all ? UINT32_MAX : 100);
            printf("%s%s\n", *shown == 1 ? "\ninstructions that differ\n" : "", cut);
        }
    }
    size_t more = json_array_size(other);
    c->exact_same &= more == n;
    if (more > n) {
        printf("\nkernel %zu has %zu instructions in %c, %zu in A\n", k + 1, more, 'A' + (char)i,
               n);
    }
}

static void compare_pcs(Compare *c)
{
    json_t *of[COMPARE_MOST_FILES], *warps[COMPARE_MOST_FILES];
    guint shown = 0;
    bool any;
    for (uint32_t i = 0; i < c->n; i++) {
        of[i] = json_object_get(kernel(c, i, 0), "pcs");
    }
    if (lacking(c, "figures of instructions (--pcs)", of, &any) || !any) {
        return;
    }
    size_t n = json_array_size(member(c, 0, "kernels"));
    for (size_t k = 0; k < n; k++) {
        for (uint32_t i = 1; i < c->n; i++) {
            compare_code(c, k, i, &shown);
            warps[0] = json_object_get(kernel(c, 0, k), "warps");
            warps[i] = json_object_get(kernel(c, i, k), "warps");
            if (warps[0] != NULL && !json_equal(warps[0], warps[i])) {
                printf("what warps wait for differs: kernel %zu in %c\n", k + 1, 'A' + (char)i);
                c->exact_same = false;
            }
        }
    }
    if (shown > COMPARE_MOST_ROWS && !c->all) {
        compare_print_more("  ", shown - COMPARE_MOST_ROWS);
    } else if (shown == 0) {
        puts("\nall instructions have the same figures");
    }
}

/* ---- over time -------------------------------------------------------------------------------------------------- */

static void compare_intervals(Compare *c)
{
    json_t *of[COMPARE_MOST_FILES];
    bool any;
    for (uint32_t i = 0; i < c->n; i++) {
        of[i] = member(c, i, "intervals");
    }
    if (lacking(c, "statistics over time (--intervals)", of, &any) || !any) {
        return;
    }
    for (uint32_t i = 1; i < c->n; i++) {
        const json_t *one = json_object_get(of[0], "rows"), *other = json_object_get(of[i], "rows");
        if (!json_equal(json_object_get(of[0], "every"), json_object_get(of[i], "every")) ||
            !json_equal(json_object_get(of[0], "statistics"),
                        json_object_get(of[i], "statistics"))) {
            printf("\nintervals of %c have other lengths or statistics than those of A\n",
                   'A' + (char)i);
            c->exact_same = false;
            continue;
        }
        size_t n = MAX(json_array_size(one), json_array_size(other)), differ = 0, first = 0;
        for (size_t k = 0; k < n; k++) {
            if (!json_equal(json_array_get(one, k), json_array_get(other, k))) {
                first = differ++ == 0 ? k : first;
            }
        }
        c->exact_same &= differ == 0;
        if (differ != 0) {
            const json_t *row = json_array_get(first < json_array_size(one) ? one : other, first);
            printf("\n%zu of %zu intervals of %c differ from those of A, the first that ends with "
                   "cycle %" G_GUINT64_FORMAT "\n",
                   differ, n, 'A' + (char)i, (uint64_t)json_integer_value(json_array_get(row, 0)));
        }
    }
}

/* ---- the rest --------------------------------------------------------------------------------------------------- */

/* Adds "ctas of B" for what @p object of run @p i has otherwise than the first run's, or has alone. */
static void add_unlike(GString *line, uint32_t i, json_t *first, json_t *object, json_t *names)
{
    const char *name;
    json_t *unused;
    json_object_foreach(names, name, unused)
    {
        if (!json_equal(json_object_get(first, name), json_object_get(object, name))) {
            g_string_append_printf(line, "%s%s of %c", line->len != 0 ? ", " : "", name,
                                   'A' + (char)i);
        }
    }
}

/* One line for what differs in the object that all runs have under @p title, but for members that are printed elsewhere. */
static bool is_alike(Compare *c, const char *title, json_t *const *of, const char *const *elsewhere)
{
    g_autoptr(GString) line = g_string_new(NULL);
    for (uint32_t i = 1; i < c->n; i++) {
        if (json_equal(of[0], of[i])) {
            continue;
        }
        json_t *names = json_object();
        json_object_update(names, of[0]);
        json_object_update(names, of[i]);
        for (const char *const *e = elsewhere; *e != NULL; e++) {
            json_object_del(names, *e);
        }
        add_unlike(line, i, of[0], of[i], names);
        json_decref(names);
    }
    if (line->len != 0) {
        g_autofree char *text = cli_visible(line->str);
        printf("%s: other %s\n", title, text);
    }
    return line->len == 0;
}

/* Every member of the total and of each kernel: what is printed of them are a few. */
static void compare_rest(Compare *c)
{
    static const char *const of_total[] = {"cycles",   "thread_instructions", "warp_instructions",
                                           "counters", "instances",           NULL};
    static const char *const of_kernel[] = {"name", "cycles", "thread_instructions", NULL};
    json_t *of[COMPARE_MOST_FILES] = {NULL};
    uint32_t more = 0;
    size_t most = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        of[i] = compare_total(c, i);
        most = MAX(most, json_array_size(member(c, i, "kernels")));
    }
    c->exact_same &= is_alike(c, "total", of, of_total);
    for (size_t k = 0; k < most; k++) {
        for (uint32_t i = 0; i < c->n; i++) {
            of[i] = kernel(c, i, k);
        }
        g_autofree char *title = g_strdup_printf("kernel %zu", k + 1);
        if (more < COMPARE_MOST_ROWS || c->all) {
            bool alike = is_alike(c, title, of, of_kernel);
            more += !alike;
            c->exact_same &= alike;
        }
    }
}

void compare_more(Compare *c)
{
    compare_instances(c);
    compare_pcs(c);
    compare_intervals(c);
    if (c->exact) {
        compare_rest(c);
    }
}
