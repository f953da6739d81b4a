/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is wrong with a sweep is told before its first run. Names and single values are found out when a machine is elaborated with each; that values do
 * not go together, only when a machine of each combination is sealed (sweep_kinds.c).
 */
#include "sweep.h"

#include <string.h>

#define MOST_VALUES 500u /* machines that are elaborated for single values */
#define MOST_OTHERS 4u   /* values of an axis that are tried in place of one that fails */

const char *const sweep_machine_words[] = {
    "config", "platform", "module", "gpgpusim", "strict", "ignore-unknown-options", NULL};

bool sweep_is_one_of(const WwSweepOption *o, const char *const *names)
{
    return g_strv_contains(names, o->word->name);
}

const char *sweep_value_of(const GPtrArray *options, const char *name)
{
    for (guint i = 0; i < options->len; i++) {
        const WwSweepOption *o = options->pdata[i];
        if (strcmp(o->word->name, name) == 0) {
            return o->value;
        }
    }
    return NULL;
}

char **sweep_values_of(const GPtrArray *options, const char *name)
{
    GPtrArray *list = g_ptr_array_new();
    for (guint i = 0; i < options->len; i++) {
        const WwSweepOption *o = options->pdata[i];
        if (strcmp(o->word->name, name) == 0) {
            g_ptr_array_add(list, g_strdup(o->value));
        }
    }
    bool none = list->len == 0;
    g_ptr_array_add(list, NULL);
    char **all = (char **)g_ptr_array_free(list, false);
    if (none) {
        g_strfreev(all);
        return NULL;
    }
    return all;
}

/* ---- one machine ------------------------------------------------------------------------------------------------ */

bool sweep_set_up(CliSetup *setup, const SweepRun *run, const GPtrArray *options, GError **error)
{
    setup->configs = sweep_values_of(options, "config");
    setup->modules = sweep_values_of(options, "module");
    setup->gpgpusim = sweep_values_of(options, "gpgpusim");
    setup->platform_name = g_strdup(sweep_value_of(options, "platform"));
    setup->strict = sweep_value_of(options, "strict") != NULL;
    setup->ignore_unknown = sweep_value_of(options, "ignore-unknown-options") != NULL;
    setup->sms_text = g_strdup(sweep_value_of(options, "sms"));
    setup->version = run->version;
    setup->replays = run->replays;
    return cli_setup_values(setup, error);
}

char *sweep_place(WwLocation at)
{
    return at.line != 0 ? g_strdup_printf("%s:%u:%u", at.file, at.line, at.column)
                        : g_strdup(at.file);
}

/* "a.sweep:2:25:" or "-s": how errors of a setting begin. Newly allocated. */
static char *place_of(const WwSweepOption *o)
{
    g_autofree char *at = sweep_place(o->at);
    return g_strconcat(at, o->at.line != 0 ? ":" : NULL, NULL);
}

static bool add_settings(CliSetup *setup, const GPtrArray *options, GError **error)
{
    for (guint i = 0; i < options->len; i++) {
        const WwSweepOption *o = options->pdata[i];
        if (o->word->kind == WW_SWEEP_SETTING) {
            g_autofree char *from = place_of(o);
            if (!ww_overrides_add_text(setup->overrides, o->value, g_intern_string(from), error)) {
                return false;
            }
        }
    }
    return true;
}

/* Do the patterns of statistics choose any of this machine? */
static bool try_figures(const CliSetup *setup, const GPtrArray *options, GError **error)
{
    g_auto(GStrv) stats = sweep_values_of(options, "stats");
    g_auto(GStrv) over_time = sweep_values_of(options, "interval-stats");
    return cli_try_figures(setup->machine, stats, sweep_value_of(options, "intervals") != NULL,
                           over_time, error);
}

typedef struct Machine {
    const SweepRun *run;
    SweepDepth depth;
    char **notes; /* NULL: not asked for; else what is noted of it, a line each, newly allocated */
} Machine;

/* Notes name what is set as the run has it, errors where it stands in the sweep. */
static void add_as_run(CliSetup *setup, const GPtrArray *options)
{
    g_autoptr(GStrvBuilder) values = g_strv_builder_new();
    for (guint i = 0; i < options->len; i++) {
        const WwSweepOption *o = options->pdata[i];
        if (o->word->kind == WW_SWEEP_SETTING) {
            g_strv_builder_add(values, o->value);
        }
    }
    setup->values = g_strv_builder_end(values);
}

