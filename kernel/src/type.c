/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Component types: the complete check of a descriptor.
 *
 * A descriptor is written by hand, perhaps in a module by somebody else, and everything later
 * trusts it: offsets are written through, defaults are parsed without a way to fail, names end up
 * in platforms. So it is checked once, when it is registered, and the rest of the kernel checks
 * nothing again. A message names the type, the row and the rule.
 */
#include "param-priv.h"
#include <warpwright/component.h>
#include <warpwright/machine.h>

#include <math.h>
#include <string.h>

enum { NAME_MAX_LENGTH = 63 };

/** A check in progress. */
typedef struct Check {
    const WwType *type;
    GArray *fields; /**< Field: what the rows say lies where. */
    GError **error;
} Check;

/** The bytes of the state that a row owns. */
typedef struct Field {
    size_t offset, size;
    const char *what; /**< "parameter", ... */
    const char *name;
} Field;

/* ---- words ----------------------------------------------------------------------------------- */

G_GNUC_PRINTF(2, 3)
static bool fail(const Check *check, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *text = g_strdup_vprintf(format, args);
    va_end(args);
    return ww_fail(check->error, WW_ERROR_MODULE, "type '%s': %s", check->type->name, text);
}

/** A lower-case identifier: how everything is called that a platform can name. */
static bool is_word(const char *name, size_t length)
{
    if (length == 0 || length > NAME_MAX_LENGTH || !g_ascii_islower(name[0])) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (!g_ascii_islower(name[i]) && !g_ascii_isdigit(name[i]) && name[i] != '_') {
            return false;
        }
    }
    return true;
}

static bool is_type_name(const char *name)
{
    const char *dot = strchr(name, '.');
    if (dot == NULL) {
        return is_word(name, strlen(name));
    }
    return is_word(name, (size_t)(dot - name)) && is_word(dot + 1, strlen(dot + 1));
}

static bool is_line(const char *text)
{
    return text != NULL && text[0] != '\0' && strchr(text, '\n') == NULL;
}

/** What every row has: a name that no earlier row of the array has, and a doc. */
static bool check_row(const Check *check, const char *what, const char *name, const char *doc,
                      int found, int index)
{
    if (!is_word(name, strlen(name))) {
        return fail(check, "%s '%s': bad name, expected lower case, digits and '_'", what, name);
    }
    if (found != index) {
        return fail(check, "%s '%s': there are two of this name", what, name);
    }
    if (!is_line(doc)) {
        return fail(check, "%s '%s': no doc, expected one line", what, name);
    }
    return true;
}

/* ---- fields ---------------------------------------------------------------------------------- */

/** Does a parameter of a channel lie in one of the two fields of WwChannel that are parameters? */
static bool is_channel_field(const WwType *type, size_t offset, size_t size)
{
    return (type->flags & WW_TYPE_CHANNEL) != 0 &&
           ((offset == offsetof(WwChannel, same) && size == sizeof(bool)) ||
            (offset == offsetof(WwChannel, latency) && size == sizeof(uint32_t)));
}

/** Claims @p size bytes at @p offset: inside the state, behind its head, aligned. */
static bool check_field(const Check *check, const char *what, const char *name, size_t offset,
                        size_t size, size_t align)
{
    bool channel = (check->type->flags & WW_TYPE_CHANNEL) != 0;
    size_t head = channel ? sizeof(WwChannel) : sizeof(WwComponent);
    if (offset < head && !is_channel_field(check->type, offset, size)) {
        return fail(check, "%s '%s': offset %zu lies in the head of the state (%zu bytes)", what,
                    name, offset, head);
    }
    if (offset > check->type->size || size > check->type->size - offset) {
        return fail(check, "%s '%s': offset %zu and %zu bytes do not fit the state of %zu bytes",
                    what, name, offset, size, check->type->size);
    }
    if (offset % align != 0) {
        return fail(check, "%s '%s': offset %zu is not a multiple of %zu", what, name, offset,
                    align);
    }
    Field field = {.offset = offset, .size = size, .what = what, .name = name};
    g_array_append_val(check->fields, field);
    return true;
}

static int compare_fields(gconstpointer a, gconstpointer b)
{
    const Field *x = a;
    const Field *y = b;
    return x->offset != y->offset ? (x->offset < y->offset ? -1 : 1) : 0;
}

