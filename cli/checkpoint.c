/* SPDX-License-Identifier: Apache-2.0 */
/* When checkpoints are made, where they go, and what a run must have in common with the one that made them. */
#include "checkpoint.h"
#include "report.h"

#include <inttypes.h>
#include <monitor/signals.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_AT 100000u /* cycles that --checkpoint-at takes */

const GOptionEntry *cli_checkpoints_options(CliCheckpoints *c)
{
    static GOptionEntry rows[6];
    const GOptionEntry all[] = {
        CLI_HEADING("Checkpoints"),
        {"checkpoint", 0, 0, G_OPTION_ARG_FILENAME, &c->file,
         "Write checkpoints to FILE (%c becomes the cycle), also on SIGUSR2", "FILE"},
        {"checkpoint-every", 0, 0, G_OPTION_ARG_FILENAME, &c->every_text,
         "Write one every N core cycles", "N"},
        {"checkpoint-at", 0, 0, G_OPTION_ARG_FILENAME, &c->at_text,
         "Write one at each of these core cycles", "N,N..."},
        {"restore", 0, 0, G_OPTION_ARG_FILENAME, &c->restore,
         "Resume from a checkpoint; the rest of the command must be as it was", "FILE"},
        {NULL},
    };
    G_STATIC_ASSERT(sizeof rows == sizeof all);
    memcpy(rows, all, sizeof all);
    return rows;
}

static int by_cycle(gconstpointer a, gconstpointer b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static bool read_at(CliCheckpoints *c, GError **error)
{
    g_auto(GStrv) words = g_strsplit(c->at_text, ",", MOST_AT);
    c->at = g_array_new(false, false, sizeof(uint64_t));
    if (words[0] == NULL) {
        return ww_fail(error, WW_ERROR_USAGE, "--checkpoint-at is empty; expected cycles");
    }
    for (char **w = words; *w != NULL; w++) {
        uint64_t cycle;
        if (!cli_number("--checkpoint-at", *w, &cycle, error)) {
            return false;
        }
        g_array_append_val(c->at, cycle);
    }
    g_array_sort(c->at, by_cycle);
    return true;
}

bool cli_checkpoints_on(const CliCheckpoints *c)
{
    return c->file != NULL || c->restore != NULL;
}

static char *name_of(const CliCheckpoints *c, WwCycle now)
{
    g_autofree char *cycle = g_strdup_printf("%" PRIu64, now);
    g_auto(GStrv) parts = g_strsplit(c->file, "%c", -1);
    return g_strjoinv(cycle, parts);
}

/* It may be hours until the first is due, or somebody asks for one. Pipes and devices have no folder to make a file in. */
static bool check_place(const CliCheckpoints *c, GError **error)
{
    struct stat st;
    if (c->file == NULL) {
        return true;
    }
    g_autofree char *path = name_of(c, 0);
    return (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) ||
           cli_output_place("the checkpoint ", path, error);
}

bool cli_checkpoints_check(CliCheckpoints *c, GError **error)
{
    if (c->file == NULL && (c->every_text != NULL || c->at_text != NULL)) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "--checkpoint-%s says when, but not where to; expected --checkpoint FILE, "
                       "too",
                       c->every_text != NULL ? "every" : "at");
    }
    if (c->every_text != NULL &&
        !cli_number_in("--checkpoint-every", c->every_text, 1, UINT64_MAX, &c->every, error)) {
        return false;
    }
    return (c->at_text == NULL || read_at(c, error)) && check_place(c, error);
}

bool cli_checkpoints_early(CliCheckpoints *c, GError **error)
{
    if (c->restore == NULL) {
        return true;
    }
    if (!ww_checkpoint_head(c->restore, &c->head, error)) {
        return false;
    }
    ww_trace_set_seed(c->head.seed);
    return true;
}

/* ---- the run ---------------------------------------------------------------------------------------------------- */

void cli_checkpoints_fact(CliCheckpoints *c, const char *name, const char *value)
{
    if (c->checkpoint != NULL) {
        ww_checkpoint_fact(c->checkpoint, name, value != NULL ? value : "none");
    }
}

bool cli_checkpoints_facts(CliCheckpoints *c, const CliSetup *setup, const CliRecord *record,
                           GError **error)
{
    if (c->checkpoint == NULL) {
        return true;
    }
    g_autofree char *program = cli_record_hash("/proc/self/exe");
    if (program == NULL) {
        return ww_fail(
            error, WW_ERROR_SYSTEM,
            "/proc/self/exe cannot be read; expected it: a checkpoint names its program");
    }
    cli_checkpoints_fact(c, "the program", program);
    for (guint i = 0; i < record->inputs->len; i++) {
        const CliInput *in = record->inputs->pdata[i];
        bool moves = strcmp(in->kind, "list") == 0 || strcmp(in->kind, "kernels") == 0;
        g_autofree char *name = moves ? g_strdup_printf("the trace's %s", in->kind)
                                      : g_strdup_printf("%s '%s'", in->kind, in->name);
        g_autofree char *size =
            g_strdup_printf("%u files, %" PRIu64 " bytes", in->files, in->bytes);
        cli_checkpoints_fact(c, name, in->sha256 != NULL ? in->sha256 : size);
    }
    cli_checkpoints_parameters(c, setup->elaboration);
    return true;
}

