/* SPDX-License-Identifier: Apache-2.0 */
/* What a checkpoint is of, and what a process has built: the first difference between their facts, which are looked up by name. */
#include "checkpoint-priv.h"

#include <string.h>

#define EXPECTED "expected the program, the options and the trace that it was made with"
#define LONGEST 60 /* value that is shown whole */

static size_t name_length(const char *fact)
{
    return strcspn(fact, "\t");
}

/* Where the value begins. */
static const char *value_of(const char *fact)
{
    return fact + name_length(fact) + 1;
}

static bool same_name(const char *a, const char *b)
{
    size_t n = name_length(a);
    return n == name_length(b) && memcmp(a, b, n) == 0;
}

/* How many of the first @p n facts have the name of @p fact. */
static guint count(const GPtrArray *facts, guint n, const char *fact)
{
    guint found = 0;
    for (guint i = 0; i < n; i++) {
        found += same_name(facts->pdata[i], fact);
    }
    return found;
}

/* The fact of that name that comes after @p skip others of it; NULL: there is none. */
static const char *find(const GPtrArray *facts, const char *fact, guint skip)
{
    for (guint i = 0; i < facts->len; i++) {
        if (same_name(facts->pdata[i], fact) && skip-- == 0) {
            return facts->pdata[i];
        }
    }
    return NULL;
}

/* Nobody can do anything with two hashes. */
static bool is_hash(const char *value)
{
    return strlen(value) == 64 && strspn(value, "0123456789abcdef") == 64;
}

static bool differs(const char *path, const char *there, const char *here, GError **error)
{
    const char *a = value_of(there), *b = value_of(here);
    g_autofree char *values = is_hash(a) || is_hash(b)
                                  ? g_strdup("")
                                  : g_strdup_printf(" (%.*s%s in the checkpoint, %.*s%s here)",
                                                    LONGEST, a, strlen(a) > LONGEST ? "..." : "",
                                                    LONGEST, b, strlen(b) > LONGEST ? "..." : "");
    return ww_fail(error, WW_ERROR_INPUT,
                   "%s: the checkpoint is of another run: %.*s differs%s; " EXPECTED, path,
                   (int)name_length(there), there, values);
}

/* Files that are the same but for the name, and so for the place from which they were given: the fact of @p facts with the value of @p fact. */
static const char *renamed(const GPtrArray *facts, const char *fact)
{
    for (guint i = 0; is_hash(value_of(fact)) && i < facts->len; i++) {
        if (strcmp(value_of(facts->pdata[i]), value_of(fact)) == 0) {
            return facts->pdata[i];
        }
    }
    return NULL;
}

static bool other_name(const char *path, const char *there, const char *here, GError **error)
{
    return ww_fail(error, WW_ERROR_INPUT,
                   "%s: the checkpoint is of another run: %.*s has another name here, %.*s, with "
                   "the same contents; expected the name that it was made with",
                   path, (int)name_length(there), there, (int)name_length(here), here);
}

static bool not_in_both(const char *path, const char *fact, guint there, guint here, GError **error)
{
    g_autofree char *often = there == 0 ? g_strdup("is in this run only")
                             : here == 0
                                 ? g_strdup("is in the checkpoint only")
                                 : g_strdup_printf("comes %u %s in the checkpoint and %u %s here",
                                                   there, WW_PLURAL(there, "time", "times"), here,
                                                   WW_PLURAL(here, "time", "times"));
    return ww_fail(error, WW_ERROR_INPUT,
                   "%s: the checkpoint is of another run: %.*s %s; " EXPECTED, path,
                   (int)name_length(fact), fact, often);
}

bool checkpoint_compare(const char *path, const GPtrArray *there, const GPtrArray *here,
                        GError **error)
{
    guint same = 0;
    while (same < there->len && same < here->len &&
           strcmp(there->pdata[same], here->pdata[same]) == 0) {
        same++;
    }
    if (same == there->len && same == here->len) {
        return true;
    }
    for (guint i = 0; i < there->len; i++) {
        const char *fact = there->pdata[i];
        const char *own = find(here, fact, count(there, i, fact));
        const char *other = own == NULL ? renamed(here, fact) : NULL;
        if (other != NULL && find(there, other, 0) == NULL) {
            return other_name(path, fact, other, error);
        }
        if (own == NULL) {
            return not_in_both(path, fact, count(there, there->len, fact),
                               count(here, here->len, fact), error);
        }
        if (strcmp(own, fact) != 0) {
            return differs(path, fact, own, error);
        }
    }
    for (guint i = 0; i < here->len; i++) {
        const char *fact = here->pdata[i];
        if (find(there, fact, count(here, i, fact)) == NULL) {
            return not_in_both(path, fact, count(there, there->len, fact),
                               count(here, here->len, fact), error);
        }
    }
    const char *fact = there->pdata[same];
    return ww_fail(error, WW_ERROR_INPUT,
                   "%s: the checkpoint is of another run: %.*s comes at another place; " EXPECTED,
                   path, (int)name_length(fact), fact);
}
