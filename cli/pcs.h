/* SPDX-License-Identifier: Apache-2.0 */
/** @file `run --pcs`: figures of each static instruction (docs/instructions.md). */
#pragma once

#include "json.h"

#include <results/pcs.h>
#include <stdio.h>

/** Before the machine is sealed: puts a `pcs` beside each warp pool that tells nobody yet, and has all that use the pool tell it. */
bool cli_pcs_bind(WwMachine *machine, const WwRegistry *registry, GError **error);
/** Writes what was counted of kernel @p k as parts of its JSON; @p values: its counters. Nothing without --pcs. */
void cli_pcs_json(const WwResults *results, const WwResultKernel *k, const uint64_t *values,
                  CliJsonWriter *kernel);
/** The ten instructions that took, or lost, the most issue slots, in @p width columns (0: as many as they need); nothing without --pcs. */
void cli_pcs_hottest(const WwResults *results, uint32_t width, FILE *out);
