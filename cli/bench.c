/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `warpwright bench TYPE`: one component alone on the kernel's harness. A script says what goes in and what must come out when; without
 * one the contracts' generators make random traffic. Needs of the component are filled with the fakes of their contracts.
 */
#include "bench.h"

#include <ports/register.h>
#include <string.h>
#include <time.h>

enum { DRAIN = 10000, QUIET = 64, MOST_SHOWN = 24 };

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- ports ------------------------------------------------------------------------------------------------------ */

static void free_port(gpointer data)
{
    BenchPort *p = data;
    g_queue_clear(&p->cycles);
    g_queue_clear_full(&p->arrived, g_free);
    g_free(p->name);
    g_free(p);
}

static char *port_name(const WwPortRow *r, uint32_t i)
{
    return r->max > 1 ? g_strdup_printf("%s[%u]", r->name, i) : g_strdup(r->name);
}

/* The row of port @p name, and its element; the error lists what there is of roles @p a and @p b. */
static int find_row(const Bench *b, const char *name, WwPortRole one, WwPortRole other,
                    uint32_t *element, GError **error)
{
    g_autofree char *plain = g_strndup(name, strcspn(name, "["));
    const char *bracket = strchr(name, '[');
    int row = ww_type_port(b->type, plain);
    const WwPortRow *r = row >= 0 ? &b->type->ports[row] : NULL;
    *element = bracket != NULL ? (uint32_t)strtoul(bracket + 1, NULL, 10) : 0;
    if (r != NULL && (r->role == one || r->role == other) && *element < r->max) {
        g_autofree char *exact = port_name(r, *element);
        if (strcmp(exact, name) == 0) {
            return row;
        }
    }
    g_autoptr(GString) list = g_string_new(NULL);
    for (WW_ROWS(b->type->ports, r)) {
        if (r->role == one || r->role == other) {
            g_string_append_printf(list, "%s%s%s", list->len != 0 ? ", " : "", r->name,
                                   r->max > 1 ? "[0], ..." : "");
        }
    }
    ww_fail(error, WW_ERROR_USAGE, "%s has no such port '%s'; expected %s", b->type->name, name,
            list->len != 0 ? list->str : "none: it has no port of this kind");
    return -1;
}

static uint32_t bound(const Bench *b, int row)
{
    uint32_t n = 0;
    for (guint i = 0; i < b->ports->len; i++) {
        n += ((const BenchPort *)b->ports->pdata[i])->row == row;
    }
    return n;
}

bool bench_check_params(const WwType *type, const char *params, GError **error)
{
    g_auto(GStrv) words = g_strsplit(params != NULL ? params : "", " ", -1);
    for (char **w = words; *w != NULL; w++) {
        char *value = strchr(*w, '=');
        if (value == NULL) {
            return ww_fail(error, WW_ERROR_USAGE, "'%s'; expected PARAMETER=VALUE", *w);
        }
        *value++ = '\0';
        int row = ww_type_param(type, *w);
        const char *now = ww_type_gone(type, *w);
        if (row < 0 && now != NULL) {
            return ww_fail(error, WW_ERROR_USAGE,
                           "%s has no parameter '%s' any more: %s; expected none", type->name, *w,
                           now);
        }
        if (row < 0) {
            g_autoptr(GPtrArray) names = g_ptr_array_new();
            const WwParamRow *p;
            for (WW_ROWS(type->params, p)) {
                g_ptr_array_add(names, (gpointer)p->name);
            }
            const char *near = ww_closest(*w, (const char *const *)names->pdata, names->len);
            return ww_fail(
                error, WW_ERROR_USAGE,
                "%s has no parameter '%s'%s%s%s; expected one that 'warpwright inspect %s' lists",
                type->name, *w, near != NULL ? ", did you mean '" : "", near != NULL ? near : "",
                near != NULL ? "'?" : "", type->name);
        }
        WwValue v;
        if (!ww_value_parse(&type->params[row], value, &v, error)) {
            return false;
        }
        ww_value_clear(&v);
    }
    return true;
}

