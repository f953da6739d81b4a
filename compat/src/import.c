/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The importer: option files into assignments. A file is words separated by blanks; '#' starts a comment; an option is a word that begins
 * with '-' and a letter, its value the next word; quotes keep blanks (and line breaks) together. The last occurrence wins.
 */
#include "import-priv.h"
#include <string.h>

static const WwTextLimits limits = {
    .bytes = 16u << 20, .line = 10000, .expected = "a text file of option lines"};

static void given_free(gpointer data)
{
    Given *g = data;
    g_free(g->value);
    g_free(g);
}

static void give(Import *in, const char *name, const char *value, Place at)
{
    guint before;
    if (g_hash_table_contains(in->given, name) &&
        g_ptr_array_find_with_equal_func(in->order, name, g_str_equal, &before)) {
        g_ptr_array_remove_index(in->order, before);
    }
    g_ptr_array_add(in->order, g_strdup(name));
    Given *g = g_new0(Given, 1);
    g->value = g_strdup(value);
    g->at = at;
    g_hash_table_insert(in->given, g_strdup(name), g);
}

/* ---- words ------------------------------------------------------------------------------------------------------ */

typedef struct Words {
    const char *p, *end;
    Place at;
} Words;

/* The next word into @p out; *quoted tells whether it stood in quotes. False at the end, or with @p error. */
static bool next_word(Words *w, GString *out, bool *quoted, GError **error)
{
    g_string_truncate(out, 0);
    *quoted = false;
    for (; w->p < w->end && (g_ascii_isspace(*w->p) || *w->p == '#'); w->p++) {
        if (*w->p == '#') {
            while (w->p < w->end && *w->p != '\n') {
                w->p++;
            }
        }
        if (w->p < w->end && *w->p == '\n') {
            w->at.line++;
        }
    }
    if (w->p >= w->end) {
        return false;
    }
    if (*w->p != '"') {
        for (; w->p < w->end && !g_ascii_isspace(*w->p) && *w->p != '#'; w->p++) {
            g_string_append_c(out, *w->p);
        }
        return true;
    }
    uint32_t line = w->at.line;
    *quoted = true;
    for (w->p++; w->p < w->end && *w->p != '"'; w->p++) {
        w->at.line += *w->p == '\n';
        if (!g_ascii_isspace(*w->p)) {
            g_string_append_c(out, *w->p);
        }
    }
    if (w->p >= w->end) {
        return ww_fail(error, WW_ERROR_INPUT, "%s:%u: quote is never closed; expected '\"'",
                       w->at.file, line);
    }
    w->p++;
    return true;
}

static bool is_option(const GString *word, bool quoted)
{
    return !quoted && word->len > 1 && word->str[0] == '-' && g_ascii_isalpha(word->str[1]);
}

void import_tell_file(const Import *in, const char *path)
{
    if (in->options->file != NULL) {
        in->options->file(in->options->file_user, path);
    }
}

/* Of an option without a value, whose name shows what was taken for it. */
static const char *behind(const char *name)
{
    return strchr(name, '=') != NULL ? " behind a blank, without '='" : "";
}

static bool read_file(Import *in, const char *file, GError **error)
{
    g_autofree char *text = NULL;
    gsize size = 0;
    if (!ww_read_text(file, &limits, &text, &size, error)) {
        return false;
    }
    import_tell_file(in, file);
    Words w = {text, text + size, {g_intern_string(file), 1}};
    g_autoptr(GString) word = g_string_new(NULL);
    g_autofree char *name = NULL;
    Place at = w.at;
    bool quoted;
    GError *bad = NULL;
    while (next_word(&w, word, &quoted, &bad)) {
        if (is_option(word, quoted)) {
            if (name != NULL) {
                return ww_fail(error, WW_ERROR_INPUT,
                               "%s:%u: option %s has no value; expected one%s before %s", at.file,
                               at.line, name, behind(name), word->str);
            }
            name = g_strdup(word->str);
            at = w.at;
        } else if (name != NULL) {
            give(in, name, word->str, at);
            g_clear_pointer(&name, g_free);
        } else {
            return ww_fail(
                error, WW_ERROR_INPUT,
                "%s:%u: '%.40s' stands alone; expected an option such as -gpgpu_scheduler",
                w.at.file, w.at.line, word->str);
        }
    }
    if (bad != NULL) {
        g_propagate_error(error, bad);
        return false;
    }
    if (name != NULL) {
        return ww_fail(error, WW_ERROR_INPUT, "%s:%u: option %s has no value; expected one%s",
                       at.file, at.line, name, behind(name));
    }
    return true;
}

/* ---- rules over several options ------------------------------------------------------------------------------------ */

/* Field @p i of an option that derive() looks at, 0 when neither option nor field is there. */
static uint64_t field(const Import *in, const char *name, uint32_t i)
{
    const Given *g = g_hash_table_lookup(in->given, name);
    uint64_t n = 0;
    if (g != NULL) {
        g_auto(GStrv) f = g_strsplit(g->value, ",", -1);
        if (i < g_strv_length(f) && !import_number(f[i], &n)) {
            n = 0;
        }
    }
    return n;
}

