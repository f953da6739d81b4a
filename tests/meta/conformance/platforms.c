/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every shipped platform, by itself and with each configuration that asks for it, against what holds for every machine: it is idle
 * without kernels, it completes random programs of what its units execute, and neither sleep nor a reset nor a second run changes a
 * token or a statistic; every fifo of it may have a latency. Machines of more than two clusters are cut to two: what is in one is the point.
 */
#include "platforms.h"

#include <tests/support/tool.h>

#include <platforms/platform.h>
#include <ports/ctas.h>
#include <string.h>
#include <testing/fake_trace.h>

enum { PROGRAM = 60, MAX_TICKS = 4000000, IDLE_TICKS = 200000, PART = 9000 };

/* ---- a machine with a trace in memory ----------------------------------------------------------------------------- */

typedef struct Subject {
    const WwRegistry *registry;
    const char *platform, *config; /* Names; either may be NULL. */
    const char *text;              /* A platform in memory instead. */
    bool latencies;                /* Its fifos have latencies of 0 to 3 cycles, drawn. */
} Subject;

typedef struct Rig {
    WwPlatform *platform;
    WwOverrides *values;
    WwElaboration *elaboration;
    WwMachine *m;
    WwFakeTrace *trace;
    uint64_t instructions; /* Warp instructions of all its programs. */
    bool replays;          /* The machine reads the trace. */
    bool units[WW_N_OPS];  /* Categories that it executes. */
} Rig;

static void rig_free(Rig *r)
{
    ww_machine_free(r->m);
    ww_elaboration_free(r->elaboration);
    ww_overrides_free(r->values);
    ww_platform_free(r->platform);
    ww_fake_trace_free(r->trace);
}

static bool has_param(const Rig *r, const char *path)
{
    return ww_elaboration_value(r->elaboration, path, NULL) != NULL;
}

/* Once as it is, to see what it has; a large machine then again, cut. */
static bool elaborate(Rig *r, GError **error)
{
    r->m = ww_platform_elaborate(r->platform, r->values, &r->elaboration, error);
    if (r->m == NULL || !has_param(r, "gpu.clusters")) {
        return r->m != NULL;
    }
    g_clear_pointer(&r->m, ww_machine_free);
    g_clear_pointer(&r->elaboration, ww_elaboration_free);
    if (!ww_overrides_add_text(r->values, "gpu.clusters=2", "-s", error) ||
        !ww_overrides_add_text(r->values, "gpu.kernels.launch_latency=50", "-s", error)) {
        return false;
    }
    r->m = ww_platform_elaborate(r->platform, r->values, &r->elaboration, error);
    return r->m != NULL;
}

static void draw_latency(void *user, const WwSettingInfo *s)
{
    if (strcmp(s->owner, "fifo") == 0 && strcmp(s->row->name, "latency") == 0) {
        g_ptr_array_add(user, g_strdup(s->path));
    }
}

/* Other latencies for all fifos but those that must pass tokens on at once; elaborated anew. */
static bool draw_latencies(Rig *r, GError **error)
{
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GRand) random = g_rand_new_with_seed(7);
    ww_elaboration_each(r->elaboration, NULL, draw_latency, paths);
    for (guint i = 0; i < paths->len; i++) {
        const char *path = paths->pdata[i];
        g_autofree char *same =
            g_strdup_printf("%.*ssame", (int)(strlen(path) - strlen("latency")), path);
        g_autofree char *text = g_strdup_printf("%s=%d", path, g_rand_int_range(random, 0, 4));
        const WwValue *now = ww_elaboration_value(r->elaboration, same, NULL);
        if ((now == NULL || !now->b) && !ww_overrides_add_text(r->values, text, "-s", error)) {
            return false;
        }
    }
    g_clear_pointer(&r->m, ww_machine_free);
    g_clear_pointer(&r->elaboration, ww_elaboration_free);
    r->m = ww_platform_elaborate(r->platform, r->values, &r->elaboration, error);
    return r->m != NULL;
}

/* A file or folder of the tree: the tests may be run from anywhere by ctest, and from its root by hand. */
static char *in_tree(const char *folder, const char *file)
{
    const char *root = g_getenv("WW_SOURCE_DIR");
    return g_build_filename(root != NULL ? root : ".", folder, file, NULL);
}