bool bench_channel(Bench *b, const char *name, const char *params, GError **error)
{
    uint32_t element;
    int row = find_row(b, name, WW_IN, WW_OUT, &element, error);
    if (row < 0) {
        return false;
    }
    const WwPortRow *r = &b->type->ports[row];
    const WwType *channel = ww_registry_find(b->setup.registry, r->contract->channel, error);
    if (channel == NULL || !bench_check_params(channel, params, error)) {
        return false;
    }
    if (element != bound(b, row)) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "port %s: %u of %s have a channel; expected the next one, once", name,
                       bound(b, row), r->name);
    }
    ww_harness_channel(b->h, name, params);
    BenchPort *p = g_new0(BenchPort, 1);
    *p = (BenchPort){.name = g_strdup(name), .row = row, .port = r, .out = r->role == WW_OUT};
    p->payload = r->contract->payload != NULL ? r->contract->payload : &ww_payload_number;
    p->level = strcmp(r->contract->channel, "signal") == 0;
    g_queue_init(&p->cycles);
    g_queue_init(&p->arrived);
    g_ptr_array_add(b->ports, p);
    return true;
}

static bool has_fake(const Bench *b, const WwPortRow *r)
{
    return r->contract->fake != NULL &&
           ww_registry_find(b->setup.registry, r->contract->fake, NULL) != NULL;
}

/* What fills a need may have needs of its own, which the harness fills with fakes. */
static bool needs_have_fakes(const Bench *b, const char *name, const WwType *type, GError **error)
{
    const WwPortRow *r;
    for (WW_ROWS(type->ports, r)) {
        if (r->role == WW_REQUIRES && r->min != 0 && !has_fake(b, r)) {
            return ww_fail(error, WW_ERROR_USAGE,
                           "port %s: %s needs '%s' itself, of which there is no fake; expected "
                           "another type",
                           name, type->name, r->contract->name);
        }
    }
    return true;
}

bool bench_fill(Bench *b, const char *name, const char *type, const char *params, GError **error)
{
    uint32_t element;
    int row = find_row(b, name, WW_REQUIRES, WW_REQUIRES, &element, error);
    const WwType *t = row >= 0 ? ww_registry_find(b->setup.registry, type, error) : NULL;
    if (t == NULL || !bench_check_params(t, params, error) ||
        !needs_have_fakes(b, name, t, error)) {
        return false;
    }
    if (element != b->filled[row]) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "port %s: %u of %s are filled; expected the next one, once", name,
                       b->filled[row], b->type->ports[row].name);
    }
    const WwContract *wanted = b->type->ports[row].contract;
    const WwPortRow *p;
    for (WW_ROWS(t->ports, p)) {
        if (p->role == WW_PROVIDES && p->contract == wanted) {
            ww_harness_fill(b->h, name, type, params);
            b->filled[row]++;
            return true;
        }
    }
    return ww_fail(error, WW_ERROR_USAGE,
                   "%s does not offer '%s', which port %s needs; expected a type that does", type,
                   wanted->name, name);
}

/* Every channel port is bound, of arrays as many as there must be, but at least one. */
static bool bind_rest(Bench *b, GError **error)
{
    const WwPortRow *r;
    int row = 0;
    for (WW_ROWS(b->type->ports, r)) {
        if (r->role == WW_IN || r->role == WW_OUT) {
            for (uint32_t i = bound(b, row); i < MAX(r->min, 1u); i++) {
                g_autofree char *name = port_name(r, i);
                bool set = strcmp(r->contract->channel, "register_set") == 0;
                if (!bench_channel(b, name, set ? "width=4" : NULL, error)) {
                    return false;
                }
            }
        } else if (r->role == WW_REQUIRES && r->min != 0 && b->filled[row] == 0 &&
                   !has_fake(b, r)) {
            return ww_fail(error, WW_ERROR_USAGE,
                           "port %s of %s needs '%s', of which there is no fake; expected a line "
                           "'fill %s TYPE'",
                           r->name, b->type->name, r->contract->name, r->name);
        }
        row++;
    }
    return true;
}

bool bench_start(Bench *b, GError **error)
{
    if (b->started) {
        return true;
    }
    b->started = true;
    ww_machine_set_no_sleep(ww_harness_machine(b->h), b->no_sleep);
    return bind_rest(b, error) && ww_harness_start(b->h, error);
}

BenchPort *bench_port(Bench *b, const char *name, bool out, GError **error)
{
    for (guint i = 0; i < b->ports->len; i++) {
        BenchPort *p = b->ports->pdata[i];
        if (strcmp(p->name, name) == 0 && p->out == out) {
            return p;
        }
    }
    uint32_t element;
    WwPortRole role = out ? WW_OUT : WW_IN;
    if (find_row(b, name, role, role, &element, error) >= 0) {
        ww_fail(error, WW_ERROR_USAGE,
                "port %s has no channel; expected 'channel %s' before the first other line", name,
                name);
    }
    return NULL;
}

/* ---- time ------------------------------------------------------------------------------------------------------- */

