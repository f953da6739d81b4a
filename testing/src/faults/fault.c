/* SPDX-License-Identifier: Apache-2.0 */
/* What the deliberately faulty components share. */
#include "fault-priv.h"

const WwParamRow fault_params[] = {
    WW_UINT(Fault, every, "", "3", 1, 1000000,
            "every so many numbers, or for so many cycles, it misbehaves"),
    {0},
};

const WwPortRow fault_ports[] = {
    WW_PORT_IN(Fault, in, &ww_contract_number, 1, "numbers"),
    WW_PORT_OUT(Fault, out, &ww_contract_number, 1, "numbers, as the fault leaves them"),
    {0},
};

const WwStatRow fault_stats[] = {
    WW_COUNTER(Fault, taken, "tokens", "numbers taken"),
    WW_COUNTER(Fault, cycles, "cycles", "cycles counted (by fault.unsettled alone)"),
    {0},
};

void fault_reset(void *self)
{
    Fault *f = self;
    f->n = 0;
    f->held = 0;
    f->due = 0;
    f->holding = false;
}

WwRest fault_dawdle(Fault *f, uint64_t n, uint32_t cycles)
{
    if (!fault_put_held(f)) {
        return ww_now(f) < f->due ? f->due - ww_now(f) : WW_SLEEP;
    }
    while (fault_can_pass(f)) {
        WwToken token = fault_take(f);
        if (n++ % f->every == 0) {
            f->held = token;
            f->holding = true;
            f->due = ww_now(f) + cycles;
            return cycles;
        }
        ww_fifo_put(&f->out, token);
    }
    return WW_SLEEP;
}
