/* SPDX-License-Identifier: Apache-2.0 */
/** @file The parts of an experiment's page, and what each shows of many. */
#pragma once

#include "frame.h"
#include "parts.h"

#include <report/experiment.h>

typedef struct ExperimentPage {
    Html h;
    const WwReportExperiment *e;
    GArray *combinations; /**< uint32_t: those in tables and bars, in their order, */
    GArray *columns;      /**< those that are columns, */
    GArray *traces;       /**< and the traces that are rows. */
} ExperimentPage;

/**
 * Numbers (uint32_t) of @p most of @p n at most: the base (UINT32_MAX: there is none) and the fastest, as @p speed_up says. In their order where there is no
 * base, or all are there; else the fastest first.
 */
GArray *experiment_fastest(const void *of, double (*speed_up)(const void *of, uint32_t i),
                           uint32_t n, uint32_t base, uint32_t most);
/** The name of a row, with the whole one as what it says when pointed at. */
void experiment_head(Html *h, const char *name, const char *full);
/** The head of a combination's column. */
void experiment_column(ExperimentPage *p, uint32_t combination);
/** Says that only some of something are shown: nothing where all are. */
void experiment_left_out(Html *h, uint32_t shown, uint32_t all, const char *what, const char *how);

void experiment_matrix(ExperimentPage *p);
void experiment_slots(ExperimentPage *p);
