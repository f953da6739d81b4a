/* SPDX-License-Identifier: Apache-2.0 */
/* Reading results (schema warpwright-results-1), once, from front to end; a row is written when its values are known. */
#include "put.h"

#include <string.h>

#define SCHEMA "warpwright-results-1"

static const char *const figure_names[N_FIGURES] = {
    "cycles", "thread_instructions", "warp_instructions", "ctas",
    "sms",    "launch_cycles",       "tail_cycles"};

/* ---- parts ------------------------------------------------------------------------------------------------------ */

void put_part_init(Part *p)
{
    p->grid = g_string_new(NULL);
    p->block = g_string_new(NULL);
    for (int i = 0; i < 2; i++) {
        DbCounts *c = i == 0 ? &p->counters : &p->instances;
        c->names = g_array_new(false, false, sizeof(uint32_t));
        c->values = g_array_new(false, false, sizeof(uint64_t));
    }
}

static void part_reset(Part *p)
{
    Part empty = {.grid = g_string_truncate(p->grid, 0),
                  .block = g_string_truncate(p->block, 0),
                  .counters = p->counters,
                  .instances = p->instances};
    *p = empty;
    g_array_set_size(p->counters.names, 0);
    g_array_set_size(p->counters.values, 0);
    g_array_set_size(p->instances.names, 0);
    g_array_set_size(p->instances.values, 0);
}

void put_part_clear(Part *p)
{
    g_string_free(p->grid, true);
    g_string_free(p->block, true);
    g_array_unref(p->counters.names);
    g_array_unref(p->counters.values);
    g_array_unref(p->instances.names);
    g_array_unref(p->instances.values);
}

bool put_failed(Put *p)
{
    p->scan.failed = true;
    if (p->error != NULL && *p->error != NULL && !g_str_has_prefix((*p->error)->message, "'")) {
        g_prefix_error(p->error, "%s: ", p->scan.name);
    }
    return false;
}

/* ---- statistics ------------------------------------------------------------------------------------------------- */

static bool count(Put *p, DbCounts *c)
{
    uint64_t v;
    if (!db_scan_count(&p->scan, &v)) {
        return false;
    }
    uint32_t name = db_name(p->db, p->word->str, p->word->len, p->error);
    if (name == 0) {
        return put_failed(p);
    }
    g_array_append_val(c->names, name);
    g_array_append_val(c->values, v);
    return true;
}

/* The name in p->word is that of one number, of a list, or of numbers by label. */
static bool statistic(Put *p, DbCounts *c)
{
    DbScan *s = &p->scan;
    char kind = db_scan_peek(s);
    DbSlice label;
    size_t n = p->word->len;
    if (kind == '[') {
        db_scan_array(s);
        for (unsigned i = 0; db_scan_entry(s); i++) {
            g_string_append_printf(p->word, ".%u", i);
            count(p, c);
            g_string_truncate(p->word, n);
        }
    } else if (kind == '{') {
        db_scan_object(s);
        while (db_scan_member(s, &label)) {
            g_string_append_c(p->word, '.');
            g_string_append_len(p->word, label.p, (gssize)label.n);
            count(p, c);
            g_string_truncate(p->word, n);
        }
    } else {
        count(p, c);
    }
    return !s->failed;
}

static bool counters(Put *p, DbCounts *c)
{
    DbSlice name;
    db_scan_object(&p->scan);
    while (db_scan_member(&p->scan, &name)) {
        g_string_truncate(p->word, 0);
        g_string_append_len(p->word, name.p, (gssize)name.n);
        statistic(p, c);
    }
    return !p->scan.failed;
}

/* {PATH: {"type": TYPE, STATISTIC: value, ...}} */
static bool instances(Put *p, DbCounts *c)
{
    DbSlice path, name;
    db_scan_object(&p->scan);
    while (db_scan_member(&p->scan, &path)) {
        db_scan_object(&p->scan);
        while (db_scan_member(&p->scan, &name)) {
            if (db_scan_peek(&p->scan) == '"') {
                db_scan_any(&p->scan, NULL); /* its type */
                continue;
            }
            g_string_truncate(p->word, 0);
            g_string_append_len(p->word, path.p, (gssize)path.n);
            g_string_append_c(p->word, ':');
            g_string_append_len(p->word, name.p, (gssize)name.n);
            statistic(p, c);
        }
    }
    return !p->scan.failed;
}

