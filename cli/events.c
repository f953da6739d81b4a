/* SPDX-License-Identifier: Apache-2.0 */
/* --events and --events-filter. A filter is a list of key=value; words without a key go on with the list of the key before. */
#include "events.h"

#include "cli-priv.h"
#include <ports/ctas.h>
#include <results/intervals.h>

#include <string.h>
#include <sys/stat.h>

#define CANNOT "cannot write events to "

/* What lies in the same group as the n-th provider of CTA slots. */
char *cli_events_sm(WwMachine *machine, const char *what, uint64_t n, GError **error)
{
    uint64_t seen = 0;
    for (uint32_t i = 0; i < ww_machine_n_components(machine); i++) {
        const WwComponent *c = ww_machine_component(machine, i);
        const WwPortRow *row;
        for (WW_ROWS(c->type->ports, row)) {
            if (row->role == WW_PROVIDES && row->contract == &ww_contract_ctas && seen++ == n) {
                g_autofree char *path = ww_path(c);
                char *dot = strrchr(path, '.');
                if (dot != NULL) {
                    dot[1] = '\0';
                }
                return g_strconcat(dot != NULL ? path : "", "*", NULL);
            }
        }
    }
    ww_fail(error, WW_ERROR_USAGE,
            "%s: there is no SM %" G_GUINT64_FORMAT "; the platform has %" G_GUINT64_FORMAT
            ", expected a number below",
            what, n, seen);
    return NULL;
}

typedef enum Key { KEY_SM, KEY_WARP, KEY_UID, KEY_REQ, KEY_KIND, KEY_FROM, KEY_TO, KEY_PATH } Key;
static const char *const keys[] = {"sm", "warp", "uid", "req", "kind", "from", "to", "path", NULL};
#define EXPECTED_KEYS "sm=, warp=, uid=, req=, kind=, from=, to= or path="

const char *const *cli_events_keys(void)
{
    return keys;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* @p kinds of components, and the one that the run itself writes. */
static char **sorted(GPtrArray *kinds)
{
    g_ptr_array_add(kinds, (void *)WW_INTERVAL_EVENT);
    g_ptr_array_sort(kinds, compare_texts);
    g_ptr_array_add(kinds, NULL);
    return g_strdupv((char **)kinds->pdata);
}

/* What the machine's components say that they write. */
static char **kinds_of(const WwMachine *machine)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_direct_hash, g_direct_equal);
    g_autoptr(GPtrArray) kinds = g_ptr_array_new();
    for (uint32_t i = 0; i < ww_machine_n_components(machine); i++) {
        const WwType *type = ww_machine_component(machine, i)->type;
        const WwEventRow *row;
        if (!g_hash_table_add(seen, (void *)type)) {
            continue;
        }
        for (WW_ROWS(type->events, row)) {
            if (!g_ptr_array_find_with_equal_func(kinds, row->name, g_str_equal, NULL)) {
                g_ptr_array_add(kinds, (void *)row->name);
            }
        }
    }
    return sorted(kinds);
}

char **cli_events_kinds(const WwRegistry *registry)
{
    size_t n;
    const WwType *const *types = ww_registry_types(registry, &n);
    g_autoptr(GPtrArray) kinds = g_ptr_array_new();
    const WwEventRow *row;
    for (size_t i = 0; i < n; i++) {
        for (WW_ROWS(types[i]->events, row)) {
            bool mine = (types[i]->flags & (WW_TYPE_FAKE | WW_TYPE_FAULTY)) == 0;
            if (mine && !g_ptr_array_find_with_equal_func(kinds, row->name, g_str_equal, NULL)) {
                g_ptr_array_add(kinds, (void *)row->name);
            }
        }
    }
    return sorted(kinds);
}

bool cli_events_kind(const WwMachine *machine, const char *what, const char *kind, GError **error)
{
    g_auto(GStrv) kinds = kinds_of(machine);
    return cli_choice(what, kind, (const char *const *)kinds, error) >= 0;
}

/* "issue", or "-put": all but those. */
static bool add_kind(CliEvents *e, const WwMachine *machine, const char *kind, GError **error)
{
    bool but = *kind == '-';
    if (!cli_events_kind(machine, "--events-filter: kind", kind + but, error)) {
        return false;
    }
    if (e->kinds->len != 0 && but != e->filter.but) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "--events-filter: kinds with and without '-'; expected those that are "
                       "wanted, or those that are not");
    }
    e->filter.but = but;
    g_string_append_printf(e->kinds, "%s%s", e->kinds->len != 0 ? "," : "", kind + but);
    return true;
}