static bool check_overlaps(const Check *check)
{
    g_array_sort(check->fields, compare_fields);
    for (guint i = 1; i < check->fields->len; i++) {
        const Field *a = &g_array_index(check->fields, Field, i - 1);
        const Field *b = &g_array_index(check->fields, Field, i);
        if (b->offset - a->offset < a->size) {
            return fail(check, "%s '%s' and %s '%s' share a field", a->what, a->name, b->what,
                        b->name);
        }
    }
    return true;
}

/* ---- parameters ------------------------------------------------------------------------------ */

static bool check_choices(const Check *check, const WwParamRow *row)
{
    if (row->kind != WW_PARAM_CHOICE) {
        return row->choices == NULL ||
               fail(check, "parameter '%s': only a CHOICE has choices", row->name);
    }
    if (row->choices == NULL || row->choices[0] == NULL) {
        return fail(check, "parameter '%s': a CHOICE needs choices", row->name);
    }
    for (size_t i = 0; row->choices[i] != NULL; i++) {
        if (row->choices[i][0] == '\0') {
            return fail(check, "parameter '%s': a choice is empty", row->name);
        }
        for (size_t j = 0; j < i; j++) {
            if (strcmp(row->choices[i], row->choices[j]) == 0) {
                return fail(check, "parameter '%s': choice '%s' is there twice", row->name,
                            row->choices[i]);
            }
        }
    }
    return true;
}

static bool check_range(const Check *check, const WwParamRow *row)
{
    bool number = row->kind == WW_PARAM_UINT || row->kind == WW_PARAM_U64 ||
                  row->kind == WW_PARAM_REAL || row->kind == WW_PARAM_LIST;
    if (!isfinite(row->min) || !isfinite(row->max) || row->min > row->max) {
        return fail(check, "parameter '%s': bad range, expected min <= max", row->name);
    }
    if (!number && (row->min != 0 || row->max != 0 || row->unit[0] != '\0')) {
        return fail(check, "parameter '%s': only numbers have a range or a unit", row->name);
    }
    if (number && row->kind != WW_PARAM_REAL && row->min < 0) {
        return fail(check, "parameter '%s': bad range, a whole number is never negative",
                    row->name);
    }
    double most = row->kind == WW_PARAM_U64 ? 18446744073709551616.0 : (double)UINT32_MAX;
    if (number && row->kind != WW_PARAM_REAL && row->max > most) {
        return fail(check, "parameter '%s': bad range, max does not fit the field", row->name);
    }
    return true;
}

static bool check_unit(const Check *check, const WwParamRow *row)
{
    static const char *const units[] = {"", "cycles", "bytes", "Hz", "entries", "%"};
    for (size_t i = 0; row->unit != NULL && i < G_N_ELEMENTS(units); i++) {
        if (strcmp(row->unit, units[i]) == 0) {
            return true;
        }
    }
    return fail(
        check,
        "parameter '%s': unit '%s' is unknown, expected cycles, bytes, Hz, entries, %% or \"\"",
        row->name, row->unit != NULL ? row->unit : "NULL");
}

static bool check_default(const Check *check, const WwParamRow *row)
{
    if (row->def == NULL) {
        return true;
    }
    WwValue value;
    g_autoptr(GError) cause = NULL;
    if (!ww_value_parse(row, row->def, &value, &cause)) {
        return fail(check, "bad default of %s", cause->message);
    }
    ww_value_clear(&value);
    return true;
}

static bool check_params(const Check *check)
{
    const WwParamRow *row;
    for (WW_ROWS(check->type->params, row)) {
        if (!check_row(check, "parameter", row->name, row->doc,
                       ww_type_param(check->type, row->name), (int)(row - check->type->params))) {
            return false;
        }
        if ((size_t)row->kind >= WW_N_PARAM_KINDS) {
            return fail(check, "parameter '%s': kind %d is unknown", row->name, (int)row->kind);
        }
        if (!check_unit(check, row) || !check_range(check, row) || !check_choices(check, row) ||
            !check_default(check, row) ||
            !check_field(check, "parameter", row->name, row->offset, ww_param_field[row->kind].size,
                         ww_param_field[row->kind].align)) {
            return false;
        }
    }
    return true;
}

