/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of the reference's network with routers (.icnt, -inter_config_file) into assignments to `network.routed`. A file is statements `NAME =
 * VALUE;`, in any lines; `//` starts a comment. It is the whole configuration of the network: what it leaves out has BookSim's default. The last
 * of several values wins.
 */
#include "import-priv.h"
#include <string.h>
#include <sys/stat.h>

enum { MAX_FILE = 1 << 20 };

typedef enum Kind {
    WHOLE,   /* A number, to the parameter. */
    REAL,    /* A number that may have a fraction. */
    FLAG,    /* 0: false. */
    UNLESS,  /* A number; `other` stands for 0, "as if it were not there". */
    WORD,    /* A word, to the parameter. */
    ALLOC,   /* An allocator, with an argument in brackets. */
    NODES,   /* {a,b,...} */
    VC,      /* Begin or end of a range of virtual channels. */
    ONLY,    /* Must be `other`. */
    AT_LEAST /* Must be a number of `other` or more, and changes nothing then. */
} Kind;

typedef struct Setting {
    const char *name, *def;
    Kind kind;
    const char *parameter;
    const char *other;
} Setting;

/* clang-format off */
/* The parameter has the setting's name. */
#define SAME(name, def, kind, other) {name, def, kind, name, other}
#define MUST_BE(name, def, value) {name, def, ONLY, NULL, value}
/* The two ends of a range, and what stands for a negative one; see channel(). */
#define CHANNELS(name, begin, end, low, high) \
    {name "_begin_vc", begin, VC, name "_vcs", low}, {name "_end_vc", end, VC, name "_vcs", high}

static const Setting settings[] = {
    {"topology", "torus", WORD, "topology", NULL},
    {"routing_function", "none", WORD, "routing", NULL},
    SAME("k", "8", WHOLE, NULL),
    SAME("n", "2", WHOLE, NULL),
    SAME("use_noc_latency", "1", FLAG, NULL),
    SAME("use_map", "1", FLAG, NULL),
    SAME("memory_node_map", "{}", NODES, NULL),
    SAME("flit_size", "32", WHOLE, NULL),
    SAME("input_buffer_size", "0", UNLESS, "9"),
    SAME("boundary_buffer_size", "16", WHOLE, NULL),
    SAME("num_vcs", "16", WHOLE, NULL),
    SAME("vc_buf_size", "8", WHOLE, NULL),
    SAME("buf_size", "-1", UNLESS, "0"),
    SAME("wait_for_tail_credit", "0", FLAG, NULL),
    SAME("vc_busy_when_full", "0", FLAG, NULL),
    SAME("vc_shuffle_requests", "0", FLAG, NULL),
    {"vc_allocator", "islip", ALLOC, "vc", NULL},
    {"sw_allocator", "islip", ALLOC, "sw", NULL},
    SAME("input_speedup", "1", WHOLE, NULL),
    SAME("output_speedup", "1", WHOLE, NULL),
    SAME("internal_speedup", "1.0", REAL, NULL),
    SAME("output_buffer_size", "-1", UNLESS, "0"),
    SAME("routing_delay", "1", WHOLE, NULL),
    SAME("vc_alloc_delay", "1", WHOLE, NULL),
    SAME("sw_alloc_delay", "1", WHOLE, NULL),
    SAME("st_prepare_delay", "0", WHOLE, NULL),
    SAME("st_final_delay", "1", WHOLE, NULL),
    SAME("credit_delay", "0", WHOLE, NULL),
    CHANNELS("read_request", "0", "5", "0", "1"),
    CHANNELS("write_request", "2", "7", "0", "1"),
    CHANNELS("read_reply", "8", "13", "2", "3"),
    CHANNELS("write_reply", "10", "15", "2", "3"),
    MUST_BE("sim_type", "latency", "gpgpusim"),
    MUST_BE("router", "iq", "iq"),
    MUST_BE("classes", "1", "1"),
    MUST_BE("priority", "none", "none"),
    MUST_BE("buffer_policy", "private", "private"),
    MUST_BE("speculative", "0", "0"),
    MUST_BE("noq", "0", "0"),
    MUST_BE("hold_switch_for_packet", "0", "0"),
    MUST_BE("vc_prioritize_empty", "0", "0"),
    MUST_BE("link_failures", "0", "0"),
    MUST_BE("print_csv_results", "0", "0"),
    MUST_BE("measure_stats", "1", "1"),
    {"subnets", "1", AT_LEAST, NULL, "2"},
};