bool put_bind_counts(Put *p, sqlite3_stmt *s, int at, const DbCounts *c, GString *text)
{
    sqlite3_bind_null(s, at);
    sqlite3_bind_null(s, at + 1);
    if (c->names->len == 0) {
        return true;
    }
    DbLayout *layout = db_layout(p->db, c, p->error);
    if (layout == NULL) {
        return put_failed(p);
    }
    g_string_truncate(text, 0);
    db_layout_write(layout, c, text);
    sqlite3_bind_int64(s, at, layout->id);
    sqlite3_bind_text64(s, at + 1, text->str, text->len, SQLITE_STATIC, SQLITE_UTF8);
    return true;
}

/* ---- kernels ---------------------------------------------------------------------------------------------------- */

/* A member of a kernel, or of the total. */
static bool part_member(Put *p, Part *part, DbSlice key)
{
    DbScan *s = &p->scan;
    for (int i = 0; i < N_FIGURES; i++) {
        if (db_slice_is(key, figure_names[i])) {
            if (part->has[i]) {
                return db_scan_fail(s, "'%s' is there twice; expected it once", figure_names[i]);
            }
            part->has[i] = true;
            db_scan_peek(s);
            const char *from = s->p;
            if (db_scan_integer(s, &part->figure[i]) && part->figure[i] < 0) {
                s->p = from;
                return db_scan_fail(s, "'%s' is below 0; expected 0 or more", figure_names[i]);
            }
            return !s->failed;
        }
    }
    if (db_slice_is(key, "counters")) {
        if (part->has_counters) {
            return db_scan_fail(s, "'counters' is there twice; expected it once");
        }
        part->has_counters = true;
        return counters(p, &part->counters);
    }
    return db_slice_is(key, "instances")   ? instances(p, &part->instances)
           : db_slice_is(key, "bound_by")  ? db_scan_string(s, &part->bound_by)
           : db_slice_is(key, "name")      ? db_scan_string(s, &part->name)
           : db_slice_is(key, "uid")       ? db_scan_integer(s, &part->uid)
           : db_slice_is(key, "stream")    ? db_scan_integer(s, &part->stream)
           : db_slice_is(key, "end_cycle") ? db_scan_integer(s, &part->end)
           : db_slice_is(key, "partial")   ? db_scan_bool(s, &part->partial)
           : db_slice_is(key, "grid")      ? db_scan_any(s, g_string_truncate(part->grid, 0))
           : db_slice_is(key, "block")     ? db_scan_any(s, g_string_truncate(part->block, 0))
                                           : db_scan_any(s, NULL);
}

void put_bind_figure(sqlite3_stmt *s, int at, const Part *part, int figure)
{
    if (part->has[figure]) {
        sqlite3_bind_int64(s, at, part->figure[figure]);
    } else {
        sqlite3_bind_null(s, at);
    }
}

static bool write_kernel(Put *p)
{
    Part *k = &p->kernel;
    sqlite3_stmt *s = db_statement(p->db, DB_ADD_KERNEL, p->error);
    uint32_t name = db_name(p->db, k->name.p != NULL ? k->name.p : "", k->name.n, p->error);
    if (s == NULL || name == 0) {
        return put_failed(p);
    }
    sqlite3_bind_int64(s, 1, p->row);
    sqlite3_bind_int64(s, 2, ++p->n_kernels);
    sqlite3_bind_int64(s, 3, name);
    sqlite3_bind_int64(s, 4, k->uid);
    sqlite3_bind_text(s, 5, k->grid->str, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 6, k->block->str, -1, SQLITE_STATIC);
    sqlite3_bind_int64(s, 7, k->stream);
    sqlite3_bind_int(s, 8, k->partial);
    put_bind_figure(s, 9, k, CYCLES);
    sqlite3_bind_int64(s, 10, k->end);
    for (int i = THREADS; i < N_FIGURES; i++) {
        put_bind_figure(s, 10 + i, k, i);
    }
    db_bind_slice(s, 17, k->bound_by);
    return put_bind_counts(p, s, 18, &k->counters, p->values) &&
           put_bind_counts(p, s, 20, &k->instances, p->more) &&
           (db_done(p->db, s, p->error) || put_failed(p));
}