/* ---- ports ----------------------------------------------------------------------------------- */

static bool has_rank(const WwContract *contract, const char *rank)
{
    for (size_t i = 0; contract->ranks != NULL && contract->ranks[i] != NULL; i++) {
        if (strcmp(contract->ranks[i], rank) == 0) {
            return true;
        }
    }
    return false;
}

static bool has_callers(const WwType *type, const char *rank)
{
    const WwPortRow *row;
    for (WW_ROWS(type->ports, row)) {
        if (row->role == WW_PROVIDES && row->contract != NULL && has_rank(row->contract, rank)) {
            return true;
        }
    }
    return false;
}

/** Can a line be kept as @p kept says? */
static bool is_kept(const WwEventKept *kept)
{
    return kept == NULL || kept == &ww_event_value || (kept->keep != NULL && kept->tell != NULL);
}

static bool has_function(const void *table, const WwFunctionRow *f)
{
    void (*const *at)(void) =
        (void (*const *)(void))(const void *)((const char *)table + f->offset);
    return *at != NULL;
}

/** Has the table all functions that callers take for granted? */
static bool check_table(const Check *check, const WwPortRow *row)
{
    const WwFunctionRow *f, *other;
    if (row->role != WW_PROVIDES) {
        return true;
    }
    for (WW_ROWS(row->contract->functions, f)) {
        bool needed = f->without == NULL;
        for (WW_ROWS(f->with != NULL ? row->contract->functions : NULL, other)) {
            needed |= strcmp(other->name, f->with) == 0 && has_function(row->table, other);
        }
        if (needed && !has_function(row->table, f)) {
            return fail(check, "port '%s': no function '%s' of contract '%s'; expected it %s%s",
                        row->name, f->name, row->contract->name,
                        f->with != NULL ? "beside " : "in the port's table",
                        f->with != NULL ? f->with : "");
        }
    }
    return true;
}

/** Contract, role, rank, table and entry point of a port: do they go together? */
static bool check_meaning(const Check *check, const WwPortRow *row)
{
    const WwContract *contract = row->contract;
    if (contract == NULL || contract->name == NULL) {
        return fail(check, "port '%s': no contract", row->name);
    }
    if ((unsigned)row->role > WW_REQUIRES) {
        return fail(check, "port '%s': role %d is unknown", row->name, (int)row->role);
    }
    bool channel_role = row->role == WW_IN || row->role == WW_OUT;
    if (channel_role != (contract->kind == WW_CHANNEL)) {
        return fail(check, "port '%s': contract '%s' is %s, expected %s", row->name, contract->name,
                    contract->kind == WW_CHANNEL ? "a channel's" : "an interface",
                    channel_role ? "a channel's for IN and OUT"
                                 : "an interface for PROVIDES and REQUIRES");
    }
    if (row->rank != NULL && row->role == WW_PROVIDES) {
        return fail(check,
                    "port '%s': a rank is a caller's; expected it in the row of an entry point",
                    row->name);
    }
    if (row->rank != NULL && (channel_role || !has_rank(contract, row->rank))) {
        return fail(check, "port '%s': contract '%s' has no rank '%s'", row->name, contract->name,
                    row->rank);
    }
    if (row->owns && row->role != WW_REQUIRES) {
        return fail(check, "port '%s': owns a step, and is no REQUIRES port", row->name);
    }
    if ((row->role == WW_PROVIDES) != (row->table != NULL)) {
        return fail(check, "port '%s': %s", row->name,
                    row->table == NULL ? "PROVIDES needs a function table"
                                       : "only PROVIDES has a function table");
    }
    if (!check_table(check, row)) {
        return false;
    }
    if (row->in_calls != NULL &&
        (row->role != WW_REQUIRES || !has_callers(check->type, row->in_calls))) {
        return fail(check, "port '%s': no port that the type provides has callers of rank '%s'",
                    row->name, row->in_calls);
    }
    if (row->entry != NULL && ww_type_entry(check->type, row->entry) < 0) {
        return fail(check, "port '%s': there is no entry point '%s'", row->name, row->entry);
    }
    if (contract->payload != NULL && !is_kept(contract->payload->kept)) {
        return fail(check, "port '%s': payload '%s' is kept without both keep() and tell()",
                    row->name, contract->payload->name);
    }
    return true;
}