static bool load(Rig *r, const Subject *s, GError **error)
{
    g_autofree char *platforms = in_tree("platforms", NULL);
    g_autofree char *configs = in_tree("configs", NULL);
    const char *const platform_dirs[] = {platforms, NULL}, *const config_dirs[] = {configs, NULL};
    r->values = ww_overrides_new();
    if (s->config != NULL && !ww_overrides_add_file(r->values, s->config, config_dirs, error)) {
        return false;
    }
    const char *name = s->platform != NULL ? s->platform : ww_overrides_platform(r->values, NULL);
    r->platform = s->text != NULL ? ww_platform_load_text(s->registry, s->text, strlen(s->text),
                                                          "faulty.plat", NULL, error)
                                  : ww_platform_load(s->registry, name, platform_dirs, error);
    return r->platform != NULL && elaborate(r, error) &&
           (!s->latencies || draw_latencies(r, error));
}

static const char *param(const WwComponent *c, const char *name, char **text)
{
    return *text = ww_component_get_text(c, ww_type_param(c->type, name));
}

static void note_unit(Rig *r, const WwComponent *c)
{
    static const struct {
        const char *class;
        WwOp op;
    } classes[] = {{"dp", WW_OP_DP}, {"sfu", WW_OP_SFU}, {"tensor", WW_OP_TENSOR}};
    g_autofree char *text = NULL;
    if (strcmp(c->type->name, "fu.specialized") == 0) {
        r->units[WW_OP_SPEC1 + g_ascii_strtoull(param(c, "unit", &text), NULL, 10) - 1] = true;
    } else if (strcmp(c->type->name, "fu.pipelined") == 0) {
        param(c, "class", &text);
        for (size_t i = 0; i < G_N_ELEMENTS(classes); i++) {
            r->units[classes[i].op] |= strcmp(text, classes[i].class) == 0;
        }
    }
}

/* What it executes, and who wants a trace. */
static void look(Rig *r)
{
    for (uint32_t i = 0; i < ww_machine_n_components(r->m); i++) {
        WwComponent *c = ww_machine_component(r->m, i);
        note_unit(r, c);
        const WwPortRow *p;
        for (WW_ROWS(c->type->ports, p)) {
            if (p->role == WW_REQUIRES && p->contract == &ww_contract_trace_source) {
                ww_bind_external(c, (int)(p - c->type->ports), &ww_fake_trace_source, r->trace,
                                 NULL);
                r->replays = true;
            }
        }
    }
    r->units[WW_OP_DP] |= r->units[WW_OP_SFU];
}

/* ---- programs ------------------------------------------------------------------------------------------------------ */

static WwTestInst any_instruction(const Rig *r, GRand *random)
{
    uint16_t dst = (uint16_t)g_rand_int_range(random, 1, 24),
             a = (uint16_t)g_rand_int_range(random, 1, 24),
             b = (uint16_t)g_rand_int_range(random, 1, 24);
    uint64_t at = 0x7f0000000000u + (uint64_t)g_rand_int_range(random, 0, 4096) * 64u;
    uint32_t stride = 4u << g_rand_int_range(random, 0, 6);
    const WwTestInst some[] = {WW_T_INT(dst, a, b),
                               WW_T_ALU(dst, a),
                               WW_T_SP(dst, a, b, 5),
                               WW_T_LDG(dst, a, at, (int32_t)stride),
                               WW_T_STG(a, b, at, (int32_t)stride),
                               WW_T_LDS(dst, a, 64, (int32_t)stride),
                               WW_T_STS(a, b, 128, 4),
                               WW_T_BAR(),
                               WW_T_MEMBAR(),
                               WW_T_SFU(dst, a),
                               WW_T_DP(dst, a, b),
                               WW_T_SPEC(1, 0, a),
                               WW_T_SPEC(2, dst, a),
                               WW_T_SPEC(3, dst, a, b),
                               WW_T_SPEC(4, dst, a)};
    WwTestInst inst = some[g_rand_int_range(random, 0, G_N_ELEMENTS(some))];
    bool special = inst.op == WW_OP_SFU || inst.op == WW_OP_DP ||
                   (inst.op >= WW_OP_SPEC1 && inst.op <= WW_OP_SPEC8);
    return special && !r->units[inst.op] ? some[0] : inst;
}

static void add_kernel(Rig *r, GRand *random, uint32_t ctas, uint32_t threads)
{
    WwTestInst program[PROGRAM];
    for (int i = 0; i < PROGRAM; i++) {
        program[i] = any_instruction(r, random);
    }
    WwFakeKernel *k = ww_fake_trace_kernel(r->trace, "random", ctas, threads);
    k->pub.shmem = 4096;
    ww_fake_kernel_program(k, program, PROGRAM);
    r->instructions += (uint64_t)ctas * ((threads + 31) / 32) * (PROGRAM + 1);
}

