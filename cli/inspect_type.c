/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Component types as text, JSON and Markdown, from their descriptors alone: a type that cannot even be initialised can
 * be looked at.
 */
#include "inspect.h"
#include "json.h"

#include <stdarg.h>
#include <string.h>

static const char *const kind_names[] = {"bool", "uint", "u64", "real", "string", "choice", "list"};
static const char *const role_names[] = {"in", "out", "provides", "requires"};
static const char *const stat_kinds[] = {"counter", "maximum", "vector", "histogram"};
static const char *const conserves_texts[] = {NULL, "every token in comes out once",
                                              "a token in may come out several times",
                                              "several tokens in may come out as one"};

/* ---- texts of a row --------------------------------------------------------------------------------------------- */

static char *range_text(const WwParamRow *p)
{
    if (p->kind == WW_PARAM_CHOICE) {
        return g_strjoinv(" | ", (char **)p->choices);
    }
    if ((p->min == 0 && p->max == 0) || p->kind == WW_PARAM_BOOL || p->kind == WW_PARAM_STRING) {
        return g_strdup("");
    }
    uint64_t least, most;
    return ww_param_range(p, &least, &most)
               ? g_strdup_printf("%" G_GUINT64_FORMAT "..%" G_GUINT64_FORMAT, least, most)
               : g_strdup_printf("%.15g..%.15g", p->min, p->max);
}

static char *peers_text(const WwPortRow *p)
{
    if (p->role == WW_PROVIDES) {
        return p->max == 0 ? g_strdup(p->min != 0 ? "1 or more" : "any")
                           : g_strdup_printf("%u..%u", p->min, p->max);
    }
    return p->min == p->max ? g_strdup_printf("%u", p->min)
                            : g_strdup_printf("%u..%u", p->min, p->max);
}

/* What a port carries or offers: "inst (register_set of inst)". */
static char *contract_text(const WwContract *c)
{
    if (c->kind == WW_INTERFACE) {
        return g_strdup(c->name);
    }
    return g_strdup_printf("%s over %s", c->name, c->channel);
}

static char *length_text(const WwStatRow *s)
{
    return s->n > 1 ? g_strdup_printf("%s of %u", stat_kinds[s->kind], s->n)
                    : g_strdup(stat_kinds[s->kind]);
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

/* A table of texts; the last column is not padded. */
typedef struct Table {
    GPtrArray *cell; /* row after row, the first is the head */
    guint columns;
} Table;

static void table_row(Table *t, const char *first, ...) G_GNUC_NULL_TERMINATED;
static void table_row(Table *t, const char *first, ...)
{
    va_list ap;
    va_start(ap, first);
    guint n = 0;
    for (const char *s = first; s != NULL; s = va_arg(ap, const char *)) {
        g_ptr_array_add(t->cell, g_strdup(s));
        n++;
    }
    va_end(ap);
    t->columns = n;
}

static Table table_new(void)
{
    return (Table){.cell = g_ptr_array_new_with_free_func(g_free)};
}

static guint table_width(const Table *t, guint column)
{
    guint width = 0;
    for (guint i = column; i < t->cell->len; i += t->columns) {
        width = MAX(width, (guint)g_utf8_strlen(t->cell->pdata[i], -1));
    }
    return width;
}

/* A column of which every cell under the head is empty says nothing. */
static bool table_empty(const Table *t, guint column)
{
    for (guint i = column + t->columns; i < t->cell->len; i += t->columns) {
        if (*(const char *)t->cell->pdata[i] != '\0') {
            return false;
        }
    }
    return true;
}

static void put_markdown_cell(const char *text, FILE *out)
{
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == '|') {
            fputc('\\', out);
        }
        fputc(*p, out);
    }
}

