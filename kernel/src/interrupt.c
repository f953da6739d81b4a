/* SPDX-License-Identifier: Apache-2.0 */
/* The flags behind <warpwright/interrupt.h>: plain stores, so that a handler may make them. */
#include "interrupt-priv.h"

volatile sig_atomic_t ww_attention_flag;
static volatile sig_atomic_t interrupted;

void ww_interrupt(void)
{
    interrupted = 1;
    ww_attention_flag = 1;
}

bool ww_interrupted(void)
{
    return interrupted != 0;
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
    interrupted = 0;
    ww_attention_flag = 0;
}
