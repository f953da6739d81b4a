/* SPDX-License-Identifier: Apache-2.0 */
/** @file What the run loop looks at after each tick. */
#pragma once

#include <signal.h>
#include <warpwright/interrupt.h>

/** Not 0: leave the loop. */
extern volatile sig_atomic_t ww_attention_flag;
