/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Checks that any component type can be put to, with nothing but what its contracts bring: tokens and checkers for channels, fakes for needs,
 * and for what it provides a random caller (testing/drive.h). `warpwright conformance` runs them on the types of a module.
 */
#pragma once

#include <warpwright/machine.h>

/**
 * One check: NULL when @p type passes, else why not, newly allocated. What is random in it is drawn from @p seed, 0 as in the suite: the same
 * seed is the same traffic.
 */
typedef char *(*WwConformanceFn)(const WwRegistry *registry, const WwType *type, uint32_t seed);

/** A check that `warpwright conformance` knows. */
typedef struct WwConformanceCheck {
    const char *name;
    const char *doc; /**< What it asks. */
    WwConformanceFn check;
} WwConformanceCheck;

/**
 * What keeps @p type from being put on a bench, newly allocated, or NULL: a need that no fake and no other type of the registry fills. To be
 * asked before any check.
 */
WW_API char *ww_conformance_obstacle(const WwRegistry *registry, const WwType *type);

/** Why the check `windows` runs @p type tick by tick both times, newly allocated, or NULL: it does not. */
WW_API char *ww_conformance_no_windows(const WwRegistry *registry, const WwType *type);

/** What one run of @p type leaves, as text, newly allocated: the same in every process. */
WW_API char *ww_conformance_run(const WwRegistry *registry, const WwType *type, uint32_t seed);

/** That text of another process, number @p n, newly allocated; NULL: there is no such process. With @p error when it has none. */
typedef char *(*WwConformanceElsewhere)(const WwType *type, uint32_t seed, uint32_t n,
                                        GError **error);
/** From now on the check `same-seed` asks @p fn, too, for n = 0, 1, ...; NULL: it does not. */
WW_API void ww_conformance_elsewhere(WwConformanceElsewhere fn);

/** All checks; ends with a name NULL. */
WW_API extern const WwConformanceCheck ww_conformance_checks[];