/* Whoever is bound to a provider without saying to which port means the one of that contract. */
static bool check_provided_once(const Check *check, const WwPortRow *row)
{
    for (const WwPortRow *r = check->type->ports; row->role == WW_PROVIDES && r < row; r++) {
        if (r->role == WW_PROVIDES && r->contract == row->contract) {
            return fail(check, "ports '%s' and '%s' provide the same contract '%s'", r->name,
                        row->name, row->contract->name);
        }
    }
    return true;
}

static bool check_peers(const Check *check, const WwPortRow *row)
{
    bool provides = row->role == WW_PROVIDES;
    if (row->max == 0 ? !provides : row->min > row->max) {
        return fail(check, "port '%s': bad number of peers, expected min %u <= max %u", row->name,
                    row->min, row->max);
    }
    if (!provides && row->max > 1 && row->count_offset == 0) {
        return fail(check, "port '%s': an array of ports needs a count field", row->name);
    }
    if (provides && row->count_offset != 0) {
        return fail(check, "port '%s': PROVIDES has no count field", row->name);
    }
    size_t size = provides ? sizeof(WwProvided) : row->max * sizeof(WwPort);
    size_t align = provides ? _Alignof(WwProvided) : _Alignof(WwPort);
    return check_field(check, "port", row->name, row->offset, size, align) &&
           (row->count_offset == 0 ||
            check_field(check, "count of port", row->name, row->count_offset, sizeof(uint32_t),
                        _Alignof(uint32_t)));
}

static bool check_ports(const Check *check)
{
    const WwPortRow *row;
    for (WW_ROWS(check->type->ports, row)) {
        if (!check_row(check, "port", row->name, row->doc, ww_type_port(check->type, row->name),
                       (int)(row - check->type->ports)) ||
            !check_meaning(check, row) || !check_provided_once(check, row) ||
            !check_peers(check, row)) {
            return false;
        }
        /* Both are written component.name. */
        if (ww_type_param(check->type, row->name) >= 0) {
            return fail(check, "port '%s': a parameter has this name", row->name);
        }
    }
    return true;
}

/* ---- statistics and entry points ------------------------------------------------------------- */

static bool check_labels(const Check *check, const WwStatRow *row)
{
    if (row->labels == NULL) {
        return true;
    }
    if (row->kind != WW_STAT_VECTOR) {
        return fail(check, "statistic '%s': only a vector has labels", row->name);
    }
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (uint32_t i = 0; i < row->n; i++) {
        if (row->labels[i] == NULL || row->labels[i][0] == '\0') {
            return fail(check, "statistic '%s': label %u of %u is missing", row->name, i, row->n);
        }
        if (!g_hash_table_add(seen, (char *)row->labels[i])) { /* names in results */
            return fail(check, "statistic '%s': there are two labels '%s'", row->name,
                        row->labels[i]);
        }
    }
    return true;
}

static bool check_clocks(const Check *check)
{
    const WwClockRow *row;
    int i = 0;
    for (WW_ROWS(check->type->clocks, row)) {
        int first = 0;
        while (strcmp(check->type->clocks[first].name, row->name) != 0) {
            first++;
        }
        if (!check_row(check, "clock", row->name, row->doc, first, i++) ||
            !check_field(check, "clock", row->name, row->offset, sizeof(WwDomain *),
                         _Alignof(WwDomain *))) {
            return false;
        }
    }
    return true;
}

/* A parameter of old texts is one of today's no more, and something is said of it. */
static bool check_gone(const Check *check)
{
    const WwGoneRow *row;
    for (WW_ROWS(check->type->gone, row)) {
        if (row->now == NULL || row->now[0] == '\0' || ww_type_param(check->type, row->name) >= 0) {
            return fail(check,
                        "parameter '%s' is gone; expected where its fact is now, and no such "
                        "parameter",
                        row->name);
        }
    }
    return true;
}

