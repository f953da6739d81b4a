/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waveforms: a value change dump (IEEE 1364, chapter 18). A channel has its fill and what went in and out in a cycle, a component the number of its
 * events of each kind in a cycle and the numbers that the last of them said, a warp what it has in the i-buffer and in flight. Which signals there
 * are is known in the end only, and stands at the head: changes are kept in a file without a name until then.
 */
#include "vcd-priv.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <unistd.h>

enum { SIGNALS = 1 << 20, COPY = 64 << 10, CODE = 8 };

/* ---- changes -------------------------------------------------------------------------------------------------------- */

static void code_of(uint32_t number, char code[CODE])
{
    do { /* printable characters, '!' to '~' */
        *code++ = (char)('!' + number % 94);
        number /= 94;
    } while (number != 0);
    *code = '\0';
}

static void write_value(FILE *out, const Signal *s, uint64_t value, bool known)
{
    char code[CODE], bits[66] = "bx";
    code_of(s->number, code);
    if (known) {
        uint32_t n = value != 0 ? 64 - (uint32_t)__builtin_clzll(value) : 1;
        for (uint32_t i = 0; i < n; i++) {
            bits[1 + i] = (char)('0' + (value >> (n - 1 - i) & 1));
        }
        bits[1 + n] = '\0';
    }
    fprintf(out, "%s %s\n", bits, code);
}

static int by_number(const void *a, const void *b)
{
    const Signal *x = *(Signal *const *)a, *y = *(Signal *const *)b;
    return (x->number > y->number) - (x->number < y->number);
}

/* What has changed at the present time, in the order of signals. */
static void write_step(Vcd *v)
{
    bool told = false;
    g_ptr_array_sort(v->changed, by_number);
    for (guint i = 0; i < v->changed->len; i++) {
        Signal *s = v->changed->pdata[i];
        s->changed = false;
        if (s->known && s->written && s->value == s->last) {
            continue;
        }
        if (!told) {
            fprintf(v->spool, "#%" PRIu64 "\n", v->now);
            told = true;
        }
        write_value(v->spool, s, s->value, true);
        s->written = true;
        s->last = s->value;
    }
    g_ptr_array_set_size(v->changed, 0);
}

static void set(Vcd *v, Signal *s, uint64_t value)
{
    s->value = value;
    s->known = true;
    if (!s->changed) {
        s->changed = true;
        g_ptr_array_add(v->changed, s);
    }
}

/* Time goes on to @p time; counts of a cycle are 0 when it is over. */
static void move_on(Vcd *v, uint64_t time)
{
    guint i = 0;
    for (; i < v->pulses->len; i++) {
        const Pulse *p = &g_array_index(v->pulses, Pulse, i);
        if (p->until > time) {
            break;
        }
        if (p->until > v->now) {
            write_step(v);
            v->now = p->until;
        }
        if (p->signal->until == p->until) {
            set(v, p->signal, 0);
        }
    }
    g_array_remove_range(v->pulses, 0, i);
    if (time > v->now) {
        write_step(v);
        v->now = time;
    }
}

/* One more in this cycle, which is over at @p until. */
static void pulse(Vcd *v, Signal *s, uint64_t until)
{
    bool again = s->until == until && s->value != 0;
    set(v, s, again ? s->value + 1 : 1);
    if (again) {
        return;
    }
    Pulse p = {until, s};
    guint at = v->pulses->len;
    s->until = until;
    while (at > 0 && g_array_index(v->pulses, Pulse, at - 1).until > until) {
        at--;
    }
    g_array_insert_val(v->pulses, at, p);
}

/* ---- signals -------------------------------------------------------------------------------------------------------- */

static Signal *signal_new(Vcd *v, const char *path, const char *name, uint32_t bits, bool known)
{
    if (v->signals->len >= SIGNALS) {
        view_fail(v->view, "more than %d signals; expected fewer: --path or --sm select some",
                  SIGNALS);
        return NULL;
    }
    Signal *s = g_new0(Signal, 1);
    s->path = g_strdup(path);
    s->name = g_strdup(name);
    s->number = v->signals->len;
    s->bits = bits;
    s->starts = known;
    s->known = s->written = known;
    g_ptr_array_add(v->signals, s);
    return s;
}

static void signal_free(gpointer data)
{
    Signal *s = data;
    g_free(s->path);
    g_free(s->name);
    g_free(s);
}

