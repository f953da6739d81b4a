/* SPDX-License-Identifier: Apache-2.0 */
/* A component writes the kinds of events that its type declares, with the fields that they have there. */
#include "conformance-priv.h"

#include <string.h>

static const WwEventRow *row_of(const WwType *type, const char *kind)
{
    const WwEventRow *row;
    for (WW_ROWS(type->events, row)) {
        if (strcmp(row->name, kind) == 0) {
            return row;
        }
    }
    return NULL;
}

/* Is @p word, "uid=5" or "MOV", one of these fields? */
static bool has_field(const WwEventField *const *field, const char *word)
{
    size_t n = strcspn(word, "=");
    for (; *field != NULL; field++) {
        const WwEventField *f = *field;
        bool whole = f->form == WW_EVENT_WORD
                         ? word[n] == '\0'
                         : word[n] == '=' && strlen(f->name) == n && strncmp(f->name, word, n) == 0;
        if (f->parts != NULL ? has_field(f->parts, word) : whole) {
            return true;
        }
    }
    return false;
}

/* What is wrong with a line of the log, or NULL. */
static char *wrong_with(const WwType *type, const char *line)
{
    g_auto(GStrv) part = g_strsplit(line, "\t", 5);
    if (g_strv_length(part) != 5) {
        return g_strdup_printf("writes a line that is no event: '%s'", line);
    }
    const WwEventRow *row = row_of(type, part[1]);
    if (row == NULL) {
        return g_strdup_printf("writes events '%s', which its type does not declare", part[1]);
    }
    if ((type->flags & WW_TYPE_CHANNEL) != 0) {
        return NULL; /* what a token is, its payload says */
    }
    if (*row->unit == '\0' && strcmp(part[3], "-1") != 0) {
        return g_strdup_printf("writes unit %s of events '%s', which have none", part[3], part[1]);
    }
    g_auto(GStrv) word = g_strsplit(part[4], " ", -1);
    for (char **w = word; *w != NULL && **w != '\0'; w++) {
        if (!has_field(row->field, *w)) {
            return g_strdup_printf("writes '%s' in an event '%s', which has no such field", *w,
                                   part[1]);
        }
    }
    return NULL;
}

/*
 * What the filter lets through of a log of the type's bench, the same traffic each time; @p own: of the type alone. What an author got wrong ends the run, and
 * is in @p *failed then.
 */
static char *log_of(const WwRegistry *registry, const WwType *type, uint32_t seed, bool own,
                    WwEventFilter filter, char **failed)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    Bench *b = conform_new(registry, type, NULL, ALL_NEEDS, NULL);
    if (b->dead) {
        *failed = g_strdup(b->wrong);
        conform_free(b);
        fclose(out);
        return text;
    }
    g_autofree char *path = own ? ww_path(ww_harness_self(b->h)) : NULL;
    filter.path = path;
    ww_machine_set_events(ww_harness_machine(b->h), out, &filter);
    conform_traffic(b, seed_of(seed, 83));
    const GError *error = ww_machine_error(ww_harness_machine(b->h));
    *failed = error != NULL ? g_strdup_printf("ends the run: %s", error->message) : NULL;
    conform_free(b);
    fclose(out);
    return text;
}

static char *check_lines(const WwType *type, const char *text)
{
    char *why = NULL;
    g_auto(GStrv) line = g_strsplit(text, "\n", -1);
    for (char **l = line; why == NULL && *l != NULL && **l != '\0'; l++) {
        why = wrong_with(type, *l);
    }
    return why;
}

/* Lines are the same when what they say is kept and when they are text at once, as they are when somebody asks for cycles. */
static char *check_kept(const char *kept, const char *at_once)
{
    g_auto(GStrv) a = g_strsplit(kept, "\n", -1);
    g_auto(GStrv) b = g_strsplit(at_once, "\n", -1);
    uint32_t i = 0;
    while (a[i] != NULL && b[i] != NULL && strcmp(a[i], b[i]) == 0) {
        i++;
    }
    return a[i] == NULL && b[i] == NULL
               ? NULL
               : g_strdup_printf("writes an event as '%s' at once and as '%s' when it was kept",
                                 b[i] != NULL ? b[i] : "", a[i] != NULL ? a[i] : "");
}

char *check_events(const WwRegistry *registry, const WwType *type, uint32_t seed)
{
    char *failed = NULL, *text = log_of(registry, type, seed, true,
                                        (WwEventFilter){.kinds = "put,take", .but = true}, &failed);
    char *why = failed != NULL ? failed : check_lines(type, text);
    free(text);
    if (why != NULL) {
        return why;
    }
    char *kept = log_of(registry, type, seed, false, (WwEventFilter){0}, &why);
    text = log_of(registry, type, seed, false, (WwEventFilter){.to = WW_NEVER}, &failed);
    why = why != NULL ? why : failed != NULL ? g_steal_pointer(&failed) : check_kept(kept, text);
    g_free(failed);
    free(kept);
    free(text);
    return why;
}
