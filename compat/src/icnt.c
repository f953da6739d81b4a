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
    WHOLE,    /* A number, to the parameter. */
    REAL,     /* A number that may have a fraction. */
    FLAG,     /* 0: false. */
    UNLESS,   /* A number; `other` stands for 0, "as if it were not there". */
    WORD,     /* A word, to the parameter. */
    ALLOC,    /* An allocator, with an argument in brackets. */
    NODES,    /* {a,b,...} */
    VC,       /* Begin or end of a range of virtual channels. */
    ONLY,     /* Must be `other`. */
    AT_LEAST, /* Must be a number of `other` or more, and changes nothing then. */
    IGNORED
} Kind;

typedef struct Setting {
    const char *name, *def;
    Kind kind;
    const char *parameter;
    const char *other;
} Setting;

/* Of a simulation of BookSim alone, of its printing, or never looked at. */
#define UNUSED(name)                                                                               \
    {                                                                                              \
        name, NULL, IGNORED, NULL, NULL                                                            \
    }

static const Setting settings[] = {
    {"topology", "torus", WORD, "topology", NULL},
    {"routing_function", "none", WORD, "routing", NULL},
    {"k", "8", WHOLE, "k", NULL},
    {"n", "2", WHOLE, "n", NULL},
    {"use_noc_latency", "1", FLAG, "use_noc_latency", NULL},
    {"use_map", "1", FLAG, "use_map", NULL},
    {"memory_node_map", "{}", NODES, "memory_node_map", NULL},
    {"flit_size", "32", WHOLE, "flit_size", NULL},
    {"input_buffer_size", "0", UNLESS, "input_buffer_size", "9"},
    {"boundary_buffer_size", "16", WHOLE, "boundary_buffer_size", NULL},
    {"num_vcs", "16", WHOLE, "num_vcs", NULL},
    {"vc_buf_size", "8", WHOLE, "vc_buf_size", NULL},
    {"buf_size", "-1", UNLESS, "buf_size", "0"},
    {"wait_for_tail_credit", "0", FLAG, "wait_for_tail_credit", NULL},
    {"vc_busy_when_full", "0", FLAG, "vc_busy_when_full", NULL},
    {"vc_shuffle_requests", "0", FLAG, "vc_shuffle_requests", NULL},
    {"vc_allocator", "islip", ALLOC, "vc", NULL},
    {"sw_allocator", "islip", ALLOC, "sw", NULL},
    {"input_speedup", "1", WHOLE, "input_speedup", NULL},
    {"output_speedup", "1", WHOLE, "output_speedup", NULL},
    {"internal_speedup", "1.0", REAL, "internal_speedup", NULL},
    {"output_buffer_size", "-1", UNLESS, "output_buffer_size", "0"},
    {"routing_delay", "1", WHOLE, "routing_delay", NULL},
    {"vc_alloc_delay", "1", WHOLE, "vc_alloc_delay", NULL},
    {"sw_alloc_delay", "1", WHOLE, "sw_alloc_delay", NULL},
    {"st_prepare_delay", "0", WHOLE, "st_prepare_delay", NULL},
    {"st_final_delay", "1", WHOLE, "st_final_delay", NULL},
    {"credit_delay", "0", WHOLE, "credit_delay", NULL},
    {"read_request_begin_vc", "0", VC, "read_request_vcs", "0"},
    {"read_request_end_vc", "5", VC, "read_request_vcs", "1"},
    {"write_request_begin_vc", "2", VC, "write_request_vcs", "0"},
    {"write_request_end_vc", "7", VC, "write_request_vcs", "1"},
    {"read_reply_begin_vc", "8", VC, "read_reply_vcs", "2"},
    {"read_reply_end_vc", "13", VC, "read_reply_vcs", "3"},
    {"write_reply_begin_vc", "10", VC, "write_reply_vcs", "2"},
    {"write_reply_end_vc", "15", VC, "write_reply_vcs", "3"},
    {"sim_type", "latency", ONLY, NULL, "gpgpusim"},
    {"router", "iq", ONLY, NULL, "iq"},
    {"classes", "1", ONLY, NULL, "1"},
    {"priority", "none", ONLY, NULL, "none"},
    {"buffer_policy", "private", ONLY, NULL, "private"},
    {"speculative", "0", ONLY, NULL, "0"},
    {"noq", "0", ONLY, NULL, "0"},
    {"hold_switch_for_packet", "0", ONLY, NULL, "0"},
    {"vc_prioritize_empty", "0", ONLY, NULL, "0"},
    {"link_failures", "0", ONLY, NULL, "0"},
    {"print_csv_results", "0", ONLY, NULL, "0"},
    {"measure_stats", "1", ONLY, NULL, "1"},
    {"subnets", "1", AT_LEAST, NULL, "2"},
    UNUSED("network_count"),
    UNUSED("ejection_buffer_size"), /* credits bound what it holds */
    UNUSED(
        "alloc_iters"), /* the reference's routers do not hand them on: an argument of the allocator does */
    UNUSED("arb_type"),
    UNUSED("output_delay"),
    UNUSED("vct"),
    UNUSED("spec_check_elig"),
    UNUSED("spec_check_cred"),
    UNUSED("spec_mask_by_reqs"),
    UNUSED("spec_sw_allocator"),
    UNUSED("private_bufs"),
    UNUSED("private_buf_size"),
    UNUSED("private_buf_start_vc"),
    UNUSED("private_buf_end_vc"),
    UNUSED("max_held_slots"),
    UNUSED("feedback_aging_scale"),
    UNUSED("feedback_offset"),
    UNUSED("vc_priority_donation"),
    UNUSED("class_priority"),
    UNUSED("c"),
    UNUSED("x"),
    UNUSED("y"),
    UNUSED("xr"),
    UNUSED("yr"),
    UNUSED("in_ports"),
    UNUSED("out_ports"),
    UNUSED("channel_file"),
    UNUSED("network_file"),
    UNUSED("fail_seed"),
    UNUSED("perm_seed"),
    UNUSED("seed"),
    UNUSED("traffic"),
    UNUSED("packet_size"),
    UNUSED("packet_size_rate"),
    UNUSED("injection_rate"),
    UNUSED("injection_rate_uses_flits"),
    UNUSED("injection_process"),
    UNUSED("burst_alpha"),
    UNUSED("burst_beta"),
    UNUSED("burst_r1"),
    UNUSED("batch_size"),
    UNUSED("batch_count"),
    UNUSED("max_outstanding_requests"),
    UNUSED("use_read_write"),
    UNUSED("write_fraction"),
    UNUSED("read_request_size"),
    UNUSED("write_request_size"),
    UNUSED("read_reply_size"),
    UNUSED("write_reply_size"),
    UNUSED("read_request_subnet"), /* requests are in one network, replies in the other */
    UNUSED("write_request_subnet"),
    UNUSED("read_reply_subnet"),
    UNUSED("write_reply_subnet"),
    UNUSED("warmup_periods"),
    UNUSED("sample_period"),
    UNUSED("max_samples"),
    UNUSED("pair_stats"),
    UNUSED("latency_thres"),
    UNUSED("warmup_thres"),
    UNUSED("acc_warmup_thres"),
    UNUSED("stopping_thres"),
    UNUSED("acc_stopping_thres"),
    UNUSED("sim_count"),
    UNUSED("include_queuing"),
    UNUSED("print_activity"),
    UNUSED("deadlock_warn_timeout"),
    UNUSED("viewer_trace"),
    UNUSED("watch_file"),
    UNUSED("watch_flits"),
    UNUSED("watch_packets"),
    UNUSED("watch_transactions"),
    UNUSED("watch_out"),
    UNUSED("stats_out"),
    UNUSED("sent_packets_out"),
    UNUSED("sim_power"),
    UNUSED("power_output_file"),
    UNUSED("tech_file"),
    UNUSED("channel_width"),
    UNUSED("channel_sweep"),
    UNUSED("perfect_icnt"),
    UNUSED("fixed_lat_per_hop"),
    UNUSED("output_extra_latency"),
    UNUSED("enable_link_stats"),
    UNUSED("MATLAB_OUTPUT"),
    UNUSED("DISPLAY_LAT_DIST"),
    UNUSED("DISPLAY_HOP_DIST"),
    UNUSED("DISPLAY_PAIR_LATENCY"),
};

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
    case IGNORED:
        break;
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