static char *notes_of(CliSetup *setup)
{
    cli_fit_notes(setup);
    GString *lines = g_string_new(NULL);
    for (guint i = 0; setup->told != NULL && i < setup->told->len; i++) {
        g_string_append_printf(lines, "%s%s", i != 0 ? "\n" : "",
                               (const char *)setup->told->pdata[i]);
    }
    return g_string_free(lines, false);
}

static bool build(gpointer user, const GPtrArray *options, GError **error)
{
    const Machine *m = user;
    CliSetup setup = {0};
    if (m->notes != NULL) {
        add_as_run(&setup, options);
    }
    bool good =
        sweep_set_up(&setup, m->run, options, error) &&
        (m->depth == SWEEP_FILES
             ? cli_setup_platform(&setup, error)
             : (m->notes != NULL || add_settings(&setup, options, error)) &&
                   cli_setup_machine(&setup, error) && try_figures(&setup, options, error)) &&
        (m->depth != SWEEP_SEALED || cli_setup_seal(&setup, error));
    if (good && m->notes != NULL) {
        *m->notes = notes_of(&setup);
    }
    cli_setup_clear(&setup);
    return good;
}

bool sweep_blame_machine(const Sweep *s, uint32_t run, SweepDepth depth, GError **error)
{
    g_autoptr(GPtrArray) options = ww_plan_options(s->plan, run);
    Machine m = {&s->runs[run], depth, NULL};
    return sweep_blame(s, run, options, build, &m, error);
}

bool sweep_try_run(const Sweep *s, uint32_t run, SweepDepth depth, char **notes, GError **error)
{
    g_autoptr(GPtrArray) options = ww_plan_options(s->plan, run);
    Machine m = {&s->runs[run], depth, notes};
    if (notes != NULL && build(&m, options, NULL)) {
        return true;
    }
    m.notes = NULL; /* once more, with an error that says where */
    return build(&m, options, error) || sweep_blame(s, run, options, build, &m, error);
}

/* ---- which option it is ----------------------------------------------------------------------------------------- */

/* The axis whose value in run @p run has option @p o; -1: it is one of every run. */
static int axis_of(const Sweep *s, uint32_t run, const WwSweepOption *o)
{
    for (guint a = 0; a < s->sweep->axes->len; a++) {
        const WwSweepAxis *axis = s->sweep->axes->pdata[a];
        const WwSweepValue *v = axis->values->pdata[ww_plan_value(s->plan, run, a)];
        if (g_ptr_array_find(v->options, o, NULL)) {
            return (int)a;
        }
    }
    return -1;
}

/* Does the message begin as errors of this option do? */
static bool names_itself(const char *message, const WwSweepOption *o)
{
    g_autofree char *place = place_of(o);
    if (!g_str_has_prefix(message, place)) {
        return false;
    }
    const char *rest = message + strlen(place);
    return o->at.line != 0 || (*rest == ' ' && g_str_has_prefix(rest + 1, o->value));
}

/* @p options with value @p other of axis @p axis in place of @p v. */
static GPtrArray *with_other(const GPtrArray *options, const WwSweepValue *v,
                             const WwSweepValue *other)
{
    GPtrArray *all = g_ptr_array_new();
    bool put = false;
    for (guint i = 0; i < options->len; i++) {
        bool own = g_ptr_array_find(v->options, options->pdata[i], NULL);
        if (own && !put) {
            g_ptr_array_extend(all, other->options, NULL, NULL);
            put = true;
        }
        if (!own) {
            g_ptr_array_add(all, options->pdata[i]);
        }
    }
    return all;
}

/* Axes of which another value is all right: without their option it may be another value that is not. */
static void add_axes(const Sweep *s, uint32_t run, const GPtrArray *options, SweepTryFn attempt,
                     gpointer user, GPtrArray *causes)
{
    guint found = causes->len;
    for (guint a = 0; a < s->sweep->axes->len; a++) {
        const WwSweepAxis *axis = s->sweep->axes->pdata[a];
        const WwSweepValue *v = axis->values->pdata[ww_plan_value(s->plan, run, a)];
        bool known = v->options->len == 0;
        for (guint i = 0; i < found; i++) {
            known |= g_ptr_array_find(v->options, causes->pdata[i], NULL);
        }
        for (guint i = 0; !known && i < axis->values->len && i < MOST_OTHERS; i++) {
            g_autoptr(GPtrArray) others = with_other(options, v, axis->values->pdata[i]);
            known = axis->values->pdata[i] != v && attempt(user, others, NULL);
            if (known) {
                g_ptr_array_add(causes, v->options->pdata[0]);
            }
        }
    }
}