/* The first cycle from @p from on in which one is due; in cycle 0 only if somebody says so. */
static WwCycle next_from(const CliCheckpoints *c, WwCycle from)
{
    WwCycle next = c->every != 0 ? ((MAX(from, 1) - 1) / c->every + 1) * c->every : WW_NEVER;
    for (guint i = 0; c->at != NULL && i < c->at->len; i++) {
        uint64_t at = g_array_index(c->at, uint64_t, i);
        if (at >= from) {
            return MIN(next, at);
        }
    }
    return next;
}

bool cli_checkpoints_begin(CliCheckpoints *c, const CliSetup *setup, WwHeap *heap, WwTrace *trace,
                           GError **error)
{
    WwMachine *machine = setup->machine;
    c->until = c->next = WW_NEVER;
    c->machine = machine;
    c->trace = trace;
    if (!cli_checkpoints_on(c)) {
        return true;
    }
    const WwComponent *not_saved = ww_checkpoint_refuses(machine);
    if (not_saved != NULL) {
        g_autofree char *path = ww_path(not_saved);
        return ww_fail(error, WW_ERROR_USAGE,
                       "%s (%s) cannot be saved, as its type says; expected a machine without it, "
                       "or no checkpoints",
                       path, not_saved->type->name);
    }
    WwHeap *const heaps[] = {heap, ww_machine_heap(machine),
                             trace != NULL ? ww_trace_heap(trace) : NULL};
    c->checkpoint = ww_checkpoint_new(heaps, 2 + (trace != NULL), error);
    return c->checkpoint != NULL;
}

static void plan(CliCheckpoints *c, WwCycle from)
{
    c->from = from;
    c->until = c->next = next_from(c, from);
}

bool cli_checkpoints_restore(CliCheckpoints *c, GError **error)
{
    if (c->checkpoint == NULL) {
        return true;
    }
    ww_checkpoint_facts_of(c->checkpoint, c->machine); /* last: many an option makes another one */
    if (c->restore != NULL && (!ww_checkpoint_read(c->checkpoint, c->restore, c->head, error) ||
                               (c->trace != NULL && !ww_trace_reopen(c->trace, error)))) {
        return false;
    }
    plan(c, ww_machine_cycle(c->machine) + (c->restore != NULL));
    return true;
}

bool cli_checkpoints_due(CliCheckpoints *c)
{
    WwCycle now = ww_machine_cycle(c->machine);
    if (ww_machine_error(c->machine) != NULL) {
        return false; /* in the tick in which a kernel ended, which was told first: nobody goes on from there */
    }
    if (ww_signals_wanted()) {
        if (c->file == NULL) {
            cli_say("", "no checkpoint is made: the run was begun without --checkpoint FILE");
        } else {
            c->asked = true;
        }
    }
    if (!c->asked && now < c->next) {
        return false;
    }
    if (!ww_machine_quiet(c->machine)) { /* after the tick that comes */
        c->until = now + 1;
        return false;
    }
    return true;
}

bool cli_checkpoints_write(CliCheckpoints *c, GError **error)
{
    WwCycle now = ww_machine_cycle(c->machine);
    g_autofree char *path = name_of(c, now);
    ww_signals_set(WW_SIGNALS_DEFER);
    bool good = true;
    if (c->trace != NULL && !ww_trace_hold_whole(c->trace)) {
        cli_say("", "no checkpoint is made: the signal came while the run waited for its trace");
    } else {
        /* puts together what threads were told: it may go on without */
        ww_machine_settle(c->machine);
        good = ww_checkpoint_write(c->checkpoint, path, (WwCheckpointHead){ww_trace_seed(), now},
                                   error);
        if (c->trace != NULL) {
            ww_trace_go(c->trace);
        }
    }
    ww_signals_set(WW_SIGNALS_ASK);
    c->asked = false;
    plan(c, now + 1);
    return good;
}

void cli_checkpoints_tell_begin(const CliCheckpoints *c)
{
    if (c->file != NULL && c->every_text == NULL && c->at_text == NULL) {
        cli_say("note: ", "--checkpoint without --checkpoint-every or --checkpoint-at: one is "
                          "made when SIGUSR2 comes, and only then");
    }
}

void cli_checkpoints_tell(const CliCheckpoints *c)
{
    guint left = 0;
    if (c->file == NULL || c->at == NULL) {
        return;
    }
    while (left < c->at->len && g_array_index(c->at, uint64_t, c->at->len - 1 - left) >= c->from) {
        left++;
    }
    if (left != 0) {
        uint64_t at = g_array_index(c->at, uint64_t, c->at->len - left);
        g_autofree char *end = cli_grouped(ww_machine_cycle(c->machine)), *first = cli_grouped(at);
        g_autofree char *more = left > 1 ? g_strdup_printf(", nor at %u later %s", left - 1,
                                                           WW_PLURAL(left - 1, "one", "ones"))
                                         : g_strdup("");
        g_autofree char *text = g_strdup_printf(
            "no checkpoint was made at cycle %s%s (--checkpoint-at): the run ended in cycle %s",
            first, more, end);
        cli_say("note: ", text);
    }
}

void cli_checkpoints_clear(CliCheckpoints *c)
{
    ww_checkpoint_free(c->checkpoint);
    if (c->at != NULL) {
        g_array_unref(c->at);
    }
    char *const texts[] = {c->file, c->every_text, c->at_text, c->restore};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_free(texts[i]);
    }
}