static void show(Bench *b, const BenchPort *p, const BenchArrival *a)
{
    if (b->shown++ == 0) {
        puts("  cycle  port          token");
    }
    if (b->shown <= MOST_SHOWN || b->all || b->file != NULL) {
        g_autofree char *text = bench_text(b, p, a->token);
        printf("%7" G_GUINT64_FORMAT "  %-12s  %s\n", a->cycle, p->name, text);
    }
}

/* Notes in which cycle tokens came out, whether or not somebody takes them. */
static void note(Bench *b, BenchPort *p, WwCycle cycle)
{
    uint32_t n = ww_harness_count(b->h, p->name);
    while (!p->level && g_queue_get_length(&p->cycles) < n) {
        g_queue_push_tail(&p->cycles, GSIZE_TO_POINTER(cycle + 1));
    }
}

bool bench_take(Bench *b, BenchPort *p, GError **error)
{
    WwToken t;
    int slot = 0;
    while (ww_harness_take(b->h, p->name, &slot, &t)) {
        if (p->level && t == p->last) {
            return true;
        }
        p->last = t;
        BenchArrival *a = g_new0(BenchArrival, 1);
        gpointer cycle = g_queue_pop_head(&p->cycles);
        *a = (BenchArrival){
            t, cycle != NULL ? GPOINTER_TO_SIZE(cycle) - 1 : ww_harness_now(b->h) - 1, slot};
        g_queue_push_tail(&p->arrived, a);
        show(b, p, a);
        GError *why = NULL;
        if (!p->payload->check(t, &why)) {
            b->stopped = true;
            g_propagate_prefixed_error(error, why, "port %s, cycle %" G_GUINT64_FORMAT ": ",
                                       p->name, a->cycle);
            return false;
        }
    }
    return true;
}

static bool step_alone(Bench *b, GError **error)
{
    WwCycle cycle = ww_harness_now(b->h);
    double start = now_s();
    ww_harness_step(b->h, 1);
    b->host_s += now_s() - start;
    const GError *failed = ww_machine_error(ww_harness_machine(b->h));
    if (failed != NULL) {
        b->stopped = true;
        return ww_fail(error, WW_ERROR_MODEL, "cycle %" G_GUINT64_FORMAT ": %s", cycle,
                       failed->message);
    }
    for (guint i = 0; i < b->ports->len; i++) {
        BenchPort *p = b->ports->pdata[i];
        if (p->out) {
            note(b, p, cycle);
        }
    }
    return true;
}

static bool take_all(Bench *b, bool some, GError **error)
{
    for (guint i = 0; i < b->ports->len; i++) {
        BenchPort *p = b->ports->pdata[i];
        if (p->out && !p->held && (!some || g_rand_boolean(b->random)) &&
            !bench_take(b, p, error)) {
            return false;
        }
    }
    return true;
}

bool bench_step(Bench *b, GError **error)
{
    return step_alone(b, error) && take_all(b, false, error);
}

/* ---- random traffic --------------------------------------------------------------------------------------------- */

static bool feed(Bench *b, GError **error)
{
    static char *const words[] = {(char *)"random", NULL};
    for (guint i = 0; i < b->ports->len; i++) {
        BenchPort *p = b->ports->pdata[i];
        WwToken t;
        if (p->out || g_rand_int_range(b->random, 0, 3) == 0) {
            continue;
        }
        if (!bench_make(b, p, (char **)words, &t, error)) {
            return false;
        }
        p->taken += ww_harness_put(b->h, p->name, -1, t);
    }
    return true;
}

bool bench_traffic(Bench *b, uint32_t cycles, GError **error)
{
    for (uint32_t i = 0; i < cycles; i++) {
        if (!feed(b, error) || !step_alone(b, error) || !take_all(b, true, error)) {
            return false;
        }
    }
    uint64_t before = b->shown;
    for (uint32_t i = 0, quiet = 0; i < DRAIN && quiet < QUIET; i++) {
        if (!bench_step(b, error)) {
            return false;
        }
        quiet = b->shown == before && ww_harness_asleep(b->h) ? quiet + 1 : 0;
        before = b->shown;
    }
    return true;
}

/* ---- the report ------------------------------------------------------------------------------------------------- */

static void print_ports(const Bench *b)
{
    printf("\nin %" G_GUINT64_FORMAT " cycles\n", ww_harness_now(b->h));
    for (guint i = 0; i < b->ports->len; i++) {
        const BenchPort *p = b->ports->pdata[i];
        uint64_t n = p->out ? p->arrived.length + p->taken : p->taken;
        printf("  %-12s  %12" G_GUINT64_FORMAT " tokens %s\n", p->name, n,
               p->out ? "came out" : "went in");
    }
}

