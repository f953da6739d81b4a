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

char *check_events(const WwRegistry *registry, const WwType *type, uint32_t seed)
{
    char *text = NULL, *why = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    Bench *b = conform_new(registry, type, NULL, ALL_NEEDS, NULL);
    g_autofree char *path = ww_path(ww_harness_self(b->h));
    ww_machine_set_events(ww_harness_machine(b->h), out,
                          &(WwEventFilter){.path = path, .kinds = "put,take", .but = true});
    conform_traffic(b, seed_of(seed, 83));
    conform_free(b);
    fclose(out);
    g_auto(GStrv) line = g_strsplit(text, "\n", -1);
    for (char **l = line; why == NULL && *l != NULL && **l != '\0'; l++) {
        why = wrong_with(type, *l);
    }
    free(text);
    return why;
}