static void table_markdown(const Table *t, FILE *out)
{
    fputc('\n', out);
    for (guint i = 0; i < t->cell->len; i++) {
        if (!table_empty(t, i % t->columns)) {
            fputs("| ", out);
            put_markdown_cell(t->cell->pdata[i], out);
            fputc(' ', out);
        }
        if (i % t->columns == t->columns - 1) {
            fputs("|\n", out);
        }
        if (i == t->columns - 1) {
            for (guint c = 0; c < t->columns; c++) {
                fputs(table_empty(t, c) ? "" : "|---", out);
            }
            fputs("|\n", out);
        }
    }
}

static void table_text(const Table *t, FILE *out)
{
    for (guint i = 0; i < t->cell->len; i++) {
        guint c = i % t->columns;
        const char *text = t->cell->pdata[i];
        if (c == 0) {
            fputs("   ", out);
        }
        if (c == t->columns - 1) {
            fprintf(out, "  %s\n", text);
        } else if (!table_empty(t, c)) {
            fprintf(out, " %s%*s ", text, (int)(table_width(t, c) - (guint)g_utf8_strlen(text, -1)),
                    "");
        }
    }
}

/* Prints a table under a heading when it has a row, and frees it. */
static void table_print(Table *t, const char *title, bool markdown, FILE *out)
{
    if (t->cell->len > t->columns) {
        fprintf(out, markdown ? "\n**%s**\n" : "\n%s\n", title);
        if (markdown) {
            table_markdown(t, out);
        } else {
            table_text(t, out);
        }
    }
    g_ptr_array_unref(t->cell);
}

/* ---- one type --------------------------------------------------------------------------------------------------- */

static void print_params(const WwType *type, bool markdown, FILE *out)
{
    Table t = table_new();
    const WwParamRow *p;
    table_row(&t, "parameter", "kind", "default", "range", "unit", "meaning", NULL);
    for (WW_ROWS(type->params, p)) {
        g_autofree char *range = range_text(p);
        table_row(&t, p->name, kind_names[p->kind], p->def != NULL ? p->def : "must be given",
                  range, p->unit, p->doc, NULL);
    }
    table_print(&t, "Parameters", markdown, out);
}

static void print_ports(const WwType *type, bool markdown, FILE *out)
{
    Table t = table_new();
    const WwPortRow *p;
    table_row(&t, "port", "role", "contract", "peers", "rank", "entry", "meaning", NULL);
    for (WW_ROWS(type->ports, p)) {
        g_autofree char *peers = peers_text(p);
        g_autofree char *contract = contract_text(p->contract);
        table_row(&t, p->name, role_names[p->role], contract, peers, p->rank != NULL ? p->rank : "",
                  p->entry != NULL ? p->entry : "", p->doc, NULL);
    }
    table_print(&t, "Ports", markdown, out);
}

static void print_stats(const WwType *type, bool markdown, FILE *out)
{
    Table t = table_new();
    const WwStatRow *s;
    table_row(&t, "statistic", "kind", "unit", "meaning", NULL);
    for (WW_ROWS(type->stats, s)) {
        g_autofree char *length = length_text(s);
        g_autofree char *doc = NULL;
        if (s->labels != NULL) {
            g_autoptr(GString) labels = g_string_new(NULL);
            for (uint32_t i = 0; i < s->n; i++) {
                g_string_append_printf(labels, "%s%s", i != 0 ? ", " : "", s->labels[i]);
            }
            doc = g_strdup_printf("%s: %s", s->doc, labels->str);
        }
        table_row(&t, s->name, length, s->unit, doc != NULL ? doc : s->doc, NULL);
    }
    table_print(&t, "Statistics", markdown, out);
}

static void print_clocks(const WwType *type, bool markdown, FILE *out)
{
    Table t = table_new();
    const WwClockRow *c;
    table_row(&t, "clock", "meaning", NULL);
    for (WW_ROWS(type->clocks, c)) {
        table_row(&t, c->name, c->doc, NULL);
    }
    table_print(&t, "Clocks besides its own", markdown, out);
}

