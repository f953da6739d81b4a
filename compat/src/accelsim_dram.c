/* SPDX-License-Identifier: Apache-2.0 */
/* DRAM channels in the reference's report: tables by bank, then a block for each channel. */
#include "accelsim-priv.h"

#include <inttypes.h>
#include <ports/latency.h>
#include <ports/tokens.h>
#include <string.h>

enum {
    PLAIN_BANKS = 16
}; /* columns for a channel without banks, which the reference prints all the same */

/* The channels in order, and the caches of their slices. */
typedef struct Channels {
    const WwComponent **dram;
    uint32_t n, slices, banks;
    void *latency; /* Round trips by bank; NULL: nobody measures them. */
    const WwLatencyIf *latency_table;
} Channels;

static uint64_t at(const WwComponent *c, const char *stat, uint32_t i)
{
    int row = ww_type_stat(c->type, stat);
    return row >= 0 ? ww_stat_values(c, &c->type->stats[row])[i] : 0;
}

static uint64_t of(const WwComponent *c, const char *stat)
{
    return at(c, stat, 0);
}

static void find_latency(Channels *ch, const WwComponent *c)
{
    const WwPortRow *row;
    for (WW_ROWS(c->type->ports, row)) {
        if (row->role == WW_PROVIDES && row->contract == &ww_contract_latency) {
            ch->latency = (void *)(uintptr_t)c;
            ch->latency_table = row->table;
        }
    }
}

bool accelsim_is_channel(const WwComponent *c)
{
    const WwPortRow *row;
    for (WW_ROWS(c->type->ports, row)) {
        if (row->role == WW_IN && row->contract == &ww_contract_dram_request) {
            return true;
        }
    }
    return false;
}

static void find_channels(const WwResults *r, Channels *ch)
{
    uint32_t caches = 0, n = ww_machine_n_components(r->machine);
    *ch = (Channels){.dram = g_new(const WwComponent *, n)};
    for (uint32_t i = 0; i < n; i++) {
        const WwComponent *c = ww_machine_component(r->machine, i);
        find_latency(ch, c);
        caches += strcmp(c->type->name, "cache.l2") == 0;
        if (accelsim_is_channel(c)) {
            ch->dram[ch->n++] = c;
        }
    }
    ch->slices = ch->n != 0 ? caches / ch->n : 0;
    ch->banks = ch->n != 0 ? accelsim_param(ch->dram[0], "nbk") : 0;
    ch->banks = ch->banks != 0 ? ch->banks : PLAIN_BANKS;
}

/* ---- tables by bank --------------------------------------------------------------------------------------------- */

static void print_table(const Channels *ch, const char *title, const char *stat, FILE *out)
{
    fprintf(out, "%s\n", title);
    for (uint32_t i = 0; i < ch->n; i++) {
        fprintf(out, "dram[%u]: ", i);
        for (uint32_t b = 0; b < ch->banks; b++) {
            fprintf(out, "%9" PRIu64 " ", stat != NULL ? at(ch->dram[i], stat, b) : 0);
        }
        fputc('\n', out);
    }
}

static void print_row_accesses(const Channels *ch, FILE *out)
{
    uint64_t accesses = 0, rows = 0;
    fputs("average row accesses per activate:\n", out);
    for (uint32_t i = 0; i < ch->n; i++) {
        fprintf(out, "dram[%u]: ", i);
        for (uint32_t b = 0; b < ch->banks; b++) {
            uint64_t a = at(ch->dram[i], "bank_selections", b),
                     n = at(ch->dram[i], "bank_row_changes", b);
            accelsim_float(a, n, 9, 6, out);
            fputc(' ', out);
            accesses += a;
            rows += n;
        }
        fputc('\n', out);
    }
    fprintf(out, "average row locality = %" PRIu64 "/%" PRIu64 " = ", accesses, rows);
    accelsim_float(accesses, rows, 0, 6, out);
    fputc('\n', out);
}

