/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of a tick for people: what runs one after the other in each phase. Elements of an array that stand in a row and do the
 * same are one line: a GPU of 80 SMs fits two screens.
 */
#include "inspect.h"

#include <string.h>

typedef struct Step {
    char *text;       /* of the line */
    char *own;        /* "sp[": of an element of an array, else NULL */
    uint32_t index;   /* of it */
    char mark;        /* in front of the line */
    GPtrArray *steps; /* Step: of a group or phase, or run by an owner in its turn */
} Step;

static void free_step(gpointer data)
{
    Step *s = data;
    g_free(s->text);
    g_free(s->own);
    g_ptr_array_unref(s->steps);
    g_free(s);
}

static Step *step_new(char *text, char mark)
{
    Step *s = g_new0(Step, 1);
    s->text = text;
    s->mark = mark;
    s->steps = g_ptr_array_new_with_free_func(free_step);
    return s;
}

/* ---- collecting ------------------------------------------------------------------------------------------------- */

enum { DEEPEST = 64 };

typedef struct Lists {
    GPtrArray *of[DEEPEST]; /* by depth: where steps of this depth go to */
} Lists;

/* The last element of an array in @p path: "sp[3]" of gpu.sm.sp[3], "cluster[3]" of gpu.cluster[3].offer. */
static void find_own(Step *s, const char *path, size_t length)
{
    const char *end = g_strrstr_len(path, (gssize)length, "[");
    if (end != NULL) {
        const char *from = end;
        while (from > path && from[-1] != '.') {
            from--;
        }
        s->own = g_strndup(from, (gsize)(end + 1 - from));
        s->index = (uint32_t)g_ascii_strtoull(end + 1, NULL, 10);
    }
}

static void add_step(void *user, const WwOrderStep *o)
{
    Lists *lists = user;
    uint32_t depth = MIN(o->depth, (uint32_t)DEEPEST - 2);
    char mark = o->owned ? '>' : o->tied ? '~' : ' ';
    Step *s;
    if (o->depth == 0) {
        s = step_new(g_strdup_printf("phase %s (%s)", o->phase, o->domain), ' ');
    } else if (o->group != NULL) {
        s = step_new(g_strdup(o->group), mark);
        find_own(s, s->text, strcspn(s->text, " "));
    } else {
        g_autofree char *path = ww_path(o->component);
        s = step_new(g_strdup_printf("%s.%s", path, o->entry->name), mark);
        find_own(s, path, strlen(path));
    }
    g_ptr_array_add(lists->of[depth], s);
    lists->of[depth + 1] = s->steps;
}

/* ---- folding ---------------------------------------------------------------------------------------------------- */

/* The length of the path element that @p text begins with, if it is @p s's own, else 0. */
static size_t own_length(const char *text, const Step *s)
{
    if (s == NULL) {
        return 0;
    }
    g_autofree char *own = g_strdup_printf("%s%u]", s->own, s->index);
    return g_str_has_prefix(text, own) ? strlen(own) : 0;
}

/* @p text with "sp[3]" as "sp[0]" wherever a path has it; the same for @p also, if there is one. */
static void append_as(GString *out, const char *text, const Step *of, const Step *also,
                      uint32_t index)
{
    for (const char *p = text; *p != '\0';) {
        bool begins = p == text || p[-1] == '.';
        size_t n = begins ? own_length(p, of) : 0;
        size_t other = begins && n == 0 ? own_length(p, also) : 0;
        if (n + other != 0) {
            g_string_append_printf(out, "%s%u]", n != 0 ? of->own : also->own, index);
            p += n + other;
        } else {
            g_string_append_c(out, *p++);
        }
    }
    g_string_append_c(out, '\n');
}

/*
 * A step and what is in it, as if it were element @p index. An owned step @p s may be element of another array, @p also: what slice[3]
 * runs in its turn is l2[3].
 */
static void append_all(GString *out, const Step *s, const Step *of, const Step *also,
                       uint32_t index, int depth)
{
    append_as(out, s->text, of, also, index);
    for (guint i = 0; i < s->steps->len; i++) {
        const Step *inner = s->steps->pdata[i];
        bool with = (s == of || also != NULL) && inner->mark == '>' && inner->own != NULL &&
                    inner->index == of->index;
        g_string_append_printf(out, "%d%c", depth, inner->mark);
        append_all(out, inner, of, with ? inner : NULL, index, depth + 1);
    }
}

/* Is @p b the next element after @p a + @p behind - 1, and the same but for that? */
static bool likewise(const Step *a, const Step *b, uint32_t behind)
{
    if (a->own == NULL || b->own == NULL || strcmp(a->own, b->own) != 0 ||
        b->index != a->index + behind) {
        return false;
    }
    g_autoptr(GString) x = g_string_new(NULL);
    g_autoptr(GString) y = g_string_new(NULL);
    append_all(x, a, a, NULL, 0, 0);
    append_all(y, b, b, NULL, 0, 0);
    return strcmp(x->str, y->str) == 0;
}

static void print_line(const Step *s, int depth, FILE *out)
{
    if (depth == 0) {
        fprintf(out, "%s\n", s->text);
    } else {
        fprintf(out, "%*s%c %s\n", 2 * depth, "", s->mark, s->text);
    }
}

static void print_steps(const GPtrArray *steps, int depth, FILE *out)
{
    for (guint i = 0; i < steps->len;) {
        const Step *first = steps->pdata[i];
        print_line(first, depth, out);
        print_steps(first->steps, depth + 1, out);
        guint n = 1;
        while (i + n < steps->len) {
            const Step *next = steps->pdata[i + n];
            bool alike = n == 1 || next->mark == ((const Step *)steps->pdata[i + 1])->mark;
            if (!alike || !likewise(first, next, n)) {
                break;
            }
            n++;
        }
        i += n;
        if (n == 2) {
            const Step *second = steps->pdata[i - 1];
            fprintf(out, "%*s%c %s%u] likewise\n", 2 * depth, "", second->mark, second->own,
                    second->index);
        } else if (n > 2) {
            const Step *second = steps->pdata[i - n + 1];
            fprintf(out, "%*s%c %s%u..%u] likewise\n", 2 * depth, "", second->mark, second->own,
                    second->index, second->index + n - 2);
        }
    }
}

void inspect_order_text(const WwMachine *machine, FILE *out)
{
    g_autoptr(GPtrArray) phases = g_ptr_array_new_with_free_func(free_step);
    Lists lists = {.of = {phases}};
    ww_machine_each_step(machine, add_step, &lists);
    print_steps(phases, 0, out);
}