static void add_field(CliEvents *e, const char *name, const char *value)
{
    g_string_append_printf(e->fields, "%s%s=%s", e->fields->len != 0 ? "," : "", name, value);
}

/* Is there a component of that path, or with @p sums a type of whose sums it is the name? */
static bool is_path(WwMachine *machine, const char *glob, bool sums)
{
    g_autoptr(GPatternSpec) spec = g_pattern_spec_new(glob);
    for (uint32_t i = 0; i < ww_machine_n_components(machine); i++) {
        WwComponent *c = ww_machine_component(machine, i);
        g_autofree char *path = ww_path(c);
        g_autofree char *sum = sums ? g_strconcat(WW_INTERVAL_TOTAL, c->type->name, NULL) : NULL;
        if (g_pattern_spec_match_string(spec, path) ||
            (sums && g_pattern_spec_match_string(spec, sum))) {
            return true;
        }
    }
    return false;
}

bool cli_events_path(WwMachine *machine, const char *what, const char *glob, bool sums,
                     GError **error)
{
    if (is_path(machine, glob, sums)) {
        return true;
    }
    g_autofree char *inside = g_strconcat(glob, ".*", NULL);
    if (is_path(machine, inside, false)) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "%s '%s' is that of no component, but of a group of them; expected '%s'",
                       what, glob, inside);
    }
    return ww_fail(error, WW_ERROR_USAGE,
                   "%s '%s' is that of no component; expected a path that 'warpwright inspect' "
                   "shows, in which * and ? may stand",
                   what, glob);
}

static bool once(CliEvents *e, int key, GError **error)
{
    uint32_t bit = 1u << (key == KEY_SM ? KEY_PATH : key); /* both say where */
    if ((e->given & bit) != 0) {
        return ww_fail(error, WW_ERROR_USAGE, "--events-filter: %s is given twice%s; expected once",
                       keys[key], key == KEY_SM || key == KEY_PATH ? ", or both sm and path" : "");
    }
    e->given |= bit;
    return true;
}

/* As docs/events.md has them: 17, i17, c17, s3.17. */
static bool is_request(const char *name)
{
    const char *digits = "0123456789", *at = name + (*name == 'i' || *name == 'c');
    if (*name == 's') {
        size_t slice = strspn(name + 1, digits);
        at = name + 1 + slice + 1;
        if (slice == 0 || name[1 + slice] != '.') {
            return false;
        }
    }
    return *at != '\0' && at[strspn(at, digits)] == '\0';
}

static bool set(CliEvents *e, WwMachine *machine, int key, const char *value, GError **error)
{
    uint64_t n = 0;
    g_autofree char *what = g_strdup_printf("--events-filter: %s", keys[key]);
    if (key != KEY_KIND && !once(e, key, error)) {
        return false;
    }
    if (key != KEY_KIND && key != KEY_PATH && key != KEY_REQ &&
        !cli_number(what, value, &n, error)) {
        return false;
    }
    switch ((Key)key) {
    case KEY_SM:
        e->path = cli_events_sm(machine, "--events-filter", n, error);
        e->sm = g_strdup_printf("sm=%" G_GUINT64_FORMAT, n);
        return e->path != NULL;
    case KEY_UID:
        add_field(e, "uid", value);
        return n <= UINT32_MAX ||
               ww_fail(error, WW_ERROR_USAGE,
                       "%s %s; expected at most %u, the largest that an instruction has", what,
                       value, UINT32_MAX);
    case KEY_REQ:
        add_field(e, "req", value);
        return is_request(value) ||
               ww_fail(error, WW_ERROR_USAGE,
                       "%s '%s' is no request's name; expected one as 17, i17, c17 or s3.17", what,
                       value);
    case KEY_WARP:
        e->filter.unit = (int64_t)n;
        e->filter.has_unit = true;
        return n <= INT64_MAX ||
               ww_fail(error, WW_ERROR_USAGE, "%s %s; expected a smaller number", what, value);
    case KEY_KIND:
        return add_kind(e, machine, value, error);
    case KEY_FROM:
        e->filter.from = n;
        return true;
    case KEY_TO:
        e->filter.to = n;
        return n != 0 || ww_fail(error, WW_ERROR_USAGE, "%s 0; expected at least 1", what);
    case KEY_PATH:
        e->path = g_strdup(value);
        return cli_events_path(machine, what, value, false, error);
    }
    return true;
}