/* The file of the network with routers says all about it; with the crossbar the reference does not open it. */
static bool network(Import *in, GError **error)
{
    const Given *mode = g_hash_table_lookup(in->given, "-network_mode");
    const Given *file = g_hash_table_lookup(in->given, "-inter_config_file");
    if (file != NULL && (mode == NULL || strcmp(mode->value, "1") == 0)) {
        return import_icnt(in, file, error);
    }
    if (mode == NULL || strcmp(mode->value, "1") != 0) {
        return true;
    }
    if (in->options->strict) {
        return ww_fail(
            error, WW_ERROR_INPUT,
            "%s:%u: -network_mode 1 without -inter_config_file; expected the file of the "
            "network with --strict",
            mode->at.file, mode->at.line);
    }
    if (in->options->note != NULL) {
        in->options->note(in->options->note_user,
                          "-network_mode 1 without -inter_config_file: the network has the values "
                          "that the configuration gives");
    }
    return true;
}

/*
 * Specialised units: the first that is not enabled ends the list, whatever stands above it. One that is enabled with no units is
 * passed over: instructions for it go nowhere.
 */
static bool specialised(Import *in, GError **error)
{
    g_autoptr(GString) on = g_string_new("[");
    const Given *end = NULL, *hole = NULL;
    for (uint32_t k = 1; k <= 8; k++) {
        char name[32], path[32];
        g_snprintf(name, sizeof name, "-specialized_unit_%u", k);
        g_snprintf(path, sizeof path, "sm.spec%u_units", k);
        const Given *g = g_hash_table_lookup(in->given, name);
        if (end != NULL) {
            if (!import_assign(in, path, "0", end, error)) {
                return false;
            }
        } else if (g != NULL && field(in, name, 0) == 0) {
            end = g;
        } else if (g != NULL && field(in, name, 1) == 0) {
            hole = g;
        } else {
            g_string_append_printf(on, "%s%u", on->len > 1 ? ", " : "", k);
        }
    }
    g_string_append_c(on, ']');
    return hole == NULL || import_assign(in, "sm.issue[*].spec_categories", on->str, hole, error);
}

/* The depth of each unit's pipeline follows from the latencies of PTX opcodes, also in trace-driven mode. */
static bool derive(Import *in, GError **error)
{
    const struct {
        const char *path, *from;
        uint64_t depth;
    } rules[] = {
        {"sm.sp[*].depth", "-ptx_opcode_latency_fp", field(in, "-ptx_opcode_latency_fp", 1)},
        {"sm.int[*].depth", "-ptx_opcode_latency_int",
         MAX(field(in, "-ptx_opcode_latency_int", 1), field(in, "-ptx_opcode_latency_int", 5))},
        {"sm.dp[*].depth", "-ptx_opcode_latency_dp", field(in, "-ptx_opcode_latency_dp", 1)},
        {"sm.sfu[*].depth", "-ptx_opcode_latency_sfu",
         MAX(field(in, "-ptx_opcode_latency_dp", 4), field(in, "-ptx_opcode_latency_sfu", 0))},
        {"sm.tensor[*].depth", "-ptx_opcode_latency_tesnor",
         field(in, "-ptx_opcode_latency_tesnor", 0)},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rules); i++) {
        const Given *g = g_hash_table_lookup(in->given, rules[i].from);
        if (g != NULL && rules[i].depth != 0) {
            g_autofree char *depth = g_strdup_printf("%u", (uint32_t)MIN(rules[i].depth, 511u));
            if (!import_assign(in, rules[i].path, depth, g, error)) {
                return false;
            }
        }
    }
    const Given *unified = g_hash_table_lookup(in->given, "-gpgpu_unified_l1d_size");
    if (unified == NULL) {
        return true;
    }
    /* the L1D can grow to it */
    g_autofree char *bytes =
        g_strdup_printf("%" G_GUINT64_FORMAT, field(in, "-gpgpu_unified_l1d_size", 0) << 10);
    return import_assign(in, "sm.l1d.max_bytes", bytes, unified, error);
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

static bool leave_out(Import *in, const char *name, const Given *g, WwOptionClass class,
                      GError **error)
{
    if (in->options->strict && class == WW_OPTION_TIMING) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "%s:%u: %s changes timing and is not modelled; expected only modelled "
                       "options with --strict",
                       g->at.file, g->at.line, name);
    }
    if (!in->options->ignore_unknown && class == WW_OPTION_UNKNOWN) {
        const char *near = option_closest(name);
        return ww_fail(error, WW_ERROR_INPUT,
                       "%s:%u: %s is no option of the reference%s%s%s; expected one (or "
                       "--ignore-unknown-options)",
                       g->at.file, g->at.line, name, near != NULL ? ", did you mean " : "",
                       near != NULL ? near : "", near != NULL ? "?" : "");
    }
    in->n_left[class]++;
    if (in->left[class] == NULL) {
        in->left[class] = g_string_new(NULL);
    }
    g_string_append_printf(in->left[class], " %s", name);
    return true;
}

