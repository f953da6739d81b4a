/* SPDX-License-Identifier: Apache-2.0 */
/* The page of some runs as a whole: what ran, the parts. */
#include "frame.h"
#include "parts.h"

#include <report/report.h>
#include <results/rates.h>
#include <string.h>
#include <web/web.h>

extern const char ww_report_script[];

const char *run_prefix(const Page *p, uint32_t i, char buffer[8])
{
    g_snprintf(buffer, 8, "%s%s", p->n > 1 ? p->run[i].name : "", p->n > 1 ? ": " : "");
    return buffer;
}

void missing(Page *p, uint32_t i, const char *what, const char *option)
{
    char prefix[8];
    html_open(&p->h, "p", "class", "note", NULL);
    html_textf(&p->h, "%sno %s in this result; ", run_prefix(p, i, prefix), what);
    html_leaf(&p->h, "code", option, NULL);
    html_text(&p->h, " of warpwright run adds them.");
    html_close(&p->h);
}

void without(Page *p, uint32_t i, const char *what)
{
    char prefix[8];
    html_note(&p->h, "%s%s.", run_prefix(p, i, prefix), what);
}

/* ---- what ran --------------------------------------------------------------------------------------------------- */

static char *words(const json_t *list, const char *between)
{
    GString *text = g_string_new(NULL);
    for (size_t i = 0; i < json_array_size(list); i++) {
        g_string_append_printf(text, "%s%s", i == 0 ? "" : between,
                               json_string_value(json_array_get(list, i)));
    }
    return g_string_free(text, false);
}