static bool rig_open(Rig *r, const Subject *s, bool kernels, GError **error)
{
    *r = (Rig){.trace = ww_fake_trace_new()};
    if (!load(r, s, error)) {
        return false;
    }
    look(r);
    g_autoptr(GRand) random = g_rand_new_with_seed(3);
    if (kernels && r->replays) {
        add_kernel(r, random, 13, 96);
        add_kernel(r, random, 3, 480);
    }
    ww_machine_set_fingerprint(r->m, true);
    return true;
}

/* ---- runs ---------------------------------------------------------------------------------------------------------- */

static char *finish(Rig *r, WwTick budget)
{
    WwRunStatus status = WW_RUN_PAUSED;
    while (status == WW_RUN_PAUSED) {
        status = ww_run(r->m, budget);
    }
    if (status == WW_RUN_DONE) {
        return NULL;
    }
    if (status == WW_RUN_FAILED) {
        return g_strdup(ww_machine_error(r->m)->message);
    }
    g_autofree char *why =
        status == WW_RUN_HANG || status == WW_RUN_STUCK ? ww_machine_explain(r->m) : NULL;
    return g_strdup_printf("does not end (status %d)\n%s", status, why != NULL ? why : "");
}

/* Everything that a run leaves: fingerprint, time and statistics, as text. */
static char *trail(Rig *r)
{
    ww_machine_settle(r->m);
    GString *s = g_string_new(NULL);
    g_string_printf(s, "fingerprint %" G_GINT64_MODIFIER "x\ntick %" G_GUINT64_FORMAT "\n",
                    ww_machine_fingerprint(r->m), ww_machine_tick(r->m));
    for (uint32_t i = 0; i < ww_machine_n_components(r->m); i++) {
        const WwComponent *c = ww_machine_component(r->m, i);
        const WwStatRow *row;
        for (WW_ROWS(c->type->stats, row)) {
            const uint64_t *v = ww_stat_values(c, row);
            for (uint32_t k = 0; k < row->n; k++) {
                if (v[k] != 0) {
                    g_autofree char *path = ww_path(c);
                    g_string_append_printf(s, "%s.%s[%u] %" G_GUINT64_FORMAT "\n", path, row->name,
                                           k, v[k]);
                }
            }
        }
    }
    return g_string_free(s, false);
}

static char *differ(const char *what, const char *a, const char *b)
{
    size_t line = 0;
    for (size_t i = 0; a[i] == b[i]; i++) {
        if (a[i] == '\0') {
            return NULL;
        }
        line = a[i] == '\n' ? i + 1 : line;
    }
    return g_strdup_printf("%s differ: '%.*s' and '%.*s'", what, (int)strcspn(a + line, "\n"),
                           a + line, (int)strcspn(b + line, "\n"), b + line);
}

/* One run to the end: its trail in @p out; or why there is none. */
static char *one_run(const Subject *s, bool no_sleep, bool reset, char **out)
{
    Rig r;
    g_autoptr(GError) error = NULL;
    char *why = NULL;
    if (!rig_open(&r, s, true, &error)) {
        why = g_strdup(error->message);
    } else {
        ww_machine_set_no_sleep(r.m, no_sleep);
        if (!ww_machine_seal(r.m, &error)) {
            why = g_strdup(error->message);
        } else if (reset) { /* in the middle of something */
            ww_run(r.m, PART);
            ww_machine_reset(r.m);
            ww_fake_trace_rewind(r.trace);
        }
    }
    if (why == NULL) {
        why = finish(&r, MAX_TICKS);
        *out = trail(&r);
    }
    rig_free(&r);
    return why;
}

static char *compared(const Subject *s, bool no_sleep, bool reset, const char *what)
{
    g_autofree char *a = NULL, *b = NULL;
    char *why = one_run(s, false, false, &a);
    why = why != NULL ? why : one_run(s, no_sleep, reset, &b);
    return why != NULL ? why : differ(what, a, b);
}

/* ---- the checks ---------------------------------------------------------------------------------------------------- */