static bool kernels(Put *p)
{
    DbSlice key;
    db_scan_array(&p->scan);
    while (db_scan_entry(&p->scan)) {
        part_reset(&p->kernel);
        db_scan_object(&p->scan);
        while (db_scan_member(&p->scan, &key)) {
            part_member(p, &p->kernel, key);
        }
        if (p->scan.failed || !write_kernel(p)) {
            return false;
        }
    }
    return !p->scan.failed;
}

static bool total(Put *p)
{
    DbSlice key;
    db_scan_object(&p->scan);
    while (db_scan_member(&p->scan, &key)) {
        part_member(p, &p->total, key);
    }
    return !p->scan.failed;
}

/* ---- intervals -------------------------------------------------------------------------------------------------- */

static bool interval_names(Put *p, DbCounts *c)
{
    DbSlice name;
    db_scan_array(&p->scan);
    while (db_scan_entry(&p->scan)) {
        if (db_scan_string(&p->scan, &name)) {
            uint32_t id = db_name(p->db, name.p, name.n, p->error);
            if (id == 0) {
                return put_failed(p);
            }
            g_array_append_val(c->names, id);
        }
    }
    g_array_set_size(c->values, c->names->len);
    return !p->scan.failed;
}

static bool write_interval(Put *p, const DbCounts *c, int64_t cycle)
{
    sqlite3_stmt *s = db_statement(p->db, DB_ADD_INTERVAL, p->error);
    if (p->over_time == NULL) {
        p->over_time = db_layout(p->db, c, p->error);
    }
    if (s == NULL || p->over_time == NULL) {
        return put_failed(p);
    }
    g_string_truncate(p->values, 0);
    db_layout_write(p->over_time, c, p->values);
    sqlite3_bind_int64(s, 1, p->row);
    sqlite3_bind_int64(s, 2, cycle);
    sqlite3_bind_text64(s, 3, p->values->str, p->values->len, SQLITE_STATIC, SQLITE_UTF8);
    return db_done(p->db, s, p->error) || put_failed(p);
}

static bool interval_row(Put *p, const DbCounts *c, int64_t *before)
{
    DbScan *s = &p->scan;
    int64_t cycle = 0;
    uint32_t n = 0;
    db_scan_array(s);
    while (db_scan_entry(s)) {
        int64_t v = 0;
        if (db_scan_integer(s, &v) && n > 0 && n <= c->values->len) {
            g_array_index(c->values, uint64_t, n - 1) = (uint64_t)v;
        }
        cycle = n++ == 0 ? v : cycle;
    }
    if (!s->failed && (n != c->names->len + 1 || cycle <= *before)) {
        return db_scan_fail(s,
                            "a row of %u numbers at cycle %" G_GINT64_FORMAT
                            "; expected %u, at a later cycle than the row before",
                            n, cycle, c->names->len + 1);
    }
    *before = cycle;
    p->n_intervals++;
    return !s->failed && write_interval(p, c, cycle);
}

/* {"every": N, "statistics": [NAME, ...], "rows": [[cycle, value, ...], ...]} */
static bool intervals(Put *p)
{
    DbScan *s = &p->scan;
    DbSlice key;
    int64_t before = -1;
    DbCounts c = {g_array_new(false, false, sizeof(uint32_t)),
                  g_array_new(false, true, sizeof(uint64_t)), true};
    db_scan_object(s);
    while (db_scan_member(s, &key)) {
        if (db_slice_is(key, "every")) {
            db_scan_integer(s, &p->every);
        } else if (db_slice_is(key, "statistics") && c.names->len == 0) {
            interval_names(p, &c);
        } else if (db_slice_is(key, "rows") && c.names->len != 0) {
            db_scan_array(s);
            while (db_scan_entry(s)) {
                interval_row(p, &c, &before);
            }
        } else if (db_slice_is(key, "rows")) { /* of what? */
            db_scan_fail(s, "'rows' without names; expected 'statistics' before it, once");
        } else {
            db_scan_any(s, NULL);
        }
    }
    g_array_unref(c.names);
    g_array_unref(c.values);
    return !s->failed;
}

