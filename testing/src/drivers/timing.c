/* SPDX-License-Identifier: Apache-2.0 */
/* Random caller of what decodes instructions for sub-cores: what they take. */
#include "drivers-priv.h"

#include <ports/sub_core.h>

enum { STATIC = 24 };

typedef struct Timings {
    bool made;
    WwSinst s[STATIC];
    const WwTiming *was[STATIC];
} Timings;

static void make_insts(WwDrive *d, Timings *t)
{
    static const struct {
        const char *opcode;
        uint8_t op, space;
        uint16_t flags;
    } kinds[] = {
        {"FADD", WW_OP_SP, WW_SPACE_NONE, 0},
        {"IADD3", WW_OP_INT, WW_SPACE_NONE, 0},
        {"MUFU.RCP", WW_OP_SFU, WW_SPACE_NONE, 0},
        {"DFMA", WW_OP_DP, WW_SPACE_NONE, 0},
        {"HMMA.16816.F32", WW_OP_TENSOR, WW_SPACE_NONE, 0},
        {"LDG.E.64", WW_OP_LOAD, WW_SPACE_GLOBAL, WW_INST_LOAD},
        {"STS", WW_OP_STORE, WW_SPACE_SHARED, WW_INST_STORE},
        {"EXIT", WW_OP_EXIT, WW_SPACE_NONE, 0},
    };
    for (uint32_t i = 0; i < STATIC; i++) {
        uint32_t k = ww_drive_draw(d, G_N_ELEMENTS(kinds));
        t->s[i] = (WwSinst){.pc = 16ull * i,
                            .opcode = kinds[k].opcode,
                            .id = i,
                            .op = kinds[k].op,
                            .space = kinds[k].space,
                            .flags = kinds[k].flags,
                            .width = 4};
    }
    t->made = true;
}

static void timing_drive(WwDrive *d)
{
    const WwTimingIf *f = d->table;
    Timings *t = d->state;
    if (!t->made) {
        make_insts(d, t);
    }
    for (uint32_t n = ww_drive_draw(d, 8); n > 0; n--) {
        uint32_t i = ww_drive_draw(d, STATIC);
        WwInst inst = {.s = &t->s[i],
                       .mask = UINT32_MAX,
                       .warp = (uint16_t)ww_drive_draw(d, 4),
                       .op = t->s[i].op,
                       .space = t->s[i].space};
        const WwTiming *is = f->of(d->self, &inst);
        if (is == NULL || (t->was[i] != NULL && t->was[i] != is)) {
            ww_drive_wrong(d, "of() answers %s for %s", is == NULL ? "nothing" : "something else",
                           t->s[i].opcode);
            return;
        }
        ww_drive_say(d, "%s: unit %u, %u cycles", t->s[i].opcode, is->unit, is->latency);
        bool fixed = (is->flags & WW_TAKES_FIXED) != 0;
        if (is->unit >= WW_N_UNITS || fixed != (is->unit < WW_N_FIXED_UNITS)) {
            ww_drive_wrong(d, "of() says unit %u of %s, which has %s latency", is->unit,
                           t->s[i].opcode, fixed ? "a fixed" : "no fixed");
        }
        t->was[i] = is;
    }
}

const WwDriver drive_timing = {
    .contract = &ww_contract_timing,
    .promises = "a static instruction takes the same at every execution, in a unit that there is",
    .state = sizeof(Timings),
    .drive = timing_drive,
};