/* Signal KIND_KEY of a place (KEY "": KIND), made when it is first asked for. */
static Signal *signal_of(Vcd *v, Place *place, const char *kind, const char *key, uint32_t bits)
{
    bool count = *key == '\0';
    g_string_printf(v->name, "%s%s%s", kind, count ? "" : "_", key);
    if (place->drawn == NULL) {
        place->drawn = g_hash_table_new(g_str_hash, g_str_equal);
        g_ptr_array_add(v->tables, place->drawn);
    }
    Signal *s = g_hash_table_lookup(place->drawn, v->name->str);
    if (s == NULL && (s = signal_new(v, place->path, v->name->str, bits, count)) != NULL) {
        g_hash_table_insert(place->drawn, s->name, s);
    }
    return s;
}

/* ---- statistics over time ------------------------------------------------------------------------------------------- */

/* In a scope of its own below the component: a statistic may be called as a kind of events is. */
static Signal *counted_of(Vcd *v, const Place *place, const char *name)
{
    bool sum = g_str_has_prefix(place->path, "total.");
    g_string_printf(v->name, "%s%s\t%s", place->path, sum ? "" : ".statistics", name);
    Signal *s = g_hash_table_lookup(v->counted, v->name->str);
    if (s == NULL) {
        g_autofree char *path =
            g_strndup(v->name->str, (size_t)(strchr(v->name->str, '\t') - v->name->str));
        g_autofree char *word = g_strdelimit(g_strdup(name), ".", '_');
        s = signal_new(v, path, word, 64, false);
        if (s != NULL) {
            g_hash_table_insert(v->counted, g_strdup(v->name->str), s);
        }
    }
    return s;
}

static void interval(Vcd *v, const Event *e)
{
    const Counted *c = &e->counted;
    Signal *s = counted_of(v, e->place, c->name);
    uint64_t since = (uint64_t)llrint(view_core_time(v->view, c->since) * 1000);
    v->over = MAX(v->over, (uint64_t)llrint(view_core_time(v->view, e->cycle) * 1000));
    if (s == NULL || (s->written && s->last == (uint64_t)c->value)) {
        return;
    }
    if (since > v->since || ftello(v->later) == 0) {
        v->since = MAX(since, v->since);
        fprintf(v->later, "#%" PRIu64 "\n", v->since);
    }
    s->written = true;
    s->last = (uint64_t)c->value;
    write_value(v->later, s, s->last, true);
}

/* ---- events --------------------------------------------------------------------------------------------------------- */

static uint64_t time_of(Vcd *v, const Place *place, uint64_t cycle)
{
    return (uint64_t)llrint(view_time(v->view, place, cycle) * 1000);
}

/* A field is a number: hexadecimal where events say so, else decimal. */
static bool value_of(const char *key, const char *text, uint64_t *value)
{
    bool hex = strcmp(key, "pc") == 0 || strcmp(key, "mask") == 0 || strcmp(key, "addr") == 0;
    char *end;
    if (!g_ascii_isxdigit(*text)) {
        return false;
    }
    errno = 0;
    *value = g_ascii_strtoull(text, &end, hex ? 16 : 10);
    return *end == '\0' && errno == 0;
}

static void set_field(Vcd *v, const Event *e, const char *key, uint64_t value)
{
    Signal *s = signal_of(v, e->place, e->word, key, 64);
    if (s != NULL) {
        set(v, s, value);
    }
}

static void fill(Vcd *v, const Event *e, bool put)
{
    Signal *s = signal_of(v, e->place, "fill", "", 32);
    if (s != NULL && (put || s->value != 0)) { /* a log that begins later has takes without puts */
        set(v, s, put ? s->value + 1 : s->value - 1);
    }
}

static void vcd_event(void *self, const Event *e)
{
    Vcd *v = self;
    if (e->kind == KIND_INTERVAL) {
        interval(v, e);
        return;
    }
    uint64_t now = time_of(v, e->place, e->cycle), value;
    uint64_t until = MAX(time_of(v, e->place, e->cycle + 1), now + 1);
    move_on(v, MAX(now, v->now));
    if (e->kind == KIND_PUT || e->kind == KIND_TAKE) {
        fill(v, e, e->kind == KIND_PUT);
    }
    Signal *count = signal_of(v, e->place, e->word, "", 16);
    if (count != NULL) {
        pulse(v, count, MAX(until, v->now + 1));
    }
    if (e->unit >= 0) {
        set_field(v, e, e->place->sm != VIEW_NOBODY ? "warp" : "unit", (uint64_t)e->unit);
    }
    for (uint32_t i = 0; i < e->n_fields; i++) {
        if (value_of(e->field[i].key, e->field[i].value, &value)) {
            set_field(v, e, e->field[i].key, value);
        }
    }
    if (e->n_fields == 0 && value_of("", e->first, &value)) {
        set_field(v, e, "value", value);
    }
    follow_event(v->follow, e);
}