static void print_entries(const WwType *type, bool markdown, FILE *out)
{
    Table t = table_new();
    const WwEntryRow *e;
    table_row(&t, "entry point", "phase", "rank", "meaning", NULL);
    for (WW_ROWS(type->entries, e)) {
        g_autofree char *owner =
            e->owner != NULL ? g_strdup_printf("(owner of `%s`)", e->owner) : NULL;
        table_row(&t, e->name, owner != NULL ? owner : e->phase, e->rank != NULL ? e->rank : "",
                  e->doc, NULL);
    }
    table_print(&t, "Entry points", markdown, out);
}

/* "OPCODE pc= uid= mask=": the fields of an event as they are written. */
static void add_fields(GString *out, const WwEventField *const *field)
{
    for (; field != NULL && *field != NULL; field++) {
        if ((*field)->parts != NULL) {
            add_fields(out, (*field)->parts);
        } else {
            g_string_append_printf(out, "%s%s%s", out->len != 0 ? " " : "", (*field)->name,
                                   (*field)->form == WW_EVENT_WORD ? "" : "=");
        }
    }
}

static void print_events(const WwType *type, bool markdown, FILE *out)
{
    Table t = table_new();
    const WwEventRow *e;
    table_row(&t, "event", "unit", "fields", "when", NULL);
    for (WW_ROWS(type->events, e)) {
        g_autoptr(GString) fields = g_string_new(NULL);
        add_fields(fields, e->field);
        table_row(&t, e->name, e->unit, fields->str, e->doc, NULL);
    }
    table_print(&t, "Events", markdown, out);
}

static char *relatives(const WwRegistry *registry, const WwType *type)
{
    size_t n;
    const WwType *const *all = ww_registry_types(registry, &n);
    g_autoptr(GString) out = g_string_new(NULL);
    for (size_t i = 0; i < n; i++) {
        bool proper = !(all[i]->flags & (WW_TYPE_FAULTY | WW_TYPE_FAKE));
        if (all[i] != type && proper && strcmp(all[i]->family, type->family) == 0) {
            g_string_append_printf(out, "%s%s", out->len != 0 ? ", " : "", all[i]->name);
        }
    }
    return g_strdup(out->str);
}