static void print_skew(const char *what, uint64_t least, uint64_t most, FILE *out)
{
    if (least == 0) {
        fprintf(out, "min_%s_accesses = 0!\n", what);
        return;
    }
    fprintf(out, "%s skew: %" PRIu64 "/%" PRIu64 " = ", what, most, least);
    accelsim_float(most, least, 4, 2, out);
    fputc('\n', out);
}

/* Accesses by bank, their sum, and how unevenly they fall on banks and channels. @p stat NULL: none are counted. */
static void print_accesses(const Channels *ch, const char *title, const char *stat,
                           const char *total, FILE *out)
{
    uint64_t sum = 0, least_bank = UINT64_MAX, most_bank = 0, least = UINT64_MAX, most = 0;
    print_table(ch, title, stat, out);
    for (uint32_t i = 0; i < ch->n; i++) {
        uint64_t of_channel = 0;
        for (uint32_t b = 0; b < ch->banks; b++) {
            uint64_t v = stat != NULL ? at(ch->dram[i], stat, b) : 0;
            least_bank = MIN(least_bank, v);
            most_bank = MAX(most_bank, v);
            of_channel += v;
        }
        least = MIN(least, of_channel);
        most = MAX(most, of_channel);
        sum += of_channel;
    }
    fprintf(out, "%s%" PRIu64 "\n", total, sum);
    print_skew("bank", least_bank, most_bank, out);
    print_skew("chip", least, most, out);
}

/* Round trips of all requests to a bank's addresses, over the data that DRAM moved for them. */
static void print_latencies(const Channels *ch, bool maxima, FILE *out)
{
    fputs(maxima ? "maximum mf latency per bank:\n" : "average mf latency per bank:\n", out);
    for (uint32_t i = 0; i < ch->n; i++) {
        fprintf(out, "dram[%u]: ", i);
        for (uint32_t b = 0; b < ch->banks; b++) {
            WwBankLatency l = ch->latency_table->bank(ch->latency, i, b);
            uint64_t atoms = at(ch->dram[i], "bank_reads", b) + at(ch->dram[i], "bank_writes", b);
            if (maxima || atoms != 0) {
                fprintf(out, "%10" PRIu64, maxima ? l.max : l.sum / atoms);
            } else {
                fputs("    none  ", out);
            }
        }
        fputc('\n', out);
    }
}

static void print_tables(const Channels *ch, FILE *out)
{
    print_table(ch, "maximum concurrent accesses to same row:", "bank_most_of_a_row", out);
    print_table(ch, "maximum service time to same row:", "bank_service_max", out);
    print_row_accesses(ch, out);
    /* never counted by the reference */
    print_accesses(ch, "number of total memory accesses made:", NULL, "total accesses: ", out);
    print_accesses(ch, "number of total read accesses:", "bank_reads", "total dram reads = ", out);
    print_accesses(ch, "number of total write accesses:", "bank_writes",
                   "total dram writes = ", out);
    if (ch->latency != NULL) {
        print_latencies(ch, false, out);
        print_latencies(ch, true, out);
    }
}

/* ---- a channel's block ------------------------------------------------------------------------------------------ */

/* Four digits that count, or as many as @p digits says; like a quotient otherwise. */
static void print_short(uint64_t a, uint64_t b, int digits, FILE *out)
{
    if (b == 0) {
        accelsim_float(a, b, 0, digits, out);
    } else {
        fprintf(out, "%.*g", digits, (double)((float)a / (float)b));
    }
}

static void print_quotient(const char *text, uint64_t a, uint64_t b, const char *after, FILE *out)
{
    fputs(text, out);
    accelsim_float(a, b, 0, 6, out);
    fputs(after, out);
}