/*
 * Of a simulation of BookSim alone, of its printing, or never looked at. (Credits bound what the ejection buffer holds; iterations
 * come as an argument of the allocator, not as alloc_iters; requests are in one network and replies in the other.)
 */
static const char *const unused[] = {
    "network_count", "ejection_buffer_size", "alloc_iters", "arb_type", "output_delay", "vct", "spec_check_elig",
    "spec_check_cred", "spec_mask_by_reqs", "spec_sw_allocator", "private_bufs", "private_buf_size",
    "private_buf_start_vc", "private_buf_end_vc", "max_held_slots", "feedback_aging_scale", "feedback_offset",
    "vc_priority_donation", "class_priority", "c", "x", "y", "xr", "yr", "in_ports", "out_ports", "channel_file",
    "network_file", "fail_seed", "perm_seed", "seed", "traffic", "packet_size", "packet_size_rate", "injection_rate",
    "injection_rate_uses_flits", "injection_process", "burst_alpha", "burst_beta", "burst_r1", "batch_size",
    "batch_count", "max_outstanding_requests", "use_read_write", "write_fraction", "read_request_size",
    "write_request_size", "read_reply_size", "write_reply_size", "read_request_subnet", "write_request_subnet",
    "read_reply_subnet", "write_reply_subnet", "warmup_periods", "sample_period", "max_samples", "pair_stats",
    "latency_thres", "warmup_thres", "acc_warmup_thres", "stopping_thres", "acc_stopping_thres", "sim_count",
    "include_queuing", "print_activity", "deadlock_warn_timeout", "viewer_trace", "watch_file", "watch_flits",
    "watch_packets", "watch_transactions", "watch_out", "stats_out", "sent_packets_out", "sim_power",
    "power_output_file", "tech_file", "channel_width", "channel_sweep", "perfect_icnt", "fixed_lat_per_hop",
    "output_extra_latency", "enable_link_stats", "MATLAB_OUTPUT", "DISPLAY_LAT_DIST", "DISPLAY_HOP_DIST",
    "DISPLAY_PAIR_LATENCY",
    NULL};
/* clang-format on */

/* The values of a file, in the order of the table. */
typedef struct File {
    Import *in;
    Given given[G_N_ELEMENTS(settings)];
} File;

static bool bad(const Given *g, const Setting *s, const char *expected, GError **error)
{
    if (g->at.line == 0) {
        return ww_fail(error, WW_ERROR_INPUT, "%s: %s is not given, and then %.60s; expected %s",
                       g->at.file, s->name, g->value, expected);
    }
    return ww_fail(error, WW_ERROR_INPUT, "%s:%u: %s = %.60s; expected %s", g->at.file, g->at.line,
                   s->name, g->value, expected);
}

/* ---- statements ---------------------------------------------------------------------------------------------------- */

typedef struct Text {
    const char *p, *end;
    Place at;
} Text;

static void skip_blanks(Text *t)
{
    for (; t->p < t->end; t->p++) {
        if (t->p[0] == '/' && t->p + 1 < t->end && t->p[1] == '/') {
            while (t->p + 1 < t->end && t->p[1] != '\n') {
                t->p++;
            }
        } else if (*t->p == '\n') {
            t->at.line++;
        } else if (!g_ascii_isspace(*t->p)) {
            return;
        }
    }
}

/* A word, newly allocated: up to a blank, '=' or ';'. NULL at the end or at one of these. */
static char *next_word(Text *t)
{
    skip_blanks(t);
    const char *from = t->p;
    while (t->p < t->end && !g_ascii_isspace(*t->p) && *t->p != '=' && *t->p != ';') {
        t->p++;
    }
    return t->p == from ? NULL : g_strndup(from, (gsize)(t->p - from));
}

static bool next_is(Text *t, char c)
{
    skip_blanks(t);
    if (t->p < t->end && *t->p == c) {
        t->p++;
        return true;
    }
    return false;
}

static const Setting *find(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++) {
        if (strcmp(settings[i].name, name) == 0) {
            return &settings[i];
        }
    }
    return NULL;
}

