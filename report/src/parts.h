/* SPDX-License-Identifier: Apache-2.0 */
/** @file The parts of a page; each writes one section of all runs. */
#pragma once

#include "figures.h"
#include "html.h"

typedef struct Page {
    Html h;
    Run run[WW_REPORT_MOST];
    uint32_t n;
    const char *version;
} Page;

/** How many kernels a table has; more are named by their number. */
enum { MOST_KERNELS = 60 };

/** "A: " before what is of one run, nothing where there is but one. */
const char *run_prefix(const Page *p, uint32_t i, char buffer[8]);
/** Says that run @p i lacks something, and what brings it. */
void missing(Page *p, uint32_t i, const char *what, const char *option);
/** Says of run @p i what no option would bring: @p what is a sentence without its end. */
void without(Page *p, uint32_t i, const char *what);

void part_summary(Page *p);
void part_difference(Page *p);
void part_slots(Page *p);
void part_time(Page *p);
void part_instructions(Page *p);
void part_memory(Page *p);
void part_instances(Page *p, uint32_t i);
void part_roofline(Page *p);
/** Only if a run had modules, has_modules(). */
void part_modules(Page *p);
bool has_modules(const Page *p);
/** What the scripts read, as one JSON value without '<'. */
void part_data(Page *p);

/* ---- issue slots, of any page (slots.c) ------------------------------------------------------------------------- */

/** A cell with a bar over @p length (0 to 1) of it: the shares of @p n parts. @p counted: their numbers are slots, and shown. */
void slots_cell(Html *h, const Slot *slot, unsigned n, double length, bool counted);
/** Adds a label where it stands among others on all pages. */
void slots_add_in_order(GPtrArray *labels, const char *label);
/** What the colours are. */
void slots_legend(Html *h, const GPtrArray *labels);