/* ---- warps ---------------------------------------------------------------------------------------------------------- */

static WarpSignals *warp_of(Vcd *v, const Inst *inst)
{
    uint64_t key = (uint64_t)inst->sm << 32 | inst->warp;
    WarpSignals *w = g_hash_table_lookup(v->warps, &key);
    if (w == NULL) {
        const Sm *sm = v->view->sms->pdata[inst->sm];
        g_autofree char *path = g_strdup_printf("%swarp[%u]", sm->prefix, inst->warp);
        w = g_new0(WarpSignals, 1);
        w->buffered = signal_new(v, path, "buffered", 16, true);
        w->flying = signal_new(v, path, "flying", 16, true);
        w->pc = signal_new(v, path, "pc", 64, false);
        g_hash_table_insert(v->warps, g_memdup2(&key, sizeof key), w);
    }
    return w->pc != NULL ? w : NULL;
}

static void begin(void *user, Inst *inst, const Event *e, uint64_t cycle)
{
    WarpSignals *w = warp_of(user, inst);
    if (w != NULL) {
        set(user, w->buffered, w->buffered->value + 1);
    }
}

static void issue(void *user, Inst *inst, const Event *e)
{
    WarpSignals *w = warp_of(user, inst);
    if (w != NULL) {
        set(user, w->buffered, w->buffered->value - 1);
        set(user, w->flying, w->flying->value + 1);
        set(user, w->pc, inst->pc);
    }
}

static void stage(void *user, Inst *inst, Stage s, uint64_t cycle) {}

static void end(void *user, Inst *inst, uint64_t cycle, bool flushed)
{
    WarpSignals *w = warp_of(user, inst);
    if (w != NULL) {
        Signal *s = inst->uid != 0 ? w->flying : w->buffered;
        set(user, s, s->value - 1);
    }
}

static void leave(void *user, uint32_t sm, uint32_t warp) {}

static const FollowSink sink = {begin, issue, stage, end, leave};

/* ---- the head ------------------------------------------------------------------------------------------------------- */