/* "NAME = VALUE;"; false at the end, or with @p error. */
static bool statement(File *f, Text *t, GError **error)
{
    g_autofree char *name = next_word(t);
    Place at = t->at;
    if (name == NULL && t->p >= t->end) {
        return false;
    }
    bool equals = name != NULL && next_is(t, '=');
    g_autofree char *value = equals ? next_word(t) : NULL;
    if (value == NULL || !next_is(t, ';')) {
        return ww_fail(
            error, WW_ERROR_INPUT,
            "%s:%u: '%.40s' is not followed by %s; expected statements such as num_vcs = 1;",
            at.file, at.line, name != NULL ? name : "=",
            value != NULL ? "';' after its value" : "'=' and a value");
    }
    const Setting *s = find(name);
    if (s == NULL && g_strv_contains(unused, name)) {
        return true;
    }
    if (s == NULL) {
        return ww_fail(
            error, WW_ERROR_INPUT,
            "%s:%u: '%.40s' is no setting of the reference's network; expected one such as num_vcs",
            at.file, at.line, name);
    }
    Given *g = &f->given[s - settings];
    g_free(g->value);
    g->value = g_steal_pointer(&value);
    g->at = at;
    return true;
}

/* ---- values -------------------------------------------------------------------------------------------------------- */

static bool assign(const File *f, const Given *g, const char *parameter, const char *value,
                   GError **error)
{
    g_autofree char *path = g_strconcat("gpu.network.", parameter, NULL);
    return import_assign(f->in, path, value, g, error);
}

static bool whole(const Given *g, gint64 *out)
{
    return g_ascii_string_to_signed(g->value, 10, G_MININT32, G_MAXINT32, out, NULL);
}

static const Given *given(const File *f, const char *name)
{
    return &f->given[find(name) - settings];
}

static bool number(const File *f, const Setting *s, const Given *g, GError **error)
{
    gint64 n;
    if (!whole(g, &n)) {
        return bad(g, s, "a whole number", error);
    }
    if (s->kind == FLAG) {
        return assign(f, g, s->parameter, n != 0 ? "true" : "false", error);
    }
    bool left_out = s->kind == UNLESS && n == g_ascii_strtoll(s->def, NULL, 10);
    if (n < 0 && !left_out) {
        return bad(g, s, "a number that is not negative", error);
    }
    if (s->kind == UNLESS && n == 0 && !left_out) {
        return bad(g, s, "-1 or a number of 1 or more", error);
    }
    return assign(f, g, s->parameter, left_out ? s->other : g->value, error);
}

static bool real(const File *f, const Setting *s, const Given *g, GError **error)
{
    char *end = NULL;
    g_ascii_strtod(g->value, &end);
    if (!g_ascii_isdigit(g->value[0]) || *end != '\0') {
        return bad(g, s, "a number such as 2.0", error);
    }
    return assign(f, g, s->parameter, g->value, error);
}

static bool choice(const File *f, const Setting *s, const Given *g, GError **error)
{
    static const struct {
        const char *word, *routing;
    } topologies[] = {{"fly", "dest_tag"}, {"mesh", "dim_order"}, {"torus", "dim_order"}};
    const char *topology = given(f, "topology")->value, *routing = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(topologies); i++) {
        if (strcmp(topology, topologies[i].word) == 0) {
            routing = topologies[i].routing;
        }
    }
    if (strcmp(s->parameter, "topology") == 0) {
        return routing == NULL ? bad(g, s, "fly, mesh or torus (others are not modelled)", error)
                               : assign(f, g, s->parameter, g->value, error);
    }
    bool dor = strcmp(g->value, "dor") == 0 && strcmp(topology, "mesh") == 0; /* another name */
    if (routing == NULL || (strcmp(g->value, routing) != 0 && !dor)) {
        g_autofree char *expected =
            g_strdup_printf("%s for this topology (others are not modelled)",
                            routing != NULL ? routing : "dest_tag or dim_order");
        return bad(g, s, expected, error);
    }
    return assign(f, g, s->parameter, routing, error);
}