static void print_stat(const Bench *b, const WwStatRow *s, bool *head)
{
    for (uint32_t i = 0; i < s->n; i++) {
        uint64_t v = ww_harness_stat(b->h, s->name, i);
        if (v == 0) {
            continue;
        }
        g_autofree char *name = s->n == 1 ? g_strdup(s->name)
                                : s->labels != NULL
                                    ? g_strdup_printf("%s[%s]", s->name, s->labels[i])
                                    : g_strdup_printf("%s[%u]", s->name, i);
        fputs(*head ? "" : "\nstatistics that are not 0\n", stdout);
        *head = true;
        printf("  %-24s %12" G_GUINT64_FORMAT " %-12s %s\n", name, v, s->unit, s->doc);
    }
}

static void report(const Bench *b)
{
    const WwStatRow *s;
    bool head = false;
    if (b->shown > MOST_SHOWN && !b->all && b->file == NULL) {
        printf("    ... and %" G_GUINT64_FORMAT " more (--all)\n", b->shown - MOST_SHOWN);
    }
    print_ports(b);
    for (WW_ROWS(b->type->stats, s)) {
        print_stat(b, s, &head);
    }
    cli_process_unheard(); /* before what goes to stderr */
    uint64_t turns = ww_machine_activations(ww_harness_machine(b->h)),
             cycles = ww_harness_now(b->h);
    g_autofree char *count = cli_grouped(turns),
                    *each = cli_grouped(
                        turns != 0 ? (uint64_t)(1e9 * b->host_s / (double)turns + 0.5) : 0);
    fprintf(stderr,
            "host: %s %s (of the component and of its fakes and peers), %.2f a cycle, "
            "%s ns each\n",
            count, WW_PLURAL(turns, "activation", "activations"),
            cycles != 0 ? (double)turns / (double)cycles : 0, each);
}

/* A type that calls @p contract, and can be driven through channels if one can; the shortest name is the plainest. NULL: there is none. */
static const char *caller_of(const WwRegistry *registry, const WwContract *contract,
                             const char **port)
{
    const WwType *found = NULL;
    bool found_driven = false;
    size_t n;
    const WwType *const *types = ww_registry_types(registry, &n);
    for (size_t i = 0; i < n; i++) {
        const WwPortRow *r, *calls = NULL;
        bool driven = false;
        for (WW_ROWS(types[i]->ports, r)) {
            driven |= r->role == WW_IN;
            calls = r->role == WW_REQUIRES && r->contract == contract ? r : calls;
        }
        bool better = found == NULL || driven > found_driven ||
                      (driven == found_driven && strlen(types[i]->name) < strlen(found->name));
        if (calls != NULL && better && !(types[i]->flags & (WW_TYPE_FAKE | WW_TYPE_FAULTY))) {
            found = types[i];
            found_driven = driven;
            *port = calls->name;
        }
    }
    return found != NULL ? found->name : NULL;
}

