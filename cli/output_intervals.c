/* SPDX-License-Identifier: Apache-2.0 */
/* Results for programs: statistics over time. Rows are written one by one: there may be very many. */
#include "json.h"
#include "output-priv.h"

#include <inttypes.h>

typedef void (*NameFn)(const char *name, FILE *out);

static void write_names(const WwPicks *picks, const char *before, NameFn fn, FILE *out)
{
    uint32_t n;
    const WwPick *list = ww_picks_list(picks, &n);
    for (const WwPick *p = list; p < list + n; p++) {
        for (uint32_t k = 0; k < p->n; k++) {
            g_autofree char *name = ww_pick_name(p, k);
            fputs(p == list && k == 0 ? "" : before, out);
            fn(name, out);
        }
    }
}

static void write_row(const WwIntervals *intervals, uint32_t i, uint64_t *values, FILE *out)
{
    uint32_t n = ww_picks_n(ww_intervals_picks(intervals));
    fprintf(out, "%" PRIu64, ww_intervals_row(intervals, i, values));
    for (uint32_t k = 0; k < n; k++) {
        fprintf(out, ",%" PRId64, (int64_t)values[k]); /* of what can fall, less */
    }
}

static void json_name(const char *name, FILE *out)
{
    json_t *text = cli_json_text(name);
    json_dumpf(text, out, JSON_ENCODE_ANY);
    json_decref(text);
}

void cli_intervals_json(const WwIntervals *intervals, FILE *out)
{
    const WwPicks *picks = ww_intervals_picks(intervals);
    g_autofree uint64_t *values = g_new(uint64_t, ww_picks_n(picks) + 1);
    fprintf(out, "{\n  \"every\": %" PRIu64 ",\n  \"statistics\": [",
            ww_intervals_every(intervals));
    write_names(picks, ", ", json_name, out);
    fputs("],\n  \"rows\": [", out);
    for (uint32_t i = 0; i < ww_intervals_n(intervals); i++) {
        fputs(i != 0 ? ",\n   [" : "\n   [", out);
        write_row(intervals, i, values, out);
        fputc(']', out);
    }
    fputs("\n  ]\n }", out);
}

void cli_intervals_csv(const WwIntervals *intervals, FILE *out)
{
    const WwPicks *picks = ww_intervals_picks(intervals);
    g_autofree uint64_t *values = g_new(uint64_t, ww_picks_n(picks) + 1);
    fputs("cycle,", out);
    write_names(picks, ",", cli_csv_text, out);
    fputc('\n', out);
    for (uint32_t i = 0; i < ww_intervals_n(intervals); i++) {
        write_row(intervals, i, values, out);
        fputc('\n', out);
    }
}