/* "islip", "islip(2)", "separable_input_first(matrix)": the argument is iterations of iSLIP, the arbiters of a separable one. */
static bool allocator(const File *f, const Setting *s, const Given *g, GError **error)
{
    static const char *const known[] = {
        "islip",     "separable_input_first", "separable_output_first",
        "wavefront", "rr_wavefront",          "loa",
        NULL};
    const char *open = strchr(g->value, '(');
    g_autofree char *name =
        open != NULL ? g_strndup(g->value, (gsize)(open - g->value)) : g_strdup(g->value);
    g_autofree char *argument =
        open != NULL ? g_strndup(open + 1, strcspn(open + 1, ")")) : g_strdup("");
    if (!g_strv_contains(known, name) ||
        (open != NULL && (!g_str_has_suffix(open, ")") || strchr(open, ')')[1] != '\0'))) {
        return bad(g, s,
                   "one of islip, islip(N), separable_input_first, separable_output_first (these "
                   "also with (round_robin) or (matrix)), "
                   "wavefront, rr_wavefront, loa; others are not modelled",
                   error);
    }
    bool separable = g_str_has_prefix(name, "separable"), slip = strcmp(name, "islip") == 0;
    const char *arbiter = separable && argument[0] != '\0' ? argument : "round_robin";
    const char *iterations = slip && argument[0] != '\0' ? argument : "1";
    if (strcmp(arbiter, "round_robin") != 0 && strcmp(arbiter, "matrix") != 0) {
        return bad(g, s, "arbiters round_robin or matrix", error);
    }
    uint64_t n;
    if (!import_number(iterations, &n) || n == 0) {
        return bad(g, s, "a number of iterations in brackets", error);
    }
    g_autofree char *a = g_strconcat(s->parameter, "_allocator", NULL);
    g_autofree char *b = g_strconcat(s->parameter, "_arbiter", NULL);
    g_autofree char *c = g_strconcat(s->parameter, "_iterations", NULL);
    return assign(f, g, a, name, error) && assign(f, g, b, arbiter, error) &&
           assign(f, g, c, iterations, error);
}

/* "{1,3,4}": nodes */
static bool nodes(const File *f, const Setting *s, const Given *g, GError **error)
{
    gsize length = strlen(g->value);
    if (length < 2 || g->value[0] != '{' || g->value[length - 1] != '}') {
        return bad(g, s, "nodes in braces without blanks, such as {1,3,4}", error);
    }
    g_autofree char *inside = g_strndup(g->value + 1, length - 2);
    g_auto(GStrv) each = g_strsplit(inside, ",", -1);
    for (char **n = each; *n != NULL; n++) {
        uint64_t v;
        if (!import_number(*n, &v)) {
            return bad(g, s, "nodes in braces without blanks, such as {1,3,4}", error);
        }
    }
    g_autofree char *joined = g_strjoinv(", ", each);
    g_autofree char *text = g_strdup_printf("[%s]", joined);
    return assign(f, g, s->parameter, text, error);
}

/* A number, or half of the channels when it is negative: the lower for requests, the upper for replies. */
static gint64 channel(const File *f, const Setting *s, gint64 vcs)
{
    gint64 n = 0;
    whole(&f->given[s - settings], &n);
    const gint64 instead[] = {0, vcs / 2 - 1, vcs / 2, vcs - 1};
    return n < 0 ? instead[s->other[0] - '0'] : n;
}

static bool channels(const File *f, const Setting *s, const Given *g, GError **error)
{
    gint64 vcs = 0, n;
    if (!whole(g, &n)) {
        return bad(g, s, "a whole number", error);
    }
    whole(given(f, "num_vcs"), &vcs);
    gint64 at = channel(f, s, vcs);
    if (at < 0 || at >= vcs) {
        g_autofree char *expected = g_strdup_printf(
            "one of the %" G_GINT64_FORMAT " virtual channels (num_vcs), counted from 0", vcs);
        return bad(g, s, expected, error);
    }
    if (s->other[0] % 2 == '0' % 2) {
        return true; /* with the end, which follows in the table */
    }
    gint64 begin = channel(f, s - 1, vcs);
    if (begin > at) {
        return bad(g, s, "an end that is not before its beginning", error);
    }
    g_autofree char *text =
        g_strdup_printf("[%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT "]", begin, at);
    return assign(f, g, s->parameter, text, error);
}

