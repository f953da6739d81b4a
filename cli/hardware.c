/* SPDX-License-Identifier: Apache-2.0 */
#include "hardware.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FIELD (1u << 20)   /* bytes of a field */
#define MOST_FIELDS 65536u      /* of a line */
#define MOST_KERNELS (1u << 20) /* of a list of kernels, too */

const char *const cli_measured_columns[] = {"gpc__cycles_elapsed.avg",
                                            "gpc__cycles_elapsed.max",
                                            "sm__cycles_elapsed.avg",
                                            "sm__cycles_elapsed.max",
                                            "Elapsed Cycles",
                                            "cycles",
                                            NULL};
enum { N_KNOWN = G_N_ELEMENTS(cli_measured_columns) - 1 };
static const char *const kernel_columns[] = {"Kernel Name", "Kernel", "kernel", "Name", NULL};

/* ---- records ---------------------------------------------------------------------------------------------------- */

typedef struct Reader {
    const char *path;
    FILE *in;
    GPtrArray *fields; /* of the record, char * */
    GString *field;
    uint32_t line, first; /* where the reader is, and where the record began */
} Reader;

static bool fail_at(const Reader *r, GError **error, const char *what)
{
    return ww_fail(error, WW_ERROR_INPUT, "%s:%u: %s", r->path, r->first, what);
}

static bool end_field(Reader *r, GError **error)
{
    if (r->fields->len == MOST_FIELDS) {
        return fail_at(r, error, "more than 65536 fields; expected a table of figures");
    }
    if (strlen(r->field->str) != r->field->len) {
        return fail_at(r, error, "a byte that is 0; expected CSV, which is text");
    }
    g_ptr_array_add(r->fields, g_strdup(r->field->str));
    g_string_truncate(r->field, 0);
    return true;
}

static bool add_byte(Reader *r, int c, GError **error)
{
    if (r->field->len == MOST_FIELD) {
        return fail_at(r, error, "a field of more than 1 MiB; expected a name or a number");
    }
    g_string_append_c(r->field, (char)c);
    return true;
}

/* What stands in quotes, whose first was read: up to the last one. Two are one of the text. */
static bool read_quoted(Reader *r, GError **error)
{
    for (;;) {
        int c = getc_unlocked(r->in);
        if (c == EOF) {
            return fail_at(r, error, "quotes that do not end; expected '\"' behind the field");
        }
        r->line += c == '\n';
        if (c == '"') {
            c = getc_unlocked(r->in);
            if (c != '"') {
                ungetc(c, r->in);
                return true;
            }
        }
        if (!add_byte(r, c, error)) {
            return false;
        }
    }
}

/* The next record into `fields`; none of them: the file has ended. */
static bool read_record(Reader *r, GError **error)
{
    g_ptr_array_set_size(r->fields, 0);
    g_string_truncate(r->field, 0);
    r->first = ++r->line;
    bool begins = true;
    for (;;) {
        int c = getc_unlocked(r->in);
        if (c == EOF && ferror(r->in)) {
            return ww_fail(error, WW_ERROR_SYSTEM, "cannot read '%s': %s; expected a file", r->path,
                           g_strerror(errno));
        }
        if (c == EOF && r->fields->len == 0 && begins) {
            return true;
        }
        if (c == EOF || c == '\n' || c == ',') {
            if (c != ',' && r->field->len != 0 && r->field->str[r->field->len - 1] == '\r') {
                g_string_truncate(r->field, r->field->len - 1);
            }
            if (!end_field(r, error)) {
                return false;
            }
            if (c != ',') {
                return true;
            }
            begins = true;
        } else if (c == '"' && begins) {
            if (!read_quoted(r, error)) {
                return false;
            }
            begins = false;
        } else {
            if (!add_byte(r, c, error)) {
                return false;
            }
            begins = false;
        }
    }
}

/* ---- columns ---------------------------------------------------------------------------------------------------- */

/* Where in a record what is; -1: nowhere. */
typedef struct Layout {
    int kernel, id, trace;
    int metric, unit, value; /* a metric a line */
    int known[N_KNOWN],
        here; /* a column a metric: those that are meant where nobody names one, that which is named */
} Layout;

/* A kernel while it is read. */
typedef struct Row {
    CliMeasuredKernel own;
    char *id;
    double known[N_KNOWN], here; /* NAN: it has none */
} Row;