static bool check_stats(const Check *check)
{
    const WwStatRow *row;
    for (WW_ROWS(check->type->stats, row)) {
        if (!check_row(check, "statistic", row->name, row->doc,
                       ww_type_stat(check->type, row->name), (int)(row - check->type->stats))) {
            return false;
        }
        if ((unsigned)row->kind > WW_STAT_HISTOGRAM) {
            return fail(check, "statistic '%s': kind %d is unknown", row->name, (int)row->kind);
        }
        bool single = row->kind == WW_STAT_COUNTER || row->kind == WW_STAT_MAX;
        if (row->n == 0 || (single && row->n != 1)) {
            return fail(check, "statistic '%s': length %u, expected %s", row->name, row->n,
                        single ? "1" : "at least 1");
        }
        if (row->unit == NULL) {
            return fail(check, "statistic '%s': no unit, expected a word or \"\"", row->name);
        }
        if (!check_labels(check, row) ||
            !check_field(check, "statistic", row->name, row->offset, row->n * sizeof(uint64_t),
                         _Alignof(uint64_t))) {
            return false;
        }
    }
    return true;
}

/* An owned step: its place is that of the owner at a PROVIDES port, so it has no phase. */
static bool check_owner(const Check *check, const WwEntryRow *row)
{
    int port = ww_type_port(check->type, row->owner);
    if (port < 0 || check->type->ports[port].role != WW_PROVIDES) {
        return fail(check, "entry point '%s': owner '%s' is no PROVIDES port", row->name,
                    row->owner);
    }
    if (row->phase != NULL) {
        return fail(check, "entry point '%s': phase '%s' and owner '%s', expected one of them",
                    row->name, row->phase, row->owner);
    }
    for (const WwEntryRow *r = check->type->entries; r < row; r++) {
        if (g_strcmp0(r->owner, row->owner) == 0) {
            return fail(check, "entry points '%s' and '%s' have the same owner '%s'", r->name,
                        row->name, row->owner);
        }
    }
    return true;
}

/* A turn among the callers of an interface that the type offers. */
static bool check_rank(const Check *check, const WwEntryRow *row)
{
    int port = row->port != NULL ? ww_type_port(check->type, row->port) : -1;
    if (port < 0 || check->type->ports[port].role != WW_PROVIDES) {
        return fail(check, "entry point '%s': '%s' is no PROVIDES port", row->name,
                    row->port != NULL ? row->port : "(none)");
    }
    const WwContract *contract = check->type->ports[port].contract;
    if (contract == NULL) {
        return true; /* told with the ports */
    }
    if (row->rank == NULL || !has_rank(contract, row->rank)) {
        return fail(check, "entry point '%s': contract '%s' has no rank '%s'", row->name,
                    contract->name, row->rank != NULL ? row->rank : "(none)");
    }
    return true;
}

static bool check_entries(const Check *check)
{
    const WwEntryRow *row;
    for (WW_ROWS(check->type->entries, row)) {
        if (!check_row(check, "entry point", row->name, row->doc,
                       ww_type_entry(check->type, row->name), (int)(row - check->type->entries))) {
            return false;
        }
        if (row->tick == NULL) {
            return fail(check, "entry point '%s': no tick function", row->name);
        }
        if ((row->bound != NULL) != (row->tick_bound != NULL) ||
            (row->bound != NULL && ww_type_port(check->type, row->bound) < 0)) {
            return fail(check, "entry point '%s': tick_bound and a port of the type come together",
                        row->name);
        }
        if (row->owner == NULL &&
            (row->phase == NULL || !is_word(row->phase, strlen(row->phase)))) {
            return fail(check, "entry point '%s': no phase", row->name);
        }
        if ((row->owner != NULL && !check_owner(check, row)) ||
            ((row->port != NULL || row->rank != NULL) && !check_rank(check, row))) {
            return false;
        }
    }
    return true;
}

/* ---- events ---------------------------------------------------------------------------------- */

static bool check_fields(const Check *check, const WwEventRow *row,
                         const WwEventField *const *field)
{
    for (; *field != NULL; field++) {
        const WwEventField *f = *field;
        if (f->name == NULL || !is_word(f->name, strlen(f->name)) || !is_line(f->doc) ||
            f->unit == NULL) {
            return fail(check, "event '%s': a field without a name, a unit or a line of doc",
                        row->name);
        }
        if ((f->form == WW_EVENT_PARTS) != (f->write != NULL)) {
            return fail(check, "event '%s': field '%s' is of parts and has no function, or has one",
                        row->name, f->name);
        }
        if (f->kept != NULL && f->form != WW_EVENT_PARTS) {
            return fail(check, "event '%s': field '%s' says how it is kept and is not of parts",
                        row->name, f->name);
        }
        if (!is_kept(f->kept)) {
            return fail(check, "event '%s': field '%s' is kept without both keep() and tell()",
                        row->name, f->name);
        }
        if (f->parts != NULL && !check_fields(check, row, f->parts)) {
            return false;
        }
    }
    return true;
}