static bool parse_filter(CliEvents *e, WwMachine *machine, const char *text, GError **error)
{
    g_auto(GStrv) words = g_strsplit(text, ",", -1);
    int key = -1;
    if (*words == NULL) {
        return ww_fail(error, WW_ERROR_USAGE, "--events-filter is empty; expected " EXPECTED_KEYS);
    }
    for (char **w = words; *w != NULL; w++) {
        char *equals = strchr(*w, '=');
        const char *value = *w;
        if (equals != NULL) {
            *equals = '\0';
            value = equals + 1;
            key = cli_choice("--events-filter: key", *w, keys, error);
            if (key < 0) {
                return false;
            }
        } else if (key != KEY_KIND && g_strv_contains(keys, *w)) {
            return ww_fail(error, WW_ERROR_USAGE,
                           "--events-filter: '%s' has no value; expected '%s='", *w, *w);
        } else if (key != KEY_KIND) {
            return ww_fail(error, WW_ERROR_USAGE,
                           "--events-filter: '%s' has no key; expected " EXPECTED_KEYS, *w);
        }
        if (!set(e, machine, key, value, error)) {
            return false;
        }
    }
    if (e->filter.to != 0 && e->filter.from > e->filter.to) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "--events-filter: from=%" G_GUINT64_FORMAT " is after to=%" G_GUINT64_FORMAT
                       "; expected cycles in their order",
                       e->filter.from, e->filter.to);
    }
    return true;
}

bool cli_events_start(CliEvents *e, WwMachine *machine, const char *file, const char *filter,
                      bool resumable, GError **error)
{
    e->kinds = g_string_new(NULL);
    e->fields = g_string_new(NULL);
    e->file = file;
    e->text = filter;
    if (filter != NULL && !parse_filter(e, machine, filter, error)) {
        return false;
    }
    e->filter.path = e->path;
    e->filter.outside = e->sm;
    e->filter.fields = e->fields->len != 0 ? e->fields->str : NULL;
    e->filter.kinds = e->kinds->len != 0 ? e->kinds->str : NULL;
    if (file == NULL) {
        return true;
    }
    e->out = ww_log_new(file, resumable, error);
    if (e->out == NULL) {
        return g_prefix_error(error, CANNOT), false;
    }
    WwEventFilter apart = e->filter;
    apart.apart = true; /* not when views read it: they ask the machine */
    ww_machine_set_events(machine, ww_log_stream(e->out), &apart);
    return true;
}

bool cli_events_sum(CliEvents *e, uint64_t *bytes, uint64_t *sum, GError **error)
{
    return e->out == NULL || ww_log_sum(e->out, bytes, sum, error) ||
           (g_prefix_error(error, CANNOT), false);
}

bool cli_events_from(CliEvents *e, uint64_t bytes, uint64_t sum, GError **error)
{
    return e->out == NULL || ww_log_from(e->out, bytes, sum, error) ||
           (g_prefix_error(error, CANNOT), false);
}

/* A device or a pipe has no end at which to look. */
static void note_nothing(const CliEvents *e)
{
    struct stat st;
    bool file = stat(e->file, &st) != 0 || S_ISREG(st.st_mode);
    if (!file || ww_log_any(e->out)) {
        return;
    }
    g_autofree char *text =
        e->text != NULL
            ? g_strdup_printf("%s: no event fits --events-filter=%s; the log is empty", e->file,
                              e->text)
            : g_strdup_printf("%s: nothing that writes events ran; the log is empty", e->file);
    cli_say("note: ", text);
}

bool cli_events_end(CliEvents *e, bool keep, GError **error)
{
    bool good = true;
    if (keep && e->out != NULL) {
        note_nothing(e);
        good = ww_log_keep(e->out, CANNOT, error);
    } else {
        ww_log_drop(e->out);
    }
    if (e->kinds != NULL) {
        g_string_free(e->kinds, true);
        g_string_free(e->fields, true);
    }
    g_free(e->path);
    g_free(e->sm);
    memset(e, 0, sizeof *e);
    return good;
}