static bool apply_all(Import *in, GError **error)
{
    for (uint32_t i = 0; i < in->order->len; i++) {
        const char *name = g_ptr_array_index(in->order, i);
        const Given *g = g_hash_table_lookup(in->given, name);
        const Option *o = option_find(name);
        bool ok = o != NULL ? import_apply(in, o, g, error)
                            : leave_out(in, name, g, ww_gpgpusim_class(name), error);
        if (!ok) {
            return false;
        }
    }
    return network(in, error) && specialised(in, error) && derive(in, error);
}

static bool is_given(const Import *in, const char *name)
{
    const Given *g = g_hash_table_lookup(in->given, name);
    return g != NULL && g->at.line != 0;
}

/* Compute capability 8.6 is that of traces with binary version 86. */
static void tell_version(Import *in)
{
    uint64_t major = 0, minor = 0;
    const Given *g = g_hash_table_lookup(in->given, "-gpgpu_compute_capability_major");
    const Given *h = g_hash_table_lookup(in->given, "-gpgpu_compute_capability_minor");
    if (g != NULL && h != NULL && import_number(g->value, &major) &&
        import_number(h->value, &minor) && major < 100 && minor < 10) {
        uint32_t version = (uint32_t)(major * 10 + minor);
        g_autofree char *name = g_path_get_basename(g->at.file);
        ww_overrides_set_traces(in->out, &version, 1, name);
    }
}

/* What the reference keeps in trace.config is easily forgotten: its defaults are of no real GPU. */
static void tell_trace_config(Import *in)
{
    if (in->options->complete && in->options->note != NULL &&
        !is_given(in, "-trace_opcode_latency_initiation_sp") &&
        !is_given(in, "-trace_opcode_latency_initiation_int")) {
        in->options->note(in->options->note_user,
                          "no option says how long instructions take (-trace_opcode_latency_...): "
                          "every unit has the reference's default; these options are in its "
                          "trace.config, add --gpgpusim trace.config");
    }
}

static void tell_what_was_left(Import *in)
{
    static const char *const texts[WW_N_OPTION_CLASSES] = {
        [WW_OPTION_FUNCTIONAL] = "without effect on timing",
        [WW_OPTION_POWER] = "of the power model",
        [WW_OPTION_VISUALISATION] = "of visualisation and logs",
        [WW_OPTION_TIMING] = "that change timing and are NOT modelled",
        [WW_OPTION_UNKNOWN] = "unknown",
    };
    static const WwOptionClass harmless[] = {WW_OPTION_FUNCTIONAL, WW_OPTION_POWER,
                                             WW_OPTION_VISUALISATION};
    g_autoptr(GString) all = g_string_new(NULL);
    uint32_t n = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(harmless) && !in->options->verbose; i++) {
        uint32_t some = in->n_left[harmless[i]];
        n += some;
        if (some != 0) {
            g_string_append_printf(all, "%s%u %s", all->len != 0 ? ", " : "", some,
                                   texts[harmless[i]]);
        }
        in->n_left[harmless[i]] = 0;
    }
    if (n != 0 && in->options->note != NULL) {
        g_autofree char *message = g_strdup_printf("options left out: %s; -v names them", all->str);
        in->options->note(in->options->note_user, message);
    }
    for (int c = 0; c < WW_N_OPTION_CLASSES; c++) {
        if (in->n_left[c] != 0 && in->options->note != NULL) {
            g_autofree char *message =
                g_strdup_printf("options left out, %s:%s", texts[c], in->left[c]->str);
            in->options->note(in->options->note_user, message);
        }
    }
}

bool ww_gpgpusim_import(WwOverrides *overrides, const char *const *files,
                        const WwImportOptions *options, GError **error)
{
    Import in = {
        .options = options,
        .given = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, given_free),
        .order = g_ptr_array_new_with_free_func(g_free),
        .out = overrides,
    };
    const Option *o;
    for (size_t i = 0; options->complete && (o = option_at(i)) != NULL; i++) {
        if (o->def != NULL) {
            give(&in, o->name, o->def, (Place){"built-in defaults of the reference", 0});
        }
    }
    bool ok = true;
    for (const char *const *f = files; ok && *f != NULL; f++) {
        ok = read_file(&in, *f, error);
    }
    ok = ok && apply_all(&in, error);
    if (ok) {
        tell_what_was_left(&in);
        tell_version(&in);
        tell_trace_config(&in);
    }
    for (int c = 0; c < WW_N_OPTION_CLASSES; c++) {
        if (in.left[c] != NULL) {
            g_string_free(in.left[c], true);
        }
    }
    g_hash_table_unref(in.given);
    g_ptr_array_unref(in.order);
    return ok;
}