/* By parts of the path, numbers as such: what lies in one scope stands together. */
static int compare_paths(const char *a, const char *b)
{
    while (*a != '\0' && *b != '\0') {
        if (g_ascii_isdigit(*a) && g_ascii_isdigit(*b)) {
            char *after_a, *after_b;
            uint64_t x = g_ascii_strtoull(a, &after_a, 10), y = g_ascii_strtoull(b, &after_b, 10);
            if (x != y) {
                return x < y ? -1 : 1;
            }
            a = after_a;
            b = after_b;
        } else if (*a != *b) {
            return *a == '.' ? -1 : *b == '.' ? 1 : *a < *b ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    return *a == *b ? 0 : *a == '\0' ? -1 : 1;
}

static int compare_signals(const void *a, const void *b)
{
    const Signal *x = *(Signal *const *)a, *y = *(Signal *const *)b;
    int path = compare_paths(x->path, y->path);
    return path != 0 ? path : (x->number > y->number) - (x->number < y->number);
}

static void write_scopes(FILE *out, char **before, char **now)
{
    guint same = 0, n = g_strv_length(before);
    while (same < n && now[same] != NULL && strcmp(before[same], now[same]) == 0) {
        same++;
    }
    for (guint i = same; i < n; i++) {
        fputs("$upscope $end\n", out);
    }
    for (char **part = now + same; *part != NULL; part++) {
        fprintf(out, "$scope module %s $end\n", *part);
    }
}

static void write_head(Vcd *v, FILE *out)
{
    g_auto(GStrv) before = g_new0(char *, 1);
    char *none[] = {NULL}, code[CODE];
    guint n = v->signals->len;
    g_autofree Signal **sorted = g_memdup2(v->signals->pdata, n * sizeof *sorted);
    if (n != 0) {
        qsort(sorted, n, sizeof *sorted, compare_signals);
    }
    fputs("$version warpwright $end\n$timescale 1 ps $end\n", out);
    for (guint i = 0; i < n; i++) {
        g_auto(GStrv) now = g_strsplit(sorted[i]->path, ".", -1);
        write_scopes(out, before, now);
        code_of(sorted[i]->number, code);
        fprintf(out, "$var wire %u %s %s $end\n", sorted[i]->bits, code, sorted[i]->name);
        char **old = before;
        before = g_steal_pointer(&now);
        now = old;
    }
    write_scopes(out, before, none);
    fputs("$enddefinitions $end\n$dumpvars\n", out);
    for (guint i = 0; i < v->signals->len; i++) {
        const Signal *s = v->signals->pdata[i];
        write_value(out, s, 0, s->starts);
    }
    fputs("$end\n", out);
}

static bool rewind_to(FILE *from)
{
    return fflush(from) == 0 && fseeko(from, 0, SEEK_SET) == 0;
}

static bool copy(FILE *from, FILE *to)
{
    g_autofree char *piece = g_malloc(COPY);
    size_t n;
    bool good = rewind_to(from);
    while (good && (n = fread(piece, 1, COPY, from)) > 0) {
        good = fwrite(piece, 1, n, to) == n;
    }
    return good && !ferror(from);
}

/* Changes, time by time. */
typedef struct Changes {
    FILE *file;
    char *line;
    size_t room;
    uint64_t time; /* of what comes next; UINT64_MAX: nothing does */
} Changes;

/* Copies the changes up to the next time to @p out; NULL: there are none before it. */
static void next_time(Changes *c, FILE *out)
{
    ssize_t n;
    while ((n = getline(&c->line, &c->room, c->file)) > 0 && *c->line != '#') {
        fwrite(c->line, 1, (size_t)n, out);
    }
    c->time = n > 0 ? g_ascii_strtoull(c->line + 1, NULL, 10) : UINT64_MAX;
}

/* Both in the order of time. */
static bool merge(FILE *a, FILE *b, FILE *out)
{
    Changes of[] = {{.file = a}, {.file = b}};
    bool good = rewind_to(a) && rewind_to(b);
    for (int i = 0; good && i < 2; i++) {
        next_time(&of[i], out);
    }
    while (good && MIN(of[0].time, of[1].time) != UINT64_MAX) {
        uint64_t now = MIN(of[0].time, of[1].time);
        fprintf(out, "#%" PRIu64 "\n", now);
        for (int i = 0; i < 2; i++) {
            if (of[i].time == now) {
                next_time(&of[i], out);
            }
        }
    }
    for (int i = 0; i < 2; i++) {
        good = good && !ferror(of[i].file);
        free(of[i].line);
    }
    return good;
}

/* ---- the format ----------------------------------------------------------------------------------------------------- */

/* A file without a name in the folder of what becomes of it, which has room for it. */
static FILE *open_spool(const char *folder)
{
    int fd = open(folder != NULL ? folder : ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    return fd >= 0 ? fdopen(fd, "w+") : tmpfile();
}

static void spool_fail(WwView *view)
{
    view_fail_host(view,
                   "cannot write a temporary file beside the picture: %s; expected room for it",
                   g_strerror(errno));
}

static void *vcd_begin(WwView *view)
{
    Vcd *v = g_new0(Vcd, 1);
    v->view = view;
    v->spool = open_spool(view->spec.folder);
    v->signals = g_ptr_array_new_with_free_func(signal_free);
    v->changed = g_ptr_array_new();
    v->pulses = g_array_new(false, false, sizeof(Pulse));
    v->tables = g_ptr_array_new_with_free_func((GDestroyNotify)g_hash_table_unref);
    v->name = g_string_new(NULL);
    v->warps = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    v->follow = follow_new(view, &sink, v);
    v->later = open_spool(view->spec.folder);
    v->counted = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    if (v->spool == NULL || v->later == NULL) {
        spool_fail(view);
    }
    return v;
}

static void vcd_end(void *self)
{
    Vcd *v = self;
    FILE *out = v->view->spec.out;
    move_on(v, v->now);
    while (v->pulses->len != 0) {
        move_on(v, g_array_index(v->pulses, Pulse, 0).until);
    }
    write_step(v);
    write_head(v, out);
    bool counted = g_hash_table_size(v->counted) != 0;
    if (counted ? !merge(v->spool, v->later, out) : !copy(v->spool, out)) {
        spool_fail(v->view);
    }
    fprintf(out, "#%" PRIu64 "\n", MAX(v->now, v->over));
}

static void vcd_free(void *self)
{
    Vcd *v = self;
    if (v->spool != NULL) {
        fclose(v->spool);
    }
    if (v->later != NULL) {
        fclose(v->later);
    }
    g_hash_table_unref(v->counted);
    follow_free(v->follow);
    g_hash_table_unref(v->warps);
    g_ptr_array_unref(v->tables);
    g_ptr_array_unref(v->signals);
    g_ptr_array_unref(v->changed);
    g_array_unref(v->pulses);
    g_string_free(v->name, true);
    g_free(v);
}

const Drawer view_vcd = {vcd_begin, vcd_event, vcd_end, vcd_free};
