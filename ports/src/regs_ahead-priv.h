/* SPDX-License-Identifier: Apache-2.0 */
/** @file What channels.c needs of regs_ahead.c. Private to ports/src. */
#pragma once

#include <ports/register_set.h>

/** For the reset of a set whose writers send: may they? */
void ww_regs_reset_ahead(WwRegisterSet *set);
/** Between ticks: what has come is in the registers in which the writers' own turns would have put it. */
void ww_regs_arrive_in_order(WwRegisterSet *set);
/** Between ticks: how much has come that is in no register yet. */
uint32_t ww_regs_arriving(const WwRegisterSet *set);