/* Without kernels it is done soon, and nothing was executed. */
static char *idle(const Subject *s)
{
    Rig r;
    g_autoptr(GError) error = NULL;
    char *why = NULL;
    if (!rig_open(&r, s, false, &error) || !ww_machine_seal(r.m, &error)) {
        why = g_strdup(error->message);
    } else {
        why = finish(&r, IDLE_TICKS);
    }
    uint64_t n = 0;
    if (why == NULL && ww_stat_sum(r.m, NULL, "warp_pool", "warp_insns", &n, 1) != 0 && n != 0) {
        why = g_strdup("executes instructions although it was given none");
    }
    rig_free(&r);
    return why;
}

/* Each instruction of the programs completes once, and everything is given back. */
static char *completes(const Subject *s)
{
    Rig r;
    g_autoptr(GError) error = NULL;
    char *why = NULL;
    if (!rig_open(&r, s, true, &error) || !ww_machine_seal(r.m, &error)) {
        why = g_strdup(error->message);
    } else {
        why = finish(&r, MAX_TICKS);
    }
    uint64_t n = 0;
    if (why == NULL && r.replays &&
        (ww_stat_sum(r.m, NULL, "warp_pool", "warp_insns", &n, 1) == 0 || n != r.instructions)) {
        why =
            g_strdup_printf("completes %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " instructions",
                            n, r.instructions);
    }
    if (why == NULL && (ww_fake_trace_open(r.trace) != 0 || ww_fake_trace_held(r.trace) != 0)) {
        why = g_strdup("keeps kernels or CTAs");
    }
    rig_free(&r);
    return why;
}

static char *no_sleep(const Subject *s)
{
    return compared(s, true, false, "sleeping and never sleeping");
}

static char *latency(const Subject *s)
{
    Subject slower = *s;
    slower.latencies = true;
    return compared(&slower, true, false, "with latencies, sleeping and never sleeping");
}

static char *same_again(const Subject *s)
{
    return compared(s, false, false, "two runs");
}

static char *reset(const Subject *s)
{
    return compared(s, false, true, "new and reset");
}

static const struct PlatformCheck {
    const char *name;
    char *(*check)(const Subject *s);
} platform_checks[] = {{"idle", idle},       {"completes", completes},   {"no-sleep", no_sleep},
                       {"latency", latency}, {"same-again", same_again}, {"reset", reset}};

/* ---- cases --------------------------------------------------------------------------------------------------------- */

typedef struct Case {
    Subject subject;
    size_t check;
    char *name;
} Case;

static void case_free(gpointer data)
{
    Case *c = data;
    g_free(c->name);
    g_free(c);
}

static Case *new_case(GPtrArray *cases)
{
    Case *c = g_new0(Case, 1);
    g_ptr_array_add(cases, c);
    return c;
}

static void run_case(gconstpointer data)
{
    const Case *c = data;
    g_autofree char *why = platform_checks[c->check].check(&c->subject);
    if (why != NULL) {
        g_test_message("%s: %s", c->name, why);
        g_test_fail();
    }
}

static void run_faulty(gconstpointer data)
{
    const Case *c = data;
    g_autofree char *why = platform_checks[c->check].check(&c->subject);
    if (why == NULL) {
        g_test_message("%s passes %s", c->subject.text, platform_checks[c->check].name);
        g_test_fail();
    }
}