static bool apply(const File *f, const Setting *s, const Given *g, GError **error)
{
    gint64 n;
    switch (s->kind) {
    case WHOLE:
    case FLAG:
    case UNLESS:
        return number(f, s, g, error);
    case REAL:
        return real(f, s, g, error);
    case WORD:
        return choice(f, s, g, error);
    case ALLOC:
        return allocator(f, s, g, error);
    case NODES:
        return nodes(f, s, g, error);
    case VC:
        return channels(f, s, g, error);
    case ONLY: {
        g_autofree char *expected = g_strconcat(s->other, " (nothing else is modelled)", NULL);
        return strcmp(g->value, s->other) == 0 || bad(g, s, expected, error);
    }
    case AT_LEAST: {
        g_autofree char *expected =
            g_strconcat(s->other, " or more: requests and replies have a network each", NULL);
        return (whole(g, &n) && n >= g_ascii_strtoll(s->other, NULL, 10)) ||
               bad(g, s, expected, error);
    }
    }
    return true;
}

/* The fifos in front of the devices must not be what is full. */
static bool widen_fifos(const File *f, GError **error)
{
    gint64 vcs = 1, boundary = 1;
    const Given *g = given(f, "boundary_buffer_size");
    whole(given(f, "num_vcs"), &vcs);
    whole(g, &boundary);
    g_autofree char *depth =
        g_strdup_printf("%" G_GINT64_FORMAT, CLAMP(MIN(vcs, 64) * boundary, 1, 65536));
    return import_assign(f->in, "cluster.network_out", depth, g, error) &&
           import_assign(f->in, "channel.network_out", depth, g, error);
}

/* ---- the whole ----------------------------------------------------------------------------------------------------- */

/* Where the reference looks, the working directory; else beside the option file that names it. */
static char *locate(const Given *named)
{
    if (g_path_is_absolute(named->value) || g_file_test(named->value, G_FILE_TEST_EXISTS)) {
        return g_strdup(named->value);
    }
    g_autofree char *folder = g_path_get_dirname(named->at.file);
    char *beside = g_build_filename(folder, named->value, NULL);
    if (named->at.line != 0 && g_file_test(beside, G_FILE_TEST_EXISTS)) {
        return beside;
    }
    g_free(beside);
    return g_strdup(named->value);
}

static bool read_all(File *f, const Given *named, char **text, Text *t, GError **error)
{
    g_autofree char *file = locate(named);
    gsize size = 0;
    struct stat st;
    g_autoptr(GError) why = NULL;
    bool large = stat(file, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > MAX_FILE;
    if (!large && (!g_file_test(file, G_FILE_TEST_IS_REGULAR) ||
                   !g_file_get_contents(file, text, &size, &why))) {
        const char *colon = why != NULL ? strrchr(why->message, ':') : NULL;
        g_autofree char *at = named->at.line != 0
                                  ? g_strdup_printf("%s:%u", named->at.file, named->at.line)
                                  : g_strdup(named->at.file);
        return ww_fail(error, WW_ERROR_INPUT,
                       "%s: -inter_config_file %s cannot be read (%s); expected the network's "
                       "settings (.icnt), in the working "
                       "directory or beside the option file, or -network_mode 2",
                       at, named->value,
                       colon != NULL                           ? colon + 2
                       : g_file_test(file, G_FILE_TEST_EXISTS) ? "no regular file"
                                                               : "no such file");
    }
    if (!large && ww_begins_with_mark(*text, size)) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "%s:1: begins with a byte order mark; expected plain text without", file);
    }
    if (large || memchr(*text, '\0', size) != NULL) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "%s: %s; expected a text file of statements such as num_vcs = 1;", file,
                       large ? "is larger than 1 MiB" : "contains a NUL byte");
    }
    import_tell_file(f->in, file);
    const char *name = g_intern_string(file);
    *t = (Text){*text, *text + size, {name, 1}};
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++) {
        f->given[i] = (Given){g_strdup(settings[i].def), {name, 0}};
    }
    return true;
}

bool import_icnt(Import *in, const Given *named, GError **error)
{
    File f = {.in = in};
    Text t = {0};
    g_autofree char *text = NULL;
    GError *wrong = NULL;
    bool ok = read_all(&f, named, &text, &t, &wrong);
    while (ok && statement(&f, &t, &wrong)) {
    }
    ok = wrong == NULL;
    for (size_t i = 0; ok && i < G_N_ELEMENTS(settings); i++) {
        ok = f.given[i].value == NULL || apply(&f, &settings[i], &f.given[i], &wrong);
    }
    ok = ok && widen_fifos(&f, &wrong);
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++) {
        g_free(f.given[i].value);
    }
    if (!ok) {
        g_propagate_error(error, wrong);
    }
    return ok;
}
