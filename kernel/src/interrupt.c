/* SPDX-License-Identifier: Apache-2.0 */
/* The flags behind <warpwright/interrupt.h>: single stores, so that a handler may make them. Other threads look at the second one, too. */
#include "interrupt-priv.h"

volatile sig_atomic_t ww_attention_flag;
static sig_atomic_t interrupted;

void ww_interrupt(void)
{
    __atomic_store_n(&interrupted, 1, __ATOMIC_RELAXED);
    ww_attention_flag = 1;
}

bool ww_interrupted(void)
{
    return __atomic_load_n(&interrupted, __ATOMIC_RELAXED) != 0;
}

void ww_attention(void)
{
    ww_attention_flag = 1;
}

void ww_attention_clear(void)
{
    ww_attention_flag = 0;
}

void ww_interrupt_clear(void)
{
    __atomic_store_n(&interrupted, 0, __ATOMIC_RELAXED);
    ww_attention_flag = 0;
}