static void print_commands(const WwComponent *d, uint32_t banks, FILE *out)
{
    fprintf(out,
            "n_cmd=%" PRIu64 " n_nop=%" PRIu64 " n_act=%" PRIu64 " n_pre=%" PRIu64
            " n_ref_event=0 n_req=%" PRIu64 " n_rd=%" PRIu64 " n_rd_L2_A=%" PRIu64
            " n_write=%" PRIu64 " n_wr_bk=%" PRIu64 " bw_util=",
            of(d, "n_cmd"), of(d, "n_nop"), of(d, "n_act"), of(d, "n_pre"), of(d, "n_req"),
            of(d, "n_rd"), of(d, "n_rd_l2_a"), of(d, "n_write"), of(d, "n_wr_bk"));
    print_short(of(d, "bw_util"), of(d, "n_cmd"), 4, out);
    fprintf(out, "\nn_activity=%" PRIu64 " dram_eff=", of(d, "n_activity"));
    print_short(of(d, "bw_util"), of(d, "n_activity"), 4, out);
    fputc('\n', out);
    for (uint32_t b = 0; b < banks; b++) {
        uint64_t idle = of(d, "n_cmd") - at(d, "bank_busy", b) + at(d, "bank_seen_twice", b) -
                        at(d, "bank_passed_over", b);
        fprintf(out, "bk%u: %" PRIu64 "a %" PRIu64 "i ", b, at(d, "n_access", b), idle);
    }
    fputs("\n\n------------------------------------------------------------------------\n", out);
}

static void print_parallelism(const WwComponent *d, FILE *out)
{
    uint64_t open = of(d, "open_cycles");
    print_quotient("\nRow_Buffer_Locality = ", of(d, "row_hits"), of(d, "selections"), "", out);
    print_quotient("\nRow_Buffer_Locality_read = ", of(d, "read_hits"), of(d, "reads_selected"), "",
                   out);
    print_quotient("\nRow_Buffer_Locality_write = ", of(d, "write_hits"), of(d, "writes_selected"),
                   "", out);
    print_quotient("\nBank_Level_Parallism = ", of(d, "occupied"), of(d, "occupied_cycles"), "",
                   out);
    print_quotient("\nBank_Level_Parallism_Col = ", of(d, "open"), open, "", out);
    print_quotient("\nBank_Level_Parallism_Ready = ", of(d, "ready"), of(d, "ready_cycles"), "",
                   out);
    fputs("\nwrite_to_read_ratio_blp_rw_average = ", out);
    if (open == 0) {
        accelsim_double(0, 0, 0, 6, out);
    } else {
        fprintf(out, "%.6f", (double)of(d, "write_share") / 0x1p32 / (double)open);
    }
    print_quotient("\nGrpLevelPara = ", of(d, "open_groups"), open, " \n", out);
}

static void print_bandwidth(const WwComponent *d, FILE *out)
{
    static const char *const limits[] = {
        "RCDc_limit", "RCDWRc_limit",      "WTRc_limit",       "RTWc_limit",       "CCDLc_limit",
        "rwq",        "CCDLc_limit_alone", "WTRc_limit_alone", "RTWc_limit_alone",
    };
    fputs("\nBW Util details:\n", out);
    print_quotient("bwutil = ", of(d, "bw_util"), of(d, "n_cmd"), " \n", out);
    fprintf(out,
            "total_CMD = %" PRIu64 " \nutil_bw = %" PRIu64 " \nWasted_Col = %" PRIu64
            " \nWasted_Row = %" PRIu64 " \nIdle = %" PRIu64 " \n\nBW Util Bottlenecks: \n",
            of(d, "n_cmd"), of(d, "util_bw"), of(d, "wasted_col"), of(d, "wasted_row"),
            of(d, "idle"));
    for (uint32_t i = 0; i < G_N_ELEMENTS(limits); i++) {
        fprintf(out, "%s = %" PRIu64 " \n", limits[i], at(d, "limits", i));
    }
    fprintf(out,
            "\nCommands details: \ntotal_CMD = %" PRIu64 " \nn_nop = %" PRIu64 " \nRead = %" PRIu64
            " \nWrite = %" PRIu64 " \nL2_Alloc = %" PRIu64 " \nL2_WB = %" PRIu64
            " \nn_act = %" PRIu64 " \nn_pre = %" PRIu64 " \nn_ref = 0 \nn_req = %" PRIu64
            " \ntotal_req = %" PRIu64 " \n",
            of(d, "n_cmd"), of(d, "n_nop"), of(d, "n_rd"), of(d, "n_write"), of(d, "n_rd_l2_a"),
            of(d, "n_wr_bk"), of(d, "n_act"), of(d, "n_pre"), of(d, "n_req"),
            of(d, "n_rd") + of(d, "n_write") + of(d, "n_rd_l2_a") + of(d, "n_wr_bk"));
}