/*
 * Options without which all is well; if there are none, without which it is another error. The text of an error does not tell that: it may speak of
 * another option, as one that is like what was meant.
 */
static GPtrArray *find_causes(const Sweep *s, uint32_t run, const GPtrArray *options,
                              SweepTryFn attempt, gpointer user, const char *message)
{
    GPtrArray *causes = g_ptr_array_new();
    g_autoptr(GPtrArray) others = g_ptr_array_new();
    for (guint i = 0; i < options->len; i++) {
        g_autoptr(GPtrArray) rest = g_ptr_array_new();
        g_autoptr(GError) other = NULL;
        for (guint k = 0; k < options->len; k++) {
            if (k != i) {
                g_ptr_array_add(rest, options->pdata[k]);
            }
        }
        if (attempt(user, rest, &other)) {
            g_ptr_array_add(causes, options->pdata[i]);
        } else if (strcmp(other->message, message) != 0) {
            g_ptr_array_add(others, options->pdata[i]);
        }
    }
    add_axes(s, run, options, attempt, user, causes);
    if (causes->len == 0) {
        g_ptr_array_extend(causes, others, NULL, NULL);
    }
    return causes;
}

/* "a.sweep:2:25", or "--axis s=3" of an option that stands in no file; newly allocated. */
static char *name_of(const Sweep *s, uint32_t run, const WwSweepOption *o, int axis)
{
    if (o->at.line != 0) {
        return sweep_place(o->at);
    }
    if (axis < 0) {
        return g_strdup_printf("%s %s", o->at.file, o->value);
    }
    const WwSweepAxis *a = s->sweep->axes->pdata[axis];
    const WwSweepValue *v = a->values->pdata[ww_plan_value(s->plan, run, (uint32_t)axis)];
    return g_strdup_printf("%s%s%s=%s", *o->at.file == '-' ? o->at.file : "",
                           *o->at.file == '-' ? " " : "", a->name, v->name);
}

/* "s=3 w=13": values of several axes that do not go together; "" of one. Newly allocated. */
static char *together(const Sweep *s, uint32_t run, const GPtrArray *causes)
{
    GString *out = g_string_new(NULL);
    guint n = 0;
    for (guint a = 0; a < s->sweep->axes->len; a++) {
        const WwSweepAxis *axis = s->sweep->axes->pdata[a];
        const WwSweepValue *v = axis->values->pdata[ww_plan_value(s->plan, run, a)];
        bool any = false;
        for (guint i = 0; i < causes->len; i++) {
            any |= axis_of(s, run, causes->pdata[i]) == (int)a;
        }
        if (any) {
            g_string_append_printf(out, "%s%s=%s", n++ != 0 ? " " : "", axis->name, v->name);
        }
    }
    return n > 1 ? g_string_free(out, false) : (g_string_free(out, true), g_strdup(""));
}

/* An option that is wrong with this value of another axis, and all right with another one of it: such as a parameter that only one scheduler has. */
static void tell_other(const Sweep *s, uint32_t run, const GPtrArray *options,
                       const WwSweepOption *wrong, SweepTryFn attempt, gpointer user, GError *error)
{
    int own = axis_of(s, run, wrong);
    for (guint a = 0; a < s->sweep->axes->len; a++) {
        const WwSweepAxis *axis = s->sweep->axes->pdata[a];
        const WwSweepValue *v = axis->values->pdata[ww_plan_value(s->plan, run, a)];
        for (guint i = 0; (int)a != own && i < axis->values->len && i < MOST_OTHERS; i++) {
            const WwSweepValue *other = axis->values->pdata[i];
            g_autoptr(GPtrArray) others = other != v ? with_other(options, v, other) : NULL;
            if (others != NULL && v->options->len != 0 && attempt(user, others, NULL)) {
                g_autofree char *before = g_steal_pointer(&error->message);
                error->message = g_strdup_printf(
                    "%s\n    so with %s=%s, not with %s=%s: what goes together is one axis, 'axis "
                    "NAME { SHORT { OPTION; OPTION } ... }'",
                    before, axis->name, v->name, axis->name, other->name);
                return;
            }
        }
    }
}

