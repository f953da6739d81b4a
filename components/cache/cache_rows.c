/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What both cache types say of themselves: choices, statistics. Labels are spelled as the reference
 * prints them.
 */
#include "cache-priv.h"

#include <string.h>

const char *const cache_replacements[] = {"lru", "fifo", NULL};
const char *const cache_writes[] = {WW_WRITE_LABELS, NULL};
const char *const cache_allocates[] = {"miss", "fill", "streaming", NULL};
const char *const cache_write_allocates[] = {WW_WRITE_ALLOCATE_LABELS, NULL};
const char *const cache_indices[] = {"linear", "xor",    "ipoly",      "fermi",
                                     "custom", "modulo", "ipoly_code", NULL};
const char *const cache_mshrs[] = {"assoc", "sector_assoc", NULL};

/* A row of the table of outcomes, and of the table of reasons for a refusal. */
#define OUTCOMES(type)                                                                             \
    type ".HIT", type ".HIT_RESERVED", type ".MISS", type ".RESERVATION_FAIL",                     \
        type ".SECTOR_MISS", type ".MSHR_HIT"
#define FAILS(type)                                                                                \
    type ".LINE_ALLOC_FAIL", type ".MISS_QUEUE_FULL", type ".MSHR_ENRTY_FAIL",                     \
        type ".MSHR_MERGE_ENRTY_FAIL", type ".MSHR_RW_PENDING"

static const char *const outcome_labels[] = {WW_ACCESS_LABELS(OUTCOMES)};
static const char *const fail_labels[] = {WW_ACCESS_LABELS(FAILS)};
_Static_assert(G_N_ELEMENTS(outcome_labels) == WW_N_ACCESS_TYPES * WW_N_CACHE_RESULTS,
               "a label each");
_Static_assert(G_N_ELEMENTS(fail_labels) == WW_N_ACCESS_TYPES * N_CACHE_FAILS, "a label each");

/* Of both levels. */
#define STATS                                                                                      \
    WW_VECTOR(Cache, outcomes, "accesses", outcome_labels, "outcomes of accesses, by type"),       \
        WW_VECTOR(Cache, fails, "accesses", fail_labels, "reasons for refused accesses, by type"), \
        WW_COUNTER(Cache, accesses, "accesses", "accesses accepted"),                              \
        {.name = "misses",                                                                         \
         .kind = WW_STAT_COUNTER,                                                                  \
         .unit = "accesses",                                                                       \
         .doc = "of these, those that found neither data nor a pending fetch",                     \
         .n = 1,                                                                                   \
         .offset = WW_FIELD(Cache, misses_total, uint64_t)},                                       \
        WW_COUNTER(Cache, pending_hits, "accesses", "of these, those that found a pending fetch"), \
        WW_COUNTER(Cache, reservation_fails, "accesses",                                           \
                   "refusals of accesses; an access counts each time"),                            \
        WW_COUNTER(Cache, write_backs, "transactions", "modified lines sent to the next level"),   \
        WW_COUNTER(Cache, lower_full, "cycles",                                                    \
                   "cycles in which nothing could be sent to the next level"),                     \
        WW_COUNTER(Cache, port_samples, "cycles", "cycles in which port use was sampled"),         \
        WW_COUNTER(Cache, data_port_busy, "cycles", "of these, cycles with the data port in use"), \
        WW_COUNTER(Cache, fill_port_busy, "cycles", "of these, cycles with the fill port in use")

static const char *const traffic_labels[] = {WW_TRAFFIC_LABELS};

const WwStatRow cache_l1_stats[] = {
    STATS,
    WW_VECTOR(Cache, traffic, "packets", traffic_labels,
              "packets sent into the network, by access type and bytes; 0 for a cache that sends "
              "to another cache of its SM"),
    {0},
};

const WwStatRow cache_l2_stats[] = {STATS, {0}};

/* ---- events ---------------------------------------------------------------------------------- */

static const WwEventField field_result = WW_EVENT_FIELD(
    "result", WW_EVENT_TEXT, "",
    "hit; pending_hit: its data are under way; miss, sector_miss; refused: it is tried again");
static const WwEventField field_why =
    WW_EVENT_FIELD("why", WW_EVENT_TEXT, "",
                   "refused for want of: line, miss_queue, mshr_entry or mshr_merge (room in one)");

/* Both fields as they are written. */
struct CacheOutcome {
    char text[32];
    uint8_t n;
};
#define OUTCOME(letters)                                                                           \
    {                                                                                              \
        .text = letters, .n = sizeof(letters) - 1                                                  \
    }

const CacheOutcome *cache_outcome(WwCacheResult result, CacheFail why)
{
    static const CacheOutcome results[] = {
        [WW_CACHE_HIT] = OUTCOME(" result=hit"),
        [WW_CACHE_HIT_RESERVED] = OUTCOME(" result=pending_hit"),
        [WW_CACHE_MISS] = OUTCOME(" result=miss"),
        [WW_CACHE_SECTOR_MISS] = OUTCOME(" result=sector_miss"),
    };
    static const CacheOutcome refusals[] = {
        OUTCOME(" result=refused why=line"),       OUTCOME(" result=refused why=miss_queue"),
        OUTCOME(" result=refused why=mshr_entry"), OUTCOME(" result=refused why=mshr_merge"),
        OUTCOME(" result=refused why=mshr_rw"),
    };
    return result == WW_CACHE_RESERVATION_FAIL ? &refusals[why] : &results[result];
}

static char *write_outcome(char *at, uint64_t value)
{
    const CacheOutcome *outcome = (const CacheOutcome *)(uintptr_t)value;
    memcpy(at, outcome->text, sizeof outcome->text);
    return at + outcome->n;
}

static const WwEventField *const outcome_parts[] = {&field_result, &field_why, NULL};
const WwEventField cache_field_outcome = {
    .name = "outcome",
    .unit = "",
    .doc = "what it came to",
    .form = WW_EVENT_PARTS,
    .write = write_outcome,
    .parts = outcome_parts,
    .kept = &ww_event_value,
};

static char *write_with(char *at, uint64_t value)
{
    static const WwEventField with = WW_EVENT_FIELD("with", WW_EVENT_TEXT, "", "");
    if (value == 0) {
        return at; /* the first has its data already */
    }
    return ww_request_name(ww_event_lead(at, &with), (const WwMemReq *)(uintptr_t)value);
}

static const WwEventField field_with = {
    .name = "with",
    .unit = "",
    .doc = "the request whose miss it waits for",
    .form = WW_EVENT_PARTS,
    .write = write_with,
};

const WwEventRow cache_events[] = {
    [LOG_ACCESS] = {"access",
                    "warp",
                    "a request is looked up; an instruction fetch that hits makes no request",
                    {&ww_field_request, &cache_field_outcome}},
    [LOG_MISS] =
        {"miss",
         "warp",
         "a miss that needs data enters the miss queue, as a request for the whole sector or line",
         {&ww_field_request}},
    [LOG_MERGE] = {"merge",
                   "warp",
                   "a miss whose data are already requested waits for them",
                   {&ww_field_request, &field_with}},
    [LOG_EVICT] = {"evict",
                   "",
                   "modified data are evicted: a write-back enters the miss queue",
                   {&ww_field_request}},
    [LOG_SEND] = {"send",
                  "warp",
                  "a request leaves the miss queue for the next level",
                  {&ww_field_request}},
    [LOG_FILL] = {"fill", "warp", "the data of a miss have arrived", {&ww_field_request}},
    {0},
};