static bool check_events(const Check *check)
{
    const WwEventRow *row, *other;
    for (WW_ROWS(check->type->events, row)) {
        size_t n = strlen(row->name);
        if (!is_word(row->name, n) || n > WW_EVENT_NAME || !is_line(row->doc) ||
            row->unit == NULL) {
            return fail(
                check,
                "event '%s': expected a word of at most %u letters, a unit and a line of doc",
                row->name, WW_EVENT_NAME);
        }
        for (other = check->type->events; other < row; other++) {
            if (strcmp(other->name, row->name) == 0) {
                return fail(check, "two events '%s'", row->name);
            }
        }
        if (row->field[WW_EVENT_FIELDS] != NULL) {
            return fail(check, "event '%s': more than %u fields", row->name, WW_EVENT_FIELDS);
        }
        if (!check_fields(check, row, row->field)) {
            return false;
        }
    }
    return true;
}

/* ---- the type -------------------------------------------------------------------------------- */

#define MOST_STATE (1u << 30) /* bytes of a component; offsets in it are numbers of 32 bits */

static bool check_head(const Check *check)
{
    const WwType *type = check->type;
    if (!is_type_name(type->name)) {
        return fail(check, "bad name, expected lower case, digits, '_' and at most one '.'");
    }
    if (!is_line(type->doc)) {
        return fail(check, "%s, expected one line", type->doc != NULL ? "bad doc" : "no doc");
    }
    if (type->family == NULL || !is_word(type->family, strlen(type->family))) {
        return fail(check, "bad family, expected lower case, digits and '_'");
    }
    if ((type->flags & ~(unsigned)(WW_TYPE_CHANNEL | WW_TYPE_FAULTY | WW_TYPE_FAKE |
                                   WW_TYPE_SERIAL | WW_TYPE_STOPS | WW_TYPE_NOT_SAVED)) != 0) {
        return fail(check, "flags 0x%x are unknown", type->flags);
    }
    if ((unsigned)type->conserves > WW_CONSERVES_MERGES) {
        return fail(check, "conserves %d is unknown", (int)type->conserves);
    }
    bool channel = (type->flags & WW_TYPE_CHANNEL) != 0;
    size_t least = channel ? sizeof(WwChannel) : sizeof(WwComponent);
    if (type->size < least) {
        return fail(check, "size %zu, expected at least %zu: the state begins with %s", type->size,
                    least, channel ? "WwChannel" : "WwComponent");
    }
    if (type->size > MOST_STATE) {
        return fail(check, "size %zu, expected at most %u: more is taken with ww_alloc()",
                    type->size, MOST_STATE);
    }
    return true;
}

bool ww_type_check(const WwType *type, GError **error)
{
    /* First of all: with another interface nothing behind this field means what it says. */
    if (type->abi == 0) {
        return ww_fail(error, WW_ERROR_MODULE,
                       "a type descriptor has no abi, expected WW_ABI_VERSION (%u)",
                       WW_ABI_VERSION);
    }
    if (type->abi != WW_ABI_VERSION) {
        return ww_fail(error, WW_ERROR_MODULE,
                       "a type descriptor was built for interface version %u, expected %u",
                       type->abi, WW_ABI_VERSION);
    }
    if (type->name == NULL) {
        return ww_fail(error, WW_ERROR_MODULE, "a type descriptor has no name");
    }
    g_autoptr(GArray) fields = g_array_new(FALSE, FALSE, sizeof(Field));
    Check check = {.type = type, .fields = fields, .error = error};
    return check_head(&check) && check_entries(&check) && check_params(&check) &&
           check_gone(&check) && check_clocks(&check) && check_ports(&check) &&
           check_stats(&check) && check_events(&check) && check_overlaps(&check);
}
