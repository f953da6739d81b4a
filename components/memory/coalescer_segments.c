/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `coalescer.segments`: the rule of the LD/ST units, as a part: lanes that fall into the same segment share a transaction.
 *
 *     LD/ST unit => coalescer
 *
 * Bound to a unit's `coalescer` it makes what the unit makes with the same parameters. Source: coalesce.c.
 */
#include "coalesce-priv.h"
#include "types.h"

typedef struct Segments {
    WwComponent base;
    /* parameters */
    CoalesceRule rule;
    bool highest_first;
    /* port */
    WwProvided coalescer;
    /* statistics */
    uint64_t instructions, lanes, transactions;
} Segments;

static bool segments_init(void *self, GError **error)
{
    return coalesce_rule_fits(&((const Segments *)self)->rule, error);
}

WW_COLD static void fail(Segments *c, const WwInst *inst, const CoalesceBad *bad)
{
    g_autofree char *path = ww_path(c), *text = coalesce_bad_text(bad);
    ww_fail_run(c, g_error_new(WW_ERROR, WW_ERROR_MODEL,
                               "%s: %s at pc %" G_GINT64_MODIFIER "x (trace line %u): %s", path,
                               inst->s->opcode, inst->s->pc, inst->s->line, text));
}

static uint32_t segments_coalesce(void *self, const WwInst *inst, const WwLanes *lanes,
                                  WwTransaction *out)
{
    Segments *c = self;
    CoalesceBad bad;
    bad.wrong = COALESCE_FINE;
    uint32_t n = coalesce_by_rule(&c->rule, inst, lanes, out, &bad);
    if (G_UNLIKELY(bad.wrong != COALESCE_FINE)) {
        fail(c, inst, &bad);
        return 0;
    }
    if (c->highest_first) { /* they are in the order of their addresses */
        coalesce_turn_round(out, n);
    }
    c->instructions++;
    c->transactions += n;
    c->lanes += ww_ones32(lanes->mask);
    return n;
}

static uint32_t segments_most(void *self)
{
    return coalesce_segment(&((const Segments *)self)->rule, 4, false);
}

static const WwCoalescerIf segments_table = {.coalesce = segments_coalesce, .most = segments_most};

static const WwParamRow segments_params[] = {
    WW_UINT_AT(Segments, rule.parts, "warp_parts", "", "1", 1, WW_WARP_SIZE,
               "groups of lanes that are coalesced separately; a power of two"),
    COALESCE_ARCH(Segments, rule, "70"),
    WW_BOOL_AT(Segments, rule.skip_l1, "gmem_skip_l1", "false",
               "global accesses bypass the L1D (set the unit's gmem_skip_l1, too): rules 20..38 "
               "then use 32-byte segments"),
    WW_BOOL(Segments, highest_first, "true",
            "transactions leave in descending order of address; false: ascending"),
    {0},
};

static const WwPortRow segments_ports[] = {
    WW_PORT_PROVIDES(Segments, coalescer, &ww_contract_coalescer, &segments_table,
                     "serves an LD/ST unit"),
    {0},
};

static const WwStatRow segments_stats[] = {
    WW_COUNTER(Segments, instructions, "instructions", "instructions coalesced"),
    WW_COUNTER(Segments, lanes, "lanes", "active lanes of these instructions"),
    WW_COUNTER(Segments, transactions, "transactions", "transactions made"),
    {0},
};

const WwType coalescer_segments_type = {
    .abi = WW_ABI_VERSION,
    .name = "coalescer.segments",
    .doc = "Lanes in the same segment share a transaction: the built-in rule of the LD/ST units as "
           "a component.",
    .family = "coalescer",
    .size = sizeof(Segments),
    .params = segments_params,
    .ports = segments_ports,
    .stats = segments_stats,
    .init = segments_init,
};
