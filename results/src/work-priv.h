/* SPDX-License-Identifier: Apache-2.0 */
/** @file When SMs had work. */
#pragma once

#include <results/results.h>

/* Finds who holds the CTAs of each SM. */
void ww_work_begin(WwResults *r);
/* Kernel @p k has ended, and the machine is settled: SMs that had work in it, and its tail. */
void ww_work_end(const WwResults *r, WwResultKernel *k);

/* Finds who has figures of instructions (pcs.c). Before the first cycle: a checkpoint does not keep what is found later. */
void ww_pcs_begin(WwResults *r);
void ww_pcs_free(WwResults *r);