static void print_type(const WwRegistry *registry, const WwType *type, bool markdown, FILE *out)
{
    g_autofree char *others = relatives(registry, type);
    const char *origin = ww_registry_origin(registry, type);
    if (markdown) {
        fprintf(out, "### `%s`\n\n%s\n", type->name, type->doc);
        if (conserves_texts[type->conserves] != NULL) {
            fprintf(out, "\nTokens: %s.\n", conserves_texts[type->conserves]);
        }
    } else {
        fprintf(out, "%s\n    %s\n\n", type->name, type->doc);
        fprintf(out, "    family   %s%s%s%s\n", type->family, *others != '\0' ? " (also " : "",
                others, *others != '\0' ? ")" : "");
        fprintf(out, "    from     %s\n", origin);
        if (conserves_texts[type->conserves] != NULL) {
            fprintf(out, "    tokens   %s\n", conserves_texts[type->conserves]);
        }
    }
    print_params(type, markdown, out);
    print_clocks(type, markdown, out);
    print_ports(type, markdown, out);
    print_stats(type, markdown, out);
    print_entries(type, markdown, out);
    print_events(type, markdown, out);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

static void set_text(json_t *o, const char *key, const char *text)
{
    json_object_set_new(o, key, text != NULL ? cli_json_text(text) : json_null());
}

/* Whole numbers for what is one. */
static void set_range(json_t *o, const WwParamRow *p)
{
    uint64_t least, most;
    if (p->min == 0 && p->max == 0) {
        return;
    }
    if (!ww_param_range(p, &least, &most)) {
        json_object_set_new(o, "min", json_real(p->min));
        json_object_set_new(o, "max", json_real(p->max));
        return;
    }
    json_object_set_new(o, "min", cli_json_number(least));
    json_object_set_new(o, "max", cli_json_number(most));
}

void inspect_range_json(json_t *o, const WwParamRow *p)
{
    set_text(o, "kind", kind_names[p->kind]);
    set_text(o, "unit", p->unit);
    set_range(o, p);
    if (p->kind == WW_PARAM_CHOICE) {
        json_t *choices = json_array();
        for (const char *const *c = p->choices; *c != NULL; c++) {
            json_array_append_new(choices, cli_json_text(*c));
        }
        json_object_set_new(o, "choices", choices);
    }
}

static json_t *params_json(const WwType *type)
{
    json_t *list = json_array();
    const WwParamRow *p;
    for (WW_ROWS(type->params, p)) {
        json_t *o = json_object();
        set_text(o, "name", p->name);
        set_text(o, "default", p->def);
        inspect_range_json(o, p);
        set_text(o, "doc", p->doc);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *ports_json(const WwType *type)
{
    json_t *list = json_array();
    const WwPortRow *p;
    for (WW_ROWS(type->ports, p)) {
        json_t *o = json_object();
        set_text(o, "name", p->name);
        set_text(o, "role", role_names[p->role]);
        set_text(o, "contract", p->contract->name);
        set_text(o, "channel", p->contract->channel);
        json_object_set_new(o, "version", json_integer(p->contract->version));
        json_object_set_new(o, "min", json_integer(p->min));
        json_object_set_new(o, "max", json_integer(p->max));
        set_text(o, "rank", p->rank);
        set_text(o, "entry", p->entry);
        set_text(o, "doc", p->doc);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *stats_json(const WwType *type)
{
    json_t *list = json_array();
    const WwStatRow *s;
    for (WW_ROWS(type->stats, s)) {
        json_t *o = json_object();
        set_text(o, "name", s->name);
        set_text(o, "kind", stat_kinds[s->kind]);
        set_text(o, "unit", s->unit);
        json_object_set_new(o, "entries", json_integer(s->n));
        if (s->labels != NULL) {
            json_t *labels = json_array();
            for (uint32_t i = 0; i < s->n; i++) {
                json_array_append_new(labels, cli_json_text(s->labels[i]));
            }
            json_object_set_new(o, "labels", labels);
        }
        set_text(o, "doc", s->doc);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *clocks_json(const WwType *type)
{
    json_t *list = json_array();
    const WwClockRow *c;
    for (WW_ROWS(type->clocks, c)) {
        json_array_append_new(list, json_pack("{s:s,s:s}", "name", c->name, "doc", c->doc));
    }
    return list;
}

static json_t *entries_json(const WwType *type)
{
    json_t *list = json_array();
    const WwEntryRow *e;
    for (WW_ROWS(type->entries, e)) {
        json_t *o =
            json_pack("{s:s,s:s,s:s}", "name", e->name, e->owner != NULL ? "owner" : "phase",
                      e->owner != NULL ? e->owner : e->phase, "doc", e->doc);
        if (e->rank != NULL) {
            set_text(o, "port", e->port);
            set_text(o, "rank", e->rank);
        }
        json_array_append_new(list, o);
    }
    return list;
}

static void add_fields_json(json_t *list, const WwEventField *const *field)
{
    for (; field != NULL && *field != NULL; field++) {
        if ((*field)->parts != NULL) {
            add_fields_json(list, (*field)->parts);
            continue;
        }
        json_t *o = json_object();
        set_text(o, "name", (*field)->name);
        set_text(o, "unit", (*field)->unit);
        set_text(o, "doc", (*field)->doc);
        json_object_set_new(o, "word", json_boolean((*field)->form == WW_EVENT_WORD));
        json_array_append_new(list, o);
    }
}

static json_t *events_json(const WwType *type)
{
    json_t *list = json_array();
    const WwEventRow *e;
    for (WW_ROWS(type->events, e)) {
        json_t *o = json_object(), *fields = json_array();
        set_text(o, "kind", e->name);
        set_text(o, "unit", e->unit);
        set_text(o, "doc", e->doc);
        add_fields_json(fields, e->field);
        json_object_set_new(o, "fields", fields);
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *type_json(const WwRegistry *registry, const WwType *type)
{
    json_t *o = json_object();
    set_text(o, "name", type->name);
    set_text(o, "doc", type->doc);
    set_text(o, "family", type->family);
    set_text(o, "origin", ww_registry_origin(registry, type));
    json_object_set_new(o, "channel", json_boolean(type->flags & WW_TYPE_CHANNEL));
    json_object_set_new(o, "parameters", params_json(type));
    json_object_set_new(o, "clocks", clocks_json(type));
    json_object_set_new(o, "ports", ports_json(type));
    json_object_set_new(o, "statistics", stats_json(type));
    json_object_set_new(o, "entry_points", entries_json(type));
    json_object_set_new(o, "events", events_json(type));
    return o;
}

/* ---- entry points of this file ---------------------------------------------------------------------------------- */

void inspect_type(const WwRegistry *registry, const WwType *type, InspectForm form, FILE *out)
{
    if (form == INSPECT_JSON) {
        json_t *o = type_json(registry, type);
        cli_json_write(o, 3, out);
        json_decref(o);
    } else {
        print_type(registry, type, form == INSPECT_MARKDOWN, out);
    }
}

static bool hidden(const WwType *type, bool all)
{
    return !all && (type->flags & (WW_TYPE_FAKE | WW_TYPE_FAULTY)) != 0;
}

/* Which families there are, with a link to each type: headings become links without their dots. */
static void print_contents(const WwRegistry *registry, bool all, FILE *out)
{
    size_t n;
    const WwType *const *types = ww_registry_types(registry, &n);
    const char *family = "";
    fputs("\n| Family | Types |\n|---|---|", out);
    for (size_t i = 0; i < n; i++) {
        if (hidden(types[i], all)) {
            continue;
        }
        if (strcmp(types[i]->family, family) != 0) {
            fprintf(out, "%s\n| %s | ", *family != '\0' ? " |" : "", types[i]->family);
            family = types[i]->family;
        } else {
            fputs(", ", out);
        }
        g_auto(GStrv) pieces = g_strsplit(types[i]->name, ".", -1);
        g_autofree char *anchor = g_strjoinv("", pieces);
        fprintf(out, "[`%s`](#%s)", types[i]->name, anchor);
    }
    fputs(" |\n", out);
}

void inspect_types(const WwRegistry *registry, InspectForm form, bool all, FILE *out)
{
    size_t n;
    const WwType *const *types = ww_registry_types(registry, &n);
    const char *family = "";
    json_t *list = json_array();
    if (form == INSPECT_MARKDOWN) {
        fputs(
            "# Component reference\n\nGenerated by `warpwright inspect --markdown`; do not edit.\n",
            out);
        print_contents(registry, all, out);
    }
    for (size_t i = 0; i < n; i++) {
        const WwType *t = types[i];
        if (hidden(t, all)) {
            continue;
        }
        if (form == INSPECT_JSON) {
            json_array_append_new(list, type_json(registry, t));
            continue;
        }
        if (strcmp(t->family, family) != 0) {
            const char *gap = *family != '\0' || form == INSPECT_MARKDOWN ? "\n" : "";
            fprintf(out, "%s%s%s\n", gap, form == INSPECT_MARKDOWN ? "## " : "", t->family);
            family = t->family;
        }
        if (form == INSPECT_MARKDOWN) {
            fputc('\n', out);
            print_type(registry, t, true, out);
        } else {
            fprintf(out, "    %-22s %s\n", t->name, t->doc);
        }
    }
    if (form == INSPECT_JSON) {
        cli_json_write(list, 4, out);
    }
    json_decref(list);
}
