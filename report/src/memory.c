/* SPDX-License-Identifier: Apache-2.0 */
/* Caches, network and DRAM by kernel. */
#include "parts.h"

static void rate(Html *h, double part, double of, int digits)
{
    if (of > 0) {
        html_cell(h, part / of, digits);
    } else {
        html_none(h);
    }
}

/* Of a part that there is. */
static void amount(Html *h, const json_t *of, const char *counted, double n)
{
    if (has_counter(of, counted)) {
        html_cell(h, n, 0);
    } else {
        html_none(h);
    }
}

static void kernel_row(Page *p, const json_t *of, const char *title, const Machine *m)
{
    Html *h = &p->h;
    Hits l1 = cache_hits(of, "cache.l1"), l2 = cache_hits(of, "cache.l2");
    Traffic t = traffic_of(of, m);
    double cycles = cycles_at_work(of);
    html_open(h, "tr", NULL);
    html_leaf(h, "th", title, "scope", "row", "class", "wrap code", NULL);
    amount(h, of, "cache.l1.accesses", l1.all);
    html_share(h, l1.hit, l1.all);
    amount(h, of, "cache.l2.accesses", l2.all);
    html_share(h, l2.hit, l2.all);
    rate(h, counter(of, "cluster_port.latency_sum", NULL),
         counter(of, "cluster_port.responses", NULL), 1);
    amount(h, of, "dram.frfcfs.n_cmd", t.dram);
    rate(h, t.dram, has_counter(of, "dram.frfcfs.n_cmd") ? cycles : 0, 1);
    html_share(h, t.dram, cycles * m->dram);
    html_share(h, counter(of, "dram.frfcfs.row_hits", NULL),
               counter(of, "dram.frfcfs.selections", NULL));
    html_cell(h,
              counter(of, "ldst_unit.n_shmem_bkconflict", NULL) +
                  counter(of, "ldst_unit.linked.n_shmem_bkconflict", NULL) +
                  counter(of, "ldst.shared.bank_conflicts", NULL),
              0);
    html_close(h);
}

static void kernels_table(Page *p, uint32_t i)
{
    Html *h = &p->h;
    const Run *r = &p->run[i];
    char prefix[8];
    Machine m = machine_of(r);
    g_autoptr(GPtrArray) kernels = kernels_of(r, MOST_KERNELS);
    g_autofree char *caption = g_strdup_printf(
        "%scaches and DRAM by kernel; DRAM cycles exclude the launch", run_prefix(p, i, prefix));
    html_table(h, "sort memory", caption);
    html_head(h, "kernel", true);
    html_head(h, "L1D accesses", false);
    html_head(h, "L1D hits", false);
    html_head(h, "L2 accesses", false);
    html_head(h, "L2 hits", false);
    html_head(h, "latency beyond the L1, mean cycles", false);
    html_head(h, "DRAM, bytes", false);
    html_head(h, "DRAM, bytes per core cycle", false);
    html_head(h, "of DRAM's peak", false);
    html_head(h, "row hits", false);
    html_head(h, "shared memory, cycles of bank conflicts", false);
    html_body(h);
    for (guint k = 0; k < kernels->len; k++) {
        g_autofree char *title = kernel_title(r, kernels->pdata[k]);
        kernel_row(p, kernels->pdata[k], title, &m);
    }
    if (kernels->len != 1) {
        kernel_row(p, r->total, "the run", &m);
    }
    html_table_end(h);
}

void part_memory(Page *p)
{
    static const char *const types[] = {"cache.", "dram.", "cluster_port.", "ldst", NULL};
    html_section(&p->h, "memory", "Caches and DRAM");
    for (uint32_t i = 0; i < p->n; i++) {
        if (json_array_size(p->run[i].kernels) != 0 || may_have(&p->run[i], types)) {
            kernels_table(p, i);
        } else {
            without(p, i, "this machine has neither caches nor DRAM");
        }
        part_instances(p, i);
    }
    html_close(&p->h);
}
