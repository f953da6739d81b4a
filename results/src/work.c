/* SPDX-License-Identifier: Apache-2.0 */
/* Which SMs had work, and how long the last of them were alone. */
#include "work-priv.h"

#include <stdlib.h>
#include <string.h>

static const char *const last[] = {WW_SM_LAST};

void ww_work_begin(WwResults *r)
{
    const WwColumn *column = ww_results_column(r, WW_SM_LAST);
    r->slots = g_ptr_array_new();
    uint32_t t = 0, i = 0;
    while (column != NULL && ww_machine_first(r->machine, t)->type != column->type) {
        t++;
    }
    for (uint32_t n = column != NULL ? column->instances : 0; n != 0; n--) {
        i = ww_machine_next(r->machine, t, i);
        g_ptr_array_add(r->slots, ww_machine_component(r->machine, i++));
    }
}

static WwCycle last_of(const WwResults *r, uint32_t i)
{
    const WwComponent *c = r->slots->pdata[i];
    return ww_stat_values(c, &c->type->stats[ww_type_stat(c->type, last[1])])[0];
}

static int by_cycle(const void *a, const void *b)
{
    const WwCycle *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

void ww_work_end(const WwResults *r, WwResultKernel *k)
{
    g_autofree WwCycle *ends = g_new(WwCycle, r->slots->len + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->slots->len; i++) {
        WwCycle end = last_of(r, i);
        if (end > k->end - k->cycles) {
            ends[n++] = end;
        }
    }
    qsort(ends, n, sizeof *ends, by_cycle);
    k->sms = n;
    k->tail = n != 0 ? ends[n - 1] - ends[n / 2] : 0; /* after it n - 1 - n / 2 have work */
}

uint32_t ww_results_sms(const WwResults *r, uint32_t *all)
{
    uint32_t n = 0;
    *all = r->slots->len;
    for (uint32_t i = 0; i < r->slots->len; i++) {
        n += last_of(r, i) != 0;
    }
    return n;
}