/* ---- the run ---------------------------------------------------------------------------------------------------- */

/* Options of `command` that make one run another than the next: axes of runs of which nobody says what was varied. 'sms' is a figure. */
static const struct {
    const char *word, *axis;
} options[] = {{"-p", "platform"},      {"--gpgpusim", "gpgpusim"}, {"--sms", "sms_alone"},
               {"-m", "module"},        {"--kernels", "kernels"},   {"--max-ctas", "max_ctas"},
               {"--opcodes", "opcodes"}};

static void take_word(Put *p, const char *option, DbSlice word)
{
    char *text = g_strndup(word.p, word.n);
    if (option == NULL) {
        g_ptr_array_add(p->given, text);
    } else {
        g_ptr_array_add(p->options, g_strdup(option));
        g_ptr_array_add(p->options, text);
    }
}

/* A list of words; those behind -s are settings. */
static bool command(Put *p)
{
    DbScan *s = &p->scan;
    const char *from = (db_scan_peek(s), s->p), *option = NULL;
    DbSlice word;
    bool value = false;
    db_scan_array(s);
    while (db_scan_entry(s)) {
        if (!db_scan_string(s, &word)) {
            return false;
        }
        if (value) {
            take_word(p, option, word);
            value = false;
            continue;
        }
        option = NULL;
        value = db_slice_is(word, "-s");
        for (size_t i = 0; !value && i < G_N_ELEMENTS(options); i++) {
            value = db_slice_is(word, options[i].word);
            option = value ? options[i].axis : NULL;
        }
    }
    if (s->failed) {
        return false;
    }
    s->p = from; /* once more, as text */
    return db_scan_any(s, p->command);
}

/* An input's kind and contents, of those that make the machine. */
static bool input(Put *p)
{
    DbScan *s = &p->scan;
    DbSlice key, kind = {0}, sum = {0};
    db_scan_object(s);
    while (db_scan_member(s, &key)) {
        if (db_slice_is(key, "kind")) {
            db_scan_string(s, &kind);
        } else if (db_slice_is(key, "sha256") && db_scan_peek(s) == '"') {
            db_scan_string(s, &sum);
        } else {
            db_scan_any(s, NULL);
        }
    }
    if (!s->failed && (db_slice_is(kind, "platform") || db_slice_is(kind, "module") ||
                       db_slice_is(kind, "opcodes"))) {
        g_checksum_update(p->machine, (const guchar *)kind.p, (gssize)kind.n);
        g_checksum_update(p->machine, (const guchar *)(sum.n != 0 ? sum.p : "?"),
                          (gssize)(sum.n != 0 ? sum.n : 1));
    }
    return !s->failed;
}

static bool inputs(Put *p)
{
    DbScan *s = &p->scan;
    const char *from = (db_scan_peek(s), s->p);
    db_scan_array(s);
    while (db_scan_entry(s)) {
        input(p);
    }
    if (s->failed) {
        return false;
    }
    s->p = from;
    return db_scan_any(s, p->inputs);
}

static bool resolved(Put *p)
{
    if (db_scan_peek(&p->scan) != '{') {
        return db_scan_fail(&p->scan, "expected an object of values");
    }
    if (!db_scan_any(&p->scan, p->settings)) {
        return false;
    }
    g_checksum_update(p->machine, (const guchar *)p->settings->str, (gssize)p->settings->len);
    return true;
}

static bool host(Put *p)
{
    DbSlice key;
    db_scan_object(&p->scan);
    while (db_scan_member(&p->scan, &key)) {
        if (db_slice_is(key, "seconds")) {
            db_scan_real(&p->scan, &p->seconds);
        } else if (db_slice_is(key, "processor_seconds")) {
            db_scan_real(&p->scan, &p->processor_seconds);
        } else {
            db_scan_any(&p->scan, NULL);
        }
    }
    return !p->scan.failed;
}