char *ww_report_command(const char *const *words)
{
    GString *text = g_string_new(NULL);
    for (const char *const *w = words; *w != NULL; w++) {
        bool plain =
            **w != '\0' && strspn(*w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789_-+=./:,@%") == strlen(*w);
        g_autofree char *quoted = plain ? g_strdup(*w) : g_shell_quote(*w);
        g_string_append_printf(text, "%s%s", text->len == 0 ? "" : " ", quoted);
    }
    return g_string_free(text, false);
}

static char *command_text(const json_t *list)
{
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    for (size_t i = 0; i < json_array_size(list); i++) {
        g_ptr_array_add(words, (gpointer)json_string_value(json_array_get(list, i)));
    }
    g_ptr_array_add(words, NULL);
    return ww_report_command((const char *const *)words->pdata);
}

static void run_tiles(Page *p, const Run *r)
{
    Html *h = &p->h;
    double cycles = number_of(r->total, "cycles"),
           insns = number_of(r->total, "thread_instructions"), slots = 0;
    Slot slot[MOST_SLOTS];
    slots_of(r->total, slot, &slots);
    g_autofree char *c = html_number(cycles, 0),
                    *ipc = cycles > 0 ? html_number(insns / cycles, ww_ipc_digits(insns / cycles))
                                      : g_strdup("-"),
                    *warps = html_number(number_of(r->total, "warp_instructions"), 0),
                    *kernels = html_number((double)json_array_size(r->kernels), 0),
                    *ctas = html_number(number_of(r->total, "ctas"), 0),
                    *share = html_number(slots > 0 ? 100 * slot[0].n / slots : 0, 1);
    html_open(h, "ul", "class", "tiles", NULL);
    frame_tile(h, "cycles of the core clock", c);
    if (trace_of(r) != NULL || json_array_size(r->kernels) != 0) { /* else the machine is no GPU */
        frame_tile(h, "IPC: thread instructions per cycle", ipc);
        frame_tile(h, "warp instructions", warps);
        frame_tile(h, json_array_size(r->kernels) == 1 ? "kernel" : "kernels", kernels);
        frame_tile(h, "CTAs", ctas);
    }
    if (slots > 0) {
        frame_tile(h, "% of issue slots used", share);
    }
    html_close(h);
}

/* As in the summary of `run`: launch, work and tail, which together are all cycles. */
static void run_time(Page *p, const Run *r)
{
    Html *h = &p->h;
    const char *bound = string_of(r->total, "bound_by", "");
    double cycles = number_of(r->total, "cycles"),
           launch = MIN(number_of(r->total, "launch_cycles"), cycles),
           tail = MIN(number_of(r->total, "tail_cycles"), cycles - launch);
    const struct {
        const char *what;
        double n;
    } parts[] = {{"launch, no CTA on any SM", launch},
                 {"work", cycles - launch - tail},
                 {"tail, most SMs have no more work", tail}};
    if (*bound != '\0') {
        html_open(h, "p", NULL);
        html_textf(h, "Bound by %s.", bound);
        html_close(h);
    }
    if (!(cycles > 0) || json_object_get(r->total, "launch_cycles") == NULL) {
        return;
    }
    html_open(h, "p", NULL);
    html_text(h, "Of the cycles ");
    for (size_t k = 0; k < G_N_ELEMENTS(parts); k++) {
        g_autofree char *n = html_number(parts[k].n, 0),
                        *share = html_number(100 * (parts[k].n / cycles), 1);
        html_textf(h, "%s%s (%s %%) are %s", k == 0 ? "" : "; ", n, share, parts[k].what);
    }
    html_text(h, ".");
    html_close(h);
}

static void run_summary(Page *p, uint32_t i)
{
    Html *h = &p->h;
    const Run *r = &p->run[i];
    char prefix[8];
    g_autofree char *configs = words(json_object_get(r->o, "config"), ", ");
    g_autofree char *command = command_text(json_object_get(r->o, "command"));
    const char *status = string_of(r->o, "status", "done");
    html_open(h, "h3", NULL);
    const char *trace = trace_of(r);
    html_textf(h, "%s%s%s%s%s%s%s", run_prefix(p, i, prefix), trace != NULL ? trace : "",
               trace != NULL ? " on " : "", string_of(r->o, "platform", "?"),
               *configs != '\0' ? " with " : "", configs, trace != NULL ? "" : ", without a trace");
    html_close(h);
    html_open(h, "p", "class", "quiet", NULL);
    html_textf(h, "%s, written by version %s", r->file, string_of(r->o, "version", "?"));
    if (json_object_get(r->o, "fingerprint") != NULL) {
        html_textf(h, ", fingerprint %s", string_of(r->o, "fingerprint", "?"));
    }
    html_close(h);
    if (*command != '\0') {
        html_leaf(h, "pre", command, NULL);
    }
    if (strcmp(status, "done") != 0 || json_is_true(json_object_get(r->o, "partial"))) {
        html_note(h, "The run did not finish (%s): figures cover the part that ran.", status);
    }
    run_tiles(p, r);
    run_time(p, r);
}

static void kernel_row(Page *p, const Run *r, const json_t *k)
{
    Html *h = &p->h;
    g_autofree char *title = kernel_title(r, k);
    double cycles = number_of(k, "cycles"), insns = number_of(k, "thread_instructions");
    bool partial = json_is_true(json_object_get(k, "partial"));
    g_autofree char *shown = g_strconcat(title, partial ? " (not finished)" : "", NULL);
    html_open(h, "tr", NULL);
    html_leaf(h, "th", shown, "scope", "row", "class", "wrap code", NULL);
    html_cell(h, cycles, 0);
    html_share(h, cycles, number_of(r->total, "cycles"));
    if (cycles > 0) {
        html_cell(h, insns / cycles, ww_ipc_digits(insns / cycles));
    } else {
        html_none(h);
    }
    double occupied = counter(k, "cta_slots.slot_cycles", NULL);
    html_share(h, counter(k, "cta_slots.warp_cycles", NULL), occupied);
    html_cell(h, number_of(k, "warp_instructions"), 0);
    html_cell(h, number_of(k, "ctas"), 0);
    html_close(h);
}

static void kernels_table(Page *p, uint32_t i)
{
    Html *h = &p->h;
    const Run *r = &p->run[i];
    char prefix[8];
    g_autoptr(GPtrArray) list = kernels_of(r, MOST_KERNELS);
    size_t all = json_array_size(r->kernels);
    if (all == 0) {
        return;
    }
    g_autofree char *caption =
        list->len < all
            ? g_strdup_printf("%sthe %u longest of %zu kernels, in order of completion",
                              run_prefix(p, i, prefix), list->len, all)
            : g_strdup_printf("%skernels in order of completion", run_prefix(p, i, prefix));
    html_table(h, "sort kernels", caption);
    html_head(h, "kernel", true);
    html_head(h, "cycles", false);
    html_head(h, "of the run", false);
    html_head(h, "IPC, thread instr. per cycle", false);
    html_head(h, "occupancy", false);
    html_head(h, "warp instr.", false);
    html_head(h, "CTAs", false);
    html_body(h);
    for (guint k = 0; k < list->len; k++) {
        kernel_row(p, r, list->pdata[k]);
    }
    html_table_end(h);
}

void part_summary(Page *p)
{
    html_section(&p->h, "summary", p->n > 1 ? "Runs" : "Run");
    for (uint32_t i = 0; i < p->n; i++) {
        run_summary(p, i);
        kernels_table(p, i);
    }
    html_close(&p->h);
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

static Run run_of(const WwReportRun *from, uint32_t i)
{
    const json_t *o = from->result;
    return (Run){.file = from->file,
                 .name = {(char)('A' + i), '\0'},
                 .o = o,
                 .total = json_object_get(o, "total"),
                 .kernels = json_object_get(o, "kernels"),
                 .resolved = json_object_get(o, "resolved"),
                 .intervals = json_object_get(o, "intervals")};
}

static char *title_of(const Page *p)
{
    GString *title = g_string_new(NULL);
    for (uint32_t i = 0; i < p->n; i++) {
        const char *trace = trace_of(&p->run[i]);
        g_string_append_printf(title, "%s%s", i == 0 ? "" : ", ",
                               trace != NULL ? trace
                                             : string_of(p->run[i].o, "platform", p->run[i].file));
    }
    return g_string_free(title, false);
}

static bool has_several(const Page *p)
{
    return p->n > 1;
}

void ww_report_write(const WwReportRun *runs, uint32_t n, const char *version, FILE *out)
{
    static const struct {
        FramePlace place;
        void (*part)(Page *p);
        bool (*wanted)(const Page *p); /* NULL: always */
    } parts[] = {{{"summary", "Runs"}, part_summary, NULL},
                 {{"difference", "Differences"}, part_difference, has_several},
                 {{"slots", "Issue slots"}, part_slots, NULL},
                 {{"time", "Over time"}, part_time, NULL},
                 {{"modules", "Modules"}, part_modules, has_modules},
                 {{"instructions", "Instructions"}, part_instructions, NULL},
                 {{"memory", "Memory"}, part_memory, NULL},
                 {{"roofline", "Roofline"}, part_roofline, NULL}};
    Page p = {.h = {.out = out}, .n = n, .version = version};
    Html *h = &p.h;
    for (uint32_t i = 0; i < n; i++) {
        p.run[i] = run_of(&runs[i], i);
    }
    FramePlace shown[G_N_ELEMENTS(parts) + 1] = {0};
    for (size_t k = 0, at = 0; k < G_N_ELEMENTS(parts); k++) {
        if (parts[k].wanted == NULL || parts[k].wanted(&p)) {
            shown[at++] = parts[k].place;
        }
    }
    g_autofree char *title = title_of(&p);
    const Frame frame = {
        .title = title,
        .heading = n > 1 ? "Runs side by side" : "Where the cycles went",
        .no_script =
            "JavaScript is off: all tables and static pictures are here, interactive ones are not.",
        .version = version,
        .scripts = (const char *const[]){ww_web_script, ww_report_script, NULL},
        .places = shown};
    frame_begin(h, &frame);
    for (size_t k = 0; k < G_N_ELEMENTS(parts); k++) {
        if (parts[k].wanted == NULL || parts[k].wanted(&p)) {
            parts[k].part(&p);
        }
    }
    html_close(h);
    frame_foot(h, &frame, "the files named above");
    part_data(&p);
    frame_end(h, &frame);
}
