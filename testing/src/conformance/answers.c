/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What memory transactions are when they come out, of a type that passes each on once: what they were when they went in, but for what those on
 * their way write (birth, stamp, and what caches keep there). An answer says that it is one, and a network brings each to its node.
 */
#include "conformance-priv.h"

#include <ports/tokens.h>
#include <string.h>
#include <warpwright/component.h>

static bool is_mem(const WwPortRow *row)
{
    return row->contract->payload == &ww_payload_mem;
}

static bool is_answer(const WwPortRow *row)
{
    return row->contract == &ww_contract_mem_response ||
           row->contract == &ww_contract_dram_response;
}

void conform_as_it_comes(const WwPortRow *row, WwToken t)
{
    if (is_mem(row)) {
        ww_token_mem(t)->response = is_answer(row);
    }
}

void conform_fed(Bench *b, const WwPortRow *row, WwToken t)
{
    if (is_mem(row) && b->type->conserves == WW_CONSERVES_ONE) {
        g_hash_table_insert(b->fed, (gpointer)(uintptr_t)t,
                            g_memdup2(ww_token_mem(t), sizeof(WwMemReq)));
    }
}

#define FIELD(name)                                                                                \
    {                                                                                              \
#name, offsetof(WwMemReq, name), sizeof(((const WwMemReq *)NULL)->name)                    \
    }

/* What nobody on the way may write. */
static const struct {
    const char *name;
    size_t at, size;
} fields[] = {
    FIELD(addr),   FIELD(size),         FIELD(sm),         FIELD(cluster),  FIELD(warp),
    FIELD(type),   FIELD(sectors),      FIELD(write),      FIELD(atomic),   FIELD(awaited),
    FIELD(bytes),  FIELD(lanes),        FIELD(bypass_l1),  FIELD(stream),   FIELD(serial),
    FIELD(uid),    FIELD(at.partition), FIELD(at.channel), FIELD(at.slice), FIELD(at.bank),
    FIELD(at.row), FIELD(at.column),    FIELD(owner),      FIELD(original), FIELD(inst),
};

static uint64_t value_of(const WwMemReq *req, size_t field)
{
    uint64_t value = 0;
    memcpy(&value, (const char *)req + fields[field].at, MIN(fields[field].size, sizeof value));
    return value;
}

/* The first field that is another; -1: none is. */
static int changed(const WwMemReq *was, const WwMemReq *is)
{
    for (size_t i = 0; i < G_N_ELEMENTS(fields); i++) {
        if (memcmp((const char *)was + fields[i].at, (const char *)is + fields[i].at,
                   fields[i].size) != 0) {
            return (int)i;
        }
    }
    return -1;
}

static void check_node(Bench *b, const char *port, const WwPortRow *row, const WwMemReq *req)
{
    const char *element = strchr(port, '[');
    uint64_t node = is_answer(row) ? req->cluster : req->at.slice;
    if (element != NULL && ww_drive_is_network(b->type) &&
        node != g_ascii_strtoull(element + 1, NULL, 10)) {
        conform_wrong(b, "port %s: a packet for %s %" G_GUINT64_FORMAT " comes out", port,
                      is_answer(row) ? "cluster" : "slice", node);
    }
}

void conform_check_answer(Bench *b, const char *port, const WwPortRow *row, WwToken t)
{
    const WwMemReq *was = g_hash_table_lookup(b->fed, (gpointer)(uintptr_t)t), *is;
    if (was == NULL) {
        return;
    }
    is = ww_token_mem(t);
    int field = changed(was, is);
    if (field >= 0) {
        conform_wrong(b,
                      "port %s: the transaction of serial %" G_GUINT64_FORMAT
                      " comes out with another %s, %" G_GINT64_MODIFIER
                      "x; expected %" G_GINT64_MODIFIER "x, as it went in",
                      port, was->serial, fields[field].name, value_of(is, (size_t)field),
                      value_of(was, (size_t)field));
    } else if (is->response != is_answer(row)) {
        conform_wrong(b, "port %s: a transaction comes out with response = %d; expected %d", port,
                      is->response, is_answer(row));
    } else {
        check_node(b, port, row, is);
    }
    g_hash_table_remove(b->fed, (gpointer)(uintptr_t)t);
}