/* Random traffic goes into channels: what only answers callers has done nothing, and somebody should call it. */
static void note_unused(const Bench *b)
{
    const WwPortRow *r, *called = NULL;
    for (WW_ROWS(b->type->ports, r)) {
        if (r->role == WW_IN) {
            return;
        }
        called = called == NULL && r->role == WW_PROVIDES ? r : called;
    }
    if (called == NULL || b->file != NULL) {
        return;
    }
    const char *port = NULL, *caller = caller_of(b->setup.registry, called->contract, &port);
    g_autoptr(GString) note = g_string_new(NULL);
    g_string_printf(note,
                    "nobody called %s, which has no channel to be driven through; 'warpwright "
                    "conformance %s' calls its port %s",
                    b->type->name, b->type->name, called->name);
    if (caller != NULL) {
        g_string_append_printf(note,
                               ", or measure it in 'warpwright bench %s SCRIPT' with a line "
                               "'fill %s %s'",
                               caller, port, b->type->name);
    }
    cli_say("note: ", note->str);
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

static bool parse_options(Bench *b, int *argc, char ***argv, GError **error)
{
    const GOptionEntry own[] = {
        {"set", 's', 0, G_OPTION_ARG_FILENAME_ARRAY, &b->setup.values,
         "Set a parameter of the component", "PARAM=VALUE"},
        {"module", 'm', 0, G_OPTION_ARG_FILENAME_ARRAY, &b->setup.modules,
         "Load component types from a shared object", "MODULE.so"},
        {"cycles", 0, 0, G_OPTION_ARG_FILENAME, &b->cycles_text,
         "Cycles of random traffic (default 600)", "N"},
        {"seed", 0, 0, G_OPTION_ARG_FILENAME, &b->seed_text,
         "Seed of the random traffic (default 1)", "N"},
        {"no-sleep", 0, 0, G_OPTION_ARG_NONE, &b->no_sleep, "Run every component in every cycle",
         NULL},
        {"all", 0, 0, G_OPTION_ARG_NONE, &b->all, "Print all tokens, however many", NULL},
        {NULL},
    };
    const GOptionEntry *const tables[] = {own, NULL};
    return cli_parse(
        argc, argv, "TYPE [SCRIPT]",
        "Drives a single component and shows what comes out when, its statistics and its cost.",
        bench_script_help, tables, error);
}

static bool make_component(Bench *b, const char *name, GError **error)
{
    if (!cli_setup_registry(&b->setup, error) ||
        !ww_testing_register_fakes(b->setup.registry, error)) {
        return false;
    }
    b->type = ww_registry_find(b->setup.registry, name, error);
    if (b->type == NULL) {
        return false;
    }
    if (b->type->flags & WW_TYPE_CHANNEL) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "'%s' is a channel; expected a component, which stands between channels",
                       name);
    }
    g_autofree char *params = NULL;
    if (b->setup.values != NULL) {
        for (char **v = b->setup.values; *v != NULL;
             v++) { /* the harness parts parameters at blanks */
            g_auto(GStrv) pieces = g_strsplit(*v, " ", -1);
            g_free(*v);
            *v = g_strjoinv("", pieces);
        }
        params = g_strjoinv(" ", b->setup.values);
    }
    if (!bench_check_params(b->type, params, error)) {
        return false;
    }
    const WwParamRow *p;
    for (WW_ROWS(b->type->params, p)) {
        g_autofree char *given = g_strdup_printf("%s=", p->name);
        bool set = false;
        for (char **v = b->setup.values; v != NULL && *v != NULL; v++) {
            set |= g_str_has_prefix(*v, given);
        }
        if (p->def == NULL && !set) {
            return ww_fail(error, WW_ERROR_USAGE,
                           "parameter %s of %s has no default; expected -s %s=VALUE", p->name, name,
                           p->name);
        }
    }
    uint32_t rows = 0;
    const WwPortRow *r;
    for (WW_ROWS(b->type->ports, r)) {
        rows++;
    }
    b->filled = g_new0(uint32_t, rows + 1);
    b->h = ww_harness_new(b->setup.registry, name, params);
    return true;
}

static bool carry_out(Bench *b, int argc, char **argv, GError **error)
{
    if (argc < 2 || argc > 3) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "bench: expected TYPE and at most one SCRIPT, got %d arguments", argc - 1);
    }
    if ((b->cycles_text != NULL &&
         !cli_number_in("--cycles", b->cycles_text, 1, UINT32_MAX, &b->cycles, error)) ||
        (b->seed_text != NULL &&
         !cli_number_in("--seed", b->seed_text, 0, UINT32_MAX, &b->seed, error))) {
        return false;
    }
    g_rand_set_seed(b->random, (guint32)b->seed);
    if (!make_component(b, argv[1], error)) {
        return false;
    }
    if (argc == 3) {
        return bench_script(b, argv[2], error);
    }
    return bench_start(b, error) && bench_traffic(b, (uint32_t)b->cycles, error);
}

int cli_bench(int argc, char **argv)
{
    Bench b = {.cycles = 600,
               .seed = 1,
               .random = g_rand_new_with_seed(1),
               .ports = g_ptr_array_new_with_free_func(free_port),
               .named = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free)};
    GError *error = NULL;
    bool good = parse_options(&b, &argc, &argv, &error) && carry_out(&b, argc, argv, &error);
    if (b.started && (good || b.stopped)) {
        report(&b);
        note_unused(&b);
    }
    bool stopped = b.stopped;
    ww_harness_free(b.h);
    g_ptr_array_unref(b.ports);
    g_hash_table_unref(b.named);
    g_rand_free(b.random);
    g_free(b.filled);
    g_free(b.cycles_text);
    g_free(b.seed_text);
    cli_setup_clear(&b.setup);
    if (good) {
        return CLI_DONE;
    }
    return stopped ? (cli_fail(error), CLI_STOPPED) : cli_fail(error);
}