static int by_name(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Does the text of a platform declare a machine, or is it a part for others? */
static bool runs(const char *folder, const char *file)
{
    g_autofree char *path = g_build_filename(folder, file, NULL), *text = NULL;
    return g_str_has_suffix(file, ".conf") ||
           (g_file_get_contents(path, &text, NULL, NULL) && strstr(text, "\nmachine ") != NULL);
}

/* Names of the files of a folder with a suffix, sorted; parts that only serve others left out. */
static GPtrArray *names(const char *folder, const char *suffix)
{
    GPtrArray *found = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *path = in_tree(folder, NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *file;
    while (dir != NULL && (file = g_dir_read_name(dir)) != NULL) {
        if (g_str_has_suffix(file, suffix) && runs(path, file)) {
            g_ptr_array_add(found, g_strndup(file, strlen(file) - strlen(suffix)));
        }
    }
    g_ptr_array_sort(found, by_name);
    return found;
}

static void add_case(GPtrArray *cases, Subject subject, const char *kind, const char *name,
                     size_t check)
{
    Case *c = new_case(cases);
    c->name = g_strdup(name);
    c->subject = subject;
    c->check = check;
    *(strcmp(kind, "platform") == 0 ? &c->subject.platform : &c->subject.config) = c->name;
    g_autofree char *path =
        g_strdup_printf("/conformance/%s/%s/%s", kind, name, platform_checks[check].name);
    g_test_add_data_func(path, c, run_case);
}

static void add_faulty(GPtrArray *cases, const WwRegistry *registry, const char *type,
                       const char *check)
{
    Case *c = new_case(cases);
    c->name = g_strdup_printf(
        "machine m { domain core = 1GHz; phases { main : core; }\n"
        "    s : source { interval = 4; } f : %s; k : sink; s.out -> f.in; f.out -> k.in; }\n",
        type);
    c->subject = (Subject){.registry = registry, .text = c->name};
    while (strcmp(platform_checks[c->check].name, check) != 0) {
        c->check++;
    }
    g_autofree char *path = g_strdup_printf("/conformance/faulty-machine/%s", type);
    g_test_add_data_func(path, c, run_faulty);
}

/* Every machine and config that the command knows of the tree has its tests, and no other. */
static void found_all(gconstpointer data)
{
    const GPtrArray *cases = data;
    for (int configs = 0; configs < 2; configs++) {
        g_auto(Tool) t = tool_run("list", configs ? "configs" : "platforms", NULL);
        tool_status(&t, 0);
        g_auto(GStrv) lines = g_strsplit(t.out, "\n", -1);
        size_t listed = 0, found = 0;
        for (char **l = lines; *l != NULL && **l != '\0'; l++) { /* up to the parts to import */
            listed++;
        }
        for (guint i = 0; i < cases->len; i++) {
            const Case *c = cases->pdata[i];
            found += (configs ? c->subject.config : c->subject.platform) != NULL;
        }
        g_assert_cmpuint(listed, >, 0);
        g_assert_cmpuint(found, ==, listed * G_N_ELEMENTS(platform_checks));
    }
}

/* Is it one of the mixtures of docs/modern.md: a machine with one mechanism changed, for the configs of the one that it changes? */
static bool is_mixture(const char *name)
{
    g_autofree char *path = in_tree("docs", "modern.md"), *text = NULL;
    g_autofree char *cell = g_strdup_printf(" | `%s` | ", name);
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    const char *table = strstr(text, "\n## Mixtures\n");
    g_assert_nonnull(table);
    return strstr(table, cell) != NULL;
}

/* Nothing is shipped that no config asks for: a platform alone has bare defaults. What a config does not say is `gpu`. */
static void has_config(gconstpointer data)
{
    const Case *c = data;
    g_autoptr(GPtrArray) configs = names("configs", ".conf");
    g_autofree char *line = g_strdup_printf("\nplatform %s\n", c->name);
    bool found = strcmp(c->name, "gpu") == 0 || is_mixture(c->name);
    for (guint i = 0; i < configs->len && !found; i++) {
        g_autofree char *file = g_strconcat(configs->pdata[i], ".conf", NULL);
        g_autofree char *path = in_tree("configs", file), *text = NULL;
        g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
        found = strstr(text, line) != NULL;
    }
    g_assert_true(found);
}

GPtrArray *add_platforms(const WwRegistry *registry)
{
    GPtrArray *cases = g_ptr_array_new_with_free_func(case_free);
    g_autoptr(GPtrArray) platforms = names("platforms", ".plat");
    g_autoptr(GPtrArray) configs = names("configs", ".conf");
    for (size_t k = 0; k < G_N_ELEMENTS(platform_checks); k++) {
        for (uint32_t i = 0; i < platforms->len; i++) {
            add_case(cases, (Subject){.registry = registry}, "platform", platforms->pdata[i], k);
        }
        for (uint32_t i = 0; i < configs->len; i++) {
            add_case(cases, (Subject){.registry = registry}, "config", configs->pdata[i], k);
        }
    }
    for (uint32_t i = 0; i < platforms->len; i++) {
        Case *c = new_case(cases);
        c->name = g_strdup(platforms->pdata[i]);
        g_autofree char *path = g_strdup_printf("/conformance/platform/%s/has-config", c->name);
        g_test_add_data_func(path, c, has_config);
    }
    add_faulty(cases, registry, "fault.oversleeps", "no-sleep");
    add_faulty(cases, registry, "fault.unsettled", "no-sleep");
    add_faulty(cases, registry, "fault.remembers", "reset");
    add_faulty(cases, registry, "fault.fickle", "same-again");
    add_faulty(cases, registry, "fault.insomniac", "idle");
    g_test_add_data_func("/conformance/found-all-machines", cases, found_all);
    return cases;
}