static void print_buses(const WwComponent *d, FILE *out)
{
    uint64_t row = of(d, "row_commands"), column = of(d, "column_commands"),
             both = of(d, "both_commands"), any = row + column - both, cycles = of(d, "n_cmd");
    fprintf(out,
            "\nDual Bus Interface Util: \nissued_total_row = %" PRIu64
            " \nissued_total_col = %" PRIu64 " \n",
            row, column);
    print_quotient("Row_Bus_Util =  ", row, cycles, " \n", out);
    print_quotient("CoL_Bus_Util = ", column, cycles, " \n", out);
    print_quotient("Either_Row_CoL_Bus_Util = ", any, cycles, " \n", out);
    print_quotient("Issued_on_Two_Bus_Simul_Util = ", both, cycles, " \n", out);
    print_quotient("issued_two_Eff = ", both, any, " \n", out);
    print_quotient("queue_avg = ", of(d, "queue_sum"), cycles, " \n\n", out);
    /* never counted by the reference */
    fputs("\ndram_util_bins: 0 0 0 0 0 0 0 0 0 0\ndram_eff_bins: 0 0 0 0 0 0 0 0 0 0\n", out);
    if (accelsim_param(d, "scheduler") != 0) {
        fprintf(out, "mrqq: max=%" PRIu64 " avg=", of(d, "queue_max"));
        print_short(of(d, "queue_sum"), cycles, 6, out);
        fputc('\n', out);
    }
}

/* Requests that slices sent and the channel has not taken in or, where it is only a latency, not answered. */
static uint64_t in_latency_queue(const WwComponent *d)
{
    uint64_t sent = of(d, "n_sent");
    uint64_t left = ww_type_stat(d->type, "n_req") >= 0
                        ? of(d, "n_req")
                        : of(d, "reads") + of(d, "writes") + of(d, "write_backs");
    return sent - MIN(sent, left);
}

static void print_channel(const Channels *ch, uint32_t i, FILE *out)
{
    const WwComponent *d = ch->dram[i];
    fprintf(out, "Memory Partition %u: \n", i);
    for (uint32_t s = 0; s < ch->slices; s++) {
        fprintf(out, "Cache L2_bank_%03u:\nMSHR contents\n\n", i * ch->slices + s);
    }
    fprintf(out, "In Dram Latency Queue (total = %" PRIu64 "): \n", in_latency_queue(d));
    fprintf(
        out,
        "DRAM[%u]: %u bks, busW=%u BL=%u CL=%u, tRRD=%u tCCD=%u, tRCD=%u tRAS=%u tRP=%u tRC=%u\n",
        i, ch->banks, accelsim_param(d, "buswidth"), accelsim_param(d, "burst_length"),
        accelsim_param(d, "cl"), accelsim_param(d, "rrd"), accelsim_param(d, "ccd"),
        accelsim_param(d, "rcd"), accelsim_param(d, "ras"), accelsim_param(d, "rp"),
        accelsim_param(d, "rc"));
    print_commands(d, ch->banks, out);
    print_parallelism(d, out);
    print_bandwidth(d, out);
    print_buses(d, out);
}

void accelsim_dram(const WwResults *r, FILE *out)
{
    Channels ch;
    find_channels(r, &ch);
    if (ch.n != 0 && accelsim_shown(r, "latencies", 1) != 0) {
        print_tables(&ch, out);
    }
    for (uint32_t i = 0; i < ch.n; i++) {
        print_channel(&ch, i, out);
    }
    g_free(ch.dram);
}