bool sweep_blame(const Sweep *s, uint32_t run, const GPtrArray *options, SweepTryFn attempt,
                 gpointer user, GError **error)
{
    if (error == NULL || *error == NULL) {
        return false;
    }
    for (guint i = 0; i < options->len; i++) {
        if (names_itself((*error)->message, options->pdata[i])) {
            tell_other(s, run, options, options->pdata[i], attempt, user, *error);
            return false;
        }
    }
    g_autoptr(GPtrArray) causes = find_causes(s, run, options, attempt, user, (*error)->message);
    const WwSweepOption *last = NULL; /* of those of axes, if any is: what all have may be right */
    int axis = -1;
    for (guint i = 0; i < causes->len; i++) {
        int its = axis_of(s, run, causes->pdata[i]);
        if (last == NULL || its >= axis) {
            last = causes->pdata[i];
            axis = its;
        }
    }
    g_autofree char *all = together(s, run, causes);
    if (last == NULL || (last->at.line == 0 && axis < 0)) {
        g_autofree char *text = ww_plan_text(s->plan, run);
        g_prefix_error(error, "run %u%s%s%s: ", run + 1, *text != '\0' ? " (" : "", text,
                       *text != '\0' ? ")" : "");
        return false;
    }
    g_autofree char *name = name_of(s, run, last, axis);
    g_prefix_error(error, "%s: %s%s", name, all, *all != '\0' ? ": " : "");
    if (*all != '\0') {
        g_autofree char *before = g_steal_pointer(&(*error)->message);
        (*error)->message =
            g_strdup_printf("%s\n    'exclude %s' leaves such runs out", before, all);
    }
    return false;
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

/* Has it an option of @p names, or with @p settings one that sets a parameter? */
static bool axis_has(const WwSweepAxis *a, const char *const *names, bool settings)
{
    for (guint i = 0; i < a->values->len; i++) {
        const WwSweepValue *v = a->values->pdata[i];
        for (guint k = 0; k < v->options->len; k++) {
            const WwSweepOption *o = v->options->pdata[k];
            if ((settings && o->word->kind == WW_SWEEP_SETTING) || sweep_is_one_of(o, names)) {
                return true;
            }
        }
    }
    return false;
}

bool sweep_changes_machine(const WwSweepAxis *a)
{
    static const char *const sms[] = {"sms", NULL};
    return axis_has(a, sweep_machine_words, true) || axis_has(a, sms, false);
}

/* Are its values told by a machine that is elaborated? */
static bool is_tried(const WwSweepAxis *a)
{
    static const char *const figures[] = {"stats", "intervals", "interval-stats", NULL};
    return sweep_changes_machine(a) || axis_has(a, figures, false);
}

static bool try_values(const Sweep *s, SweepReplaced *replaced, GError **error)
{
    uint32_t tried = 0;
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    for (guint a = 0; a < s->sweep->axes->len || a == 0; a++) {
        bool only = a >= s->sweep->axes->len || !is_tried(s->sweep->axes->pdata[a]);
        for (uint32_t run = s->first; run < s->last && tried < MOST_VALUES; run++) {
            uint32_t value = only ? 0 : ww_plan_value(s->plan, run, a);
            if (s->runs[run].state != SWEEP_OUT && (!only || run == s->first) &&
                g_hash_table_add(seen, GUINT_TO_POINTER(only ? 1 : (a + 1) << 20 | value))) {
                tried++;
                if (!sweep_try_run(s, run, SWEEP_ELABORATED, NULL, error) ||
                    !sweep_try_axes(s, run, replaced, error)) {
                    return false;
                }
            }
        }
    }
    return true;
}

bool sweep_try_values(const Sweep *s, GError **error)
{
    SweepReplaced replaced;
    sweep_replaced_init(&replaced);
    bool good = try_values(s, &replaced, error);
    sweep_replaced_tell(good ? s : NULL, &replaced);
    return good;
}