static bool text_member(Put *p, DbSlice *out)
{
    return db_scan_string(&p->scan, out);
}

static bool schema(Put *p)
{
    DbSlice text;
    if (!db_scan_string(&p->scan, &text)) {
        return false;
    }
    return db_slice_is(text, SCHEMA) || db_scan_fail(&p->scan, "schema is '%.*s'; expected '%s'",
                                                     (int)MIN(text.n, 60), text.p, SCHEMA);
}

static bool version(Put *p)
{
    return text_member(p, &p->version);
}

static bool status(Put *p)
{
    return text_member(p, &p->status);
}

static bool trace(Put *p)
{
    return text_member(p, &p->trace);
}

static bool platform(Put *p)
{
    return text_member(p, &p->platform);
}

static bool fingerprint(Put *p)
{
    return text_member(p, &p->fingerprint);
}

static bool partial(Put *p)
{
    return db_scan_bool(&p->scan, &p->partial);
}

static bool config(Put *p)
{
    return db_scan_any(&p->scan, p->config);
}

/* A list of texts becomes a line each. */
static bool notes(Put *p)
{
    DbSlice text;
    db_scan_array(&p->scan);
    while (db_scan_entry(&p->scan) && db_scan_string(&p->scan, &text)) {
        g_string_append(p->notes, p->notes->len != 0 ? "\n" : "");
        g_string_append_len(p->notes, text.p, (gssize)text.n);
    }
    return !p->scan.failed;
}

typedef struct Member {
    const char *name;
    bool (*read)(Put *p);
    bool must, apart; /* it must be there; it is no part of the result */
} Member;
static const Member members[] = {
    {"schema", schema, true},
    {"version", version},
    {"status", status},
    {"partial", partial},
    {"trace", trace},
    {"platform", platform},
    {"config", config},
    {"command", command},
    {"inputs", inputs},
    {"fingerprint", fingerprint},
    {"resolved", resolved},
    {"kernels", kernels, true},
    {"intervals", intervals},
    {"total", total, true},
    {"host", host, false, true},
    {"notes", notes, false, true},
};

static bool read_member(Put *p, DbSlice key)
{
    for (size_t i = 0; i < G_N_ELEMENTS(members); i++) {
        if (!db_slice_is(key, members[i].name)) {
            continue;
        }
        if ((p->seen & 1u << i) != 0) {
            return db_scan_fail(&p->scan, "'%s' is there twice; expected it once", members[i].name);
        }
        if (i != 0 && (p->seen & 1u) == 0) {
            return db_scan_fail(&p->scan, "'%s' comes first; expected 'schema'", members[i].name);
        }
        p->seen |= 1u << i;
        const char *from = (db_scan_peek(&p->scan), p->scan.p);
        bool good = members[i].read(p);
        if (good && p->all != NULL && !members[i].apart) {
            g_checksum_update(p->all, (const guchar *)members[i].name, -1);
            g_checksum_update(p->all, (const guchar *)from, (gssize)(p->scan.p - from));
        }
        return good;
    }
    return db_scan_any(&p->scan, NULL);
}

bool put_read(Put *p)
{
    DbSlice key;
    if (db_scan_peek(&p->scan) != '{') {
        return db_scan_fail(&p->scan, "no '{'; expected results of warpwright run -o FILE.json");
    }
    db_scan_object(&p->scan);
    while (db_scan_member(&p->scan, &key)) {
        read_member(p, key);
    }
    for (size_t i = 0; !p->scan.failed && i < G_N_ELEMENTS(members); i++) {
        if (members[i].must && (p->seen & 1u << i) == 0) {
            return db_scan_fail(&p->scan,
                                "no '%s'; expected results of warpwright run -o FILE.json",
                                members[i].name);
        }
    }
    if (!p->scan.failed && !p->total.has_counters) {
        return db_scan_fail(&p->scan, "no 'counters' in 'total'; expected them");
    }
    return db_scan_end(&p->scan);
}