typedef struct Table {
    Reader *reader;
    const char *column; /* NULL: one that is known */
    Layout at;
    GArray *rows;              /* Row */
    GHashTable *ids;           /* of a metric a line: the row of an ID, from 1 */
    double scale[N_KNOWN + 1]; /* units of columns; the last one is that of `here` */
} Table;

static int find(const GPtrArray *fields, const char *name)
{
    for (guint i = 0; i < fields->len; i++) {
        if (strcmp(g_strstrip(fields->pdata[i]), name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

static int find_any(const GPtrArray *fields, const char *const *names)
{
    int at = -1;
    for (; at < 0 && *names != NULL; names++) {
        at = find(fields, *names);
    }
    return at;
}

/* Does this record name the columns? */
static bool is_head(Table *t)
{
    const GPtrArray *f = t->reader->fields;
    Layout *at = &t->at;
    at->kernel = find_any(f, kernel_columns);
    at->id = find(f, "ID");
    at->trace = find(f, "trace");
    at->metric = find(f, "Metric Name");
    at->unit = find(f, "Metric Unit");
    at->value = find(f, "Metric Value");
    at->here = t->column != NULL ? find(f, t->column) : -1;
    bool any = at->here >= 0 || (at->metric >= 0 && at->value >= 0 && at->id >= 0);
    for (int i = 0; i < N_KNOWN; i++) {
        at->known[i] = t->column == NULL ? find(f, cli_measured_columns[i]) : -1;
        any |= at->known[i] >= 0;
    }
    return at->kernel >= 0 && any;
}

static const char *field(const Table *t, int at)
{
    return at >= 0 && (guint)at < t->reader->fields->len ? t->reader->fields->pdata[at] : "";
}

/* "Kbyte" is a thousand bytes. */
static double unit_scale(const char *unit)
{
    static const struct {
        char letter;
        double scale;
    } all[] = {{'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}};
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        if (unit[0] == all[i].letter && g_ascii_islower(unit[1])) {
            return all[i].scale;
        }
    }
    return 1;
}

/* "1,234.5": profilers group digits. */
static bool read_value(const Table *t, const char *text, const char *column, double scale,
                       double *out, GError **error)
{
    g_autoptr(GString) digits = g_string_new(NULL);
    for (const char *p = text; *p != '\0'; p++) {
        if (*p != ',' && *p != ' ') {
            g_string_append_c(digits, *p);
        }
    }
    char *end = digits->str;
    double v = g_ascii_strtod(digits->str, &end) * scale;
    if (end == digits->str || *end != '\0' || !isfinite(v) || v < 0 ||
        strpbrk(digits->str, "xX") != NULL) {
        g_autofree char *shown = cli_cut(text, 40), *name = cli_cut(column, 60);
        g_autofree char *what =
            g_strdup_printf("'%s' is '%s'; expected a number from 0 on", name, shown);
        return fail_at(t->reader, error, what);
    }
    *out = v;
    return true;
}

/* ---- kernels ---------------------------------------------------------------------------------------------------- */

/* The row of the record's kernel: a new one, or in a file with a metric a line that of its ID. */
static Row *row_of(Table *t, GError **error)
{
    const char *id = t->at.metric >= 0 ? field(t, t->at.id) : NULL;
    guint known = id != NULL ? GPOINTER_TO_UINT(g_hash_table_lookup(t->ids, id)) : 0;
    if (known != 0) {
        return &g_array_index(t->rows, Row, known - 1);
    }
    if (t->rows->len == MOST_KERNELS) {
        fail_at(t->reader, error, "more than 1048576 kernels; expected a list of them");
        return NULL;
    }
    Row row = {.own = {.name = g_strdup(field(t, t->at.kernel)),
                       .trace = t->at.trace >= 0 ? g_strdup(field(t, t->at.trace)) : NULL,
                       .line = t->reader->first},
               .id = g_strdup(id),
               .here = NAN};
    for (int i = 0; i < N_KNOWN; i++) {
        row.known[i] = NAN;
    }
    g_array_append_val(t->rows, row);
    Row *own = &g_array_index(t->rows, Row, t->rows->len - 1);
    if (id != NULL) {
        g_hash_table_insert(t->ids, own->id, GUINT_TO_POINTER(t->rows->len));
    }
    return own;
}

/* A line that is one metric of a kernel. */
static bool add_metric(Table *t, GError **error)
{
    Row *row = row_of(t, error);
    if (row == NULL) {
        return false;
    }
    const char *metric = field(t, t->at.metric), *value = field(t, t->at.value);
    double scale = unit_scale(field(t, t->at.unit));
    if (t->column != NULL) {
        return strcmp(metric, t->column) != 0 ||
               read_value(t, value, metric, scale, &row->here, error);
    }
    for (int i = 0; i < N_KNOWN; i++) {
        if (strcmp(metric, cli_measured_columns[i]) == 0) {
            return read_value(t, value, metric, scale, &row->known[i], error);
        }
    }
    return true;
}

/* A line that is a kernel. */
static bool add_kernel(Table *t, GError **error)
{
    Row *row = row_of(t, error);
    if (row == NULL) {
        return false;
    }
    if (t->at.here >= 0) {
        return read_value(t, field(t, t->at.here), t->column, t->scale[N_KNOWN], &row->here, error);
    }
    for (int i = 0; i < N_KNOWN; i++) {
        if (t->at.known[i] >= 0 && !read_value(t, field(t, t->at.known[i]), cli_measured_columns[i],
                                               t->scale[i], &row->known[i], error)) {
            return false;
        }
    }
    return true;
}

/* Units stand below the names of columns, in a line without a kernel. */
static void take_units(Table *t)
{
    t->scale[N_KNOWN] = unit_scale(field(t, t->at.here));
    for (int i = 0; i < N_KNOWN; i++) {
        t->scale[i] = unit_scale(field(t, t->at.known[i]));
    }
}

static bool add_record(Table *t, GError **error)
{
    const char *name = field(t, t->at.kernel);
    if (*name == '\0') {
        if (t->rows->len == 0 && t->at.metric < 0) {
            take_units(t);
        }
        return true;
    }
    if (g_str_has_prefix(name, "[CUDA ") || g_str_has_prefix(name, "==")) {
        return true; /* a copy of the host's, or what a profiler says */
    }
    return t->at.metric >= 0 && t->at.here < 0 ? add_metric(t, error) : add_kernel(t, error);
}

static void fail_column(const Table *t, GError **error)
{
    g_autofree char *names = g_strjoinv("', '", (char **)cli_measured_columns),
                    *column = t->column != NULL ? cli_visible(t->column) : NULL;
    if (column != NULL) {
        ww_fail(error, WW_ERROR_INPUT,
                "%s: no column or metric '%s' of kernels; expected one of this name",
                t->reader->path, column);
    } else {
        ww_fail(error, WW_ERROR_INPUT,
                "%s: no figure of kernels; expected a column or metric '%s', or --column",
                t->reader->path, names);
    }
}

/* Which of the known columns the file has: a value of the first kernel. -1: the named one; -2: none. */
static int column_of(const Table *t)
{
    if (t->rows->len == 0) {
        return -2;
    }
    const Row *first = &g_array_index(t->rows, Row, 0);
    if (t->column != NULL) {
        return isnan(first->here) ? -2 : -1;
    }
    for (int i = 0; i < N_KNOWN; i++) {
        if (!isnan(first->known[i])) {
            return i;
        }
    }
    return -2;
}

static CliMeasured *finish(Table *t, GError **error)
{
    int column = column_of(t);
    if (column == -2) {
        fail_column(t, error);
        return NULL;
    }
    CliMeasured *m = g_new0(CliMeasured, 1);
    m->path = g_strdup(t->reader->path);
    m->column = g_strdup(column < 0 ? t->column : cli_measured_columns[column]);
    m->kernels = g_array_new(false, false, sizeof(CliMeasuredKernel));
    for (guint i = 0; i < t->rows->len; i++) {
        Row *row = &g_array_index(t->rows, Row, i);
        row->own.value = column < 0 ? row->here : row->known[column];
        if (isnan(row->own.value)) {
            g_autofree char *shown = cli_cut(row->own.name, 60);
            ww_fail(error, WW_ERROR_INPUT,
                    "%s:%u: kernel '%s' has no '%s'; expected it of every kernel, or of none",
                    m->path, row->own.line, shown, m->column);
            cli_measured_free(m);
            return NULL;
        }
        g_array_append_val(m->kernels, row->own);
        row->own.name = row->own.trace = NULL;
    }
    return m;
}

static CliMeasured *read_table(Table *t, GError **error)
{
    bool head = false;
    for (;;) {
        if (!read_record(t->reader, error)) {
            return NULL;
        }
        if (t->reader->fields->len == 0) {
            break;
        }
        if (!head) {
            head = is_head(t);
        } else if (!add_record(t, error)) {
            return NULL;
        }
    }
    return finish(t, error);
}

CliMeasured *cli_measured_read(const char *path, const char *column, GError **error)
{
    Reader reader = {.path = path, .in = fopen(path, "re")};
    if (reader.in == NULL) {
        ww_fail(error, WW_ERROR_SYSTEM, "cannot open '%s': %s; expected a file of measured figures",
                path, g_strerror(errno));
        return NULL;
    }
    reader.fields = g_ptr_array_new_with_free_func(g_free);
    reader.field = g_string_new(NULL);
    Table t = {.reader = &reader,
               .column = column,
               .rows = g_array_new(false, false, sizeof(Row)),
               .ids = g_hash_table_new(g_str_hash, g_str_equal)};
    for (size_t i = 0; i < G_N_ELEMENTS(t.scale); i++) {
        t.scale[i] = 1;
    }
    CliMeasured *m = read_table(&t, error);
    g_hash_table_unref(t.ids);
    for (guint i = 0; i < t.rows->len; i++) {
        Row *row = &g_array_index(t.rows, Row, i);
        g_free(row->own.name);
        g_free(row->own.trace);
        g_free(row->id);
    }
    g_array_unref(t.rows);
    g_ptr_array_unref(reader.fields);
    g_string_free(reader.field, true);
    fclose(reader.in);
    return m;
}

void cli_measured_free(CliMeasured *m)
{
    if (m == NULL) {
        return;
    }
    for (guint i = 0; i < m->kernels->len; i++) {
        g_free(g_array_index(m->kernels, CliMeasuredKernel, i).name);
        g_free(g_array_index(m->kernels, CliMeasuredKernel, i).trace);
    }
    g_array_unref(m->kernels);
    g_free(m->path);
    g_free(m->column);
    g_free(m);
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

/* The function's own name of a mangled one: the last of "_ZN3foo3barE". "": not known, as behind template arguments of what encloses it. */
static char *mangled(const char *p)
{
    const char *name = "";
    size_t length = 0;
    p += 2;
    bool nested = *p == 'N';
    p += nested;
    while (nested && *p != '\0' && strchr("rVK", *p) != NULL) {
        p++;
    }
    p += *p == 'L';
    while (g_ascii_isdigit(*p) && (nested || length == 0)) {
        char *end;
        unsigned long n = strtoul(p, &end, 10);
        if (n > strlen(end)) {
            return g_strdup("");
        }
        name = end;
        length = n;
        p = end + n;
    }
    return nested && *p != 'E' ? g_strdup("") : g_strndup(name, length);
}

/* That of a name as C++ writes it: "void foo::bar<float>(const float *)". */
static char *written(const char *text)
{
    g_autoptr(GString) all = g_string_new(text), name = g_string_new(NULL);
    g_string_replace(all, "(anonymous namespace)::", "", 0);
    g_string_replace(all, "<unnamed>::", "", 0);
    uint32_t depth = 0;
    for (const char *p = all->str; *p != '\0' && (depth != 0 || *p != '('); p++) {
        depth += *p == '<';
        if (depth == 0) {
            g_string_append_c(name, *p);
        }
        depth -= depth != 0 && *p == '>';
    }
    g_strchomp(name->str);
    const char *blank = strrchr(name->str, ' '), *begin = blank != NULL ? blank + 1 : name->str,
               *colon = strrchr(begin, ':');
    return g_strdup(colon != NULL ? colon + 1 : begin);
}

static char *function_of(const char *text)
{
    return g_str_has_prefix(text, "_Z") ? mangled(text) : written(text);
}

bool cli_measured_same(const char *ours, const char *theirs)
{
    g_autofree char *a = function_of(ours), *b = function_of(theirs);
    return *a == '\0' || *b == '\0' || strcmp(a, b) == 0;
}
