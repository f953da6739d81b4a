/* SPDX-License-Identifier: Apache-2.0 */
/* The bench of this room: a warp scheduler among fakes. */
#include "tests.h"

static Bench bench(const char *params, const char *policy, const char *units, bool simt, bool exact)
{
    bool of_warps = params != NULL && g_str_has_prefix(params, "schedulers=");
    Bench b = {.h = ww_harness_new(test_registry(), "warp_scheduler", of_warps ? NULL : params)};
    b.warps = ww_harness_fill(b.h, "warps", NULL, of_warps ? params : NULL);
    b.hazard = ww_harness_fill(b.h, "hazard", NULL, NULL);
    if (exact) {
        ww_fake_scoreboard_show(b.hazard);
    }
    b.barriers = ww_harness_fill(b.h, "barriers", NULL, NULL);
    b.simt = simt ? ww_harness_fill(b.h, "simt", NULL, NULL) : NULL;
    g_auto(GStrv) type = g_strsplit(policy != NULL ? policy : "", " ", 2);
    void *filled = ww_harness_fill(b.h, "policy", type[0], type[0] != NULL ? type[1] : NULL);
    b.policy = policy == NULL ? filled : NULL;
    g_auto(GStrv) words = g_strsplit(units, " ", -1);
    for (char **w = words; *w != NULL; w++) {
        char *eq = strchr(*w, '=');
        g_autofree char *width = g_strdup_printf("width=%s", eq != NULL ? eq + 1 : "1");
        if (eq != NULL) {
            *eq = '\0';
        }
        ww_harness_channel(b.h, *w, width);
    }
    ww_harness_start(b.h, NULL);
    return b;
}

Bench bench_open(const char *params, const char *policy, const char *units)
{
    return bench(params, policy, units, false, false);
}

Bench bench_open_exact(const char *params, const char *policy, const char *units)
{
    return bench(params, policy, units, false, true);
}

Bench bench_open_simt(const char *params, const char *policy, const char *units)
{
    return bench(params, policy, units, true, false);
}

void bench_close(Bench *b)
{
    ww_harness_free(b->h);
    b->h = NULL;
}

WwInst *bench_put_like(Bench *b, uint32_t warp, const WwTestInst *what)
{
    WwInst *inst = ww_test_inst(b->h, what);
    ww_fake_warps_put(b->warps, warp, inst);
    return inst;
}

WwInst *bench_put(Bench *b, uint32_t warp, WwOp op)
{
    return bench_put_like(b, warp, &(WwTestInst){.op = op});
}

WwInst *bench_take(Bench *b, const char *port)
{
    WwToken token;
    return ww_harness_take(b->h, port, NULL, &token) ? ww_token_pointer(token) : NULL;
}

WwInst *bench_step(Bench *b, const char *port)
{
    ww_harness_step(b->h, 1);
    return bench_take(b, port);
}

void bench_feed(Bench *b, const char *warps)
{
    for (const char *c = warps; *c != '\0'; c++) {
        bench_put(b, (uint32_t)(*c - '0'), WW_OP_ALU);
    }
}

void bench_expect(Bench *b, const char *warps)
{
    for (const char *c = warps; *c != '\0'; c++) {
        const WwInst *inst = bench_step(b, "int");
        if (*c == '.') {
            g_assert_null(inst);
        } else {
            g_assert_nonnull(inst);
            g_assert_cmpuint(inst->warp, ==, (uint32_t)(*c - '0'));
        }
    }
}

uint64_t bench_stat(Bench *b, const char *name, uint32_t i)
{
    return ww_harness_stat(b->h, name, i);
}

uint64_t bench_cause(Bench *b, const char *name)
{
    const WwComponent *c = ww_harness_self(b->h);
    const WwStatRow *row = &c->type->stats[ww_type_stat(c->type, "cause")];
    for (uint32_t i = 0; i < row->n; i++) {
        if (strcmp(row->labels[i], name) == 0) {
            return ww_harness_stat(b->h, "cause", i);
        }
    }
    g_assert_not_reached();
}
