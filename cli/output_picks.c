/* SPDX-License-Identifier: Apache-2.0 */
/* Results for programs: statistics of single components. */
#include "json.h"
#include "output-priv.h"

#include <inttypes.h>

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

/* The entries of one statistic from pick @p i on, @p *n picks: as among the sums, but for those that were not chosen. */
static json_t *statistic(const WwPick *first, uint32_t n, const uint64_t *values)
{
    const WwStatRow *row = first->row;
    if (row->kind == WW_STAT_COUNTER || row->kind == WW_STAT_MAX) {
        return cli_json_number(values[first->at]);
    }
    bool list = row->labels == NULL && first->n == row->n;
    json_t *all = list ? json_array() : json_object();
    for (const WwPick *p = first; p < first + n; p++) {
        for (uint32_t k = 0; k < p->n; k++) {
            g_autofree char *name = row->labels != NULL ? g_strdup(row->labels[p->first + k])
                                                        : g_strdup_printf("%u", p->first + k);
            if (list) {
                json_array_append_new(all, cli_json_number(values[p->at + k]));
            } else {
                json_object_set_new(all, name, cli_json_number(values[p->at + k]));
            }
        }
    }
    return all;
}

json_t *cli_picks_json(const WwPicks *picks, const uint64_t *values, bool maxima)
{
    uint32_t n;
    const WwPick *list = ww_picks_list(picks, &n);
    json_t *all = json_object(), *of = NULL;
    for (uint32_t i = 0, same; i < n; i += same) {
        const WwPick *p = &list[i];
        if (i == 0 || p->component != list[i - 1].component) {
            g_autofree char *path = ww_path(p->component);
            of = json_pack("{s:s}", "type", p->type->name);
            json_object_set_new(all, path, of);
        }
        for (same = 1; i + same < n && list[i + same].row == p->row &&
                       list[i + same].component == p->component;
             same++) {
        }
        if (p->row->kind != WW_STAT_MAX || maxima) {
            json_object_set_new(of, p->row->name, statistic(p, same, values));
        }
    }
    return all;
}

/* ---- CSV -------------------------------------------------------------------------------------------------------- */

void cli_picks_csv_head(const WwPicks *picks, bool maxima, FILE *out)
{
    uint32_t n;
    const WwPick *list = ww_picks_list(picks, &n);
    for (const WwPick *p = list; p < list + n; p++) {
        for (uint32_t k = 0; (p->row->kind != WW_STAT_MAX || maxima) && k < p->n; k++) {
            g_autofree char *name = ww_pick_name(p, k);
            fputc(',', out);
            cli_csv_text(name, out);
        }
    }
}

void cli_picks_csv_row(const WwPicks *picks, const uint64_t *values, bool maxima, FILE *out)
{
    uint32_t n;
    const WwPick *list = ww_picks_list(picks, &n);
    for (const WwPick *p = list; p < list + n; p++) {
        for (uint32_t k = 0; (p->row->kind != WW_STAT_MAX || maxima) && k < p->n; k++) {
            fprintf(out, ",%" PRIu64, values[p->at + k]);
        }
    }
}
