/* SPDX-License-Identifier: Apache-2.0 */
/* An array port that requires an interface has each peer once: a wire that stands twice would make two of one. */
#include "machine-priv.h"

/* A binding of such a port, and the last one before it to the same peer. */
typedef struct ArrayEnd {
    uint32_t binding;
    uint32_t before; /* 1 + place of it; 0: none */
} ArrayEnd;

static bool same_ends(const Binding *a, const Binding *b)
{
    return a->component == b->component && a->row == b->row && a->peer_row == b->peer_row;
}

static bool fail_twice(const Binding *b, const Binding *first, GError **error)
{
    g_autofree char *at = ww_location_text(b->where);
    g_autofree char *path = ww_path(b->component), *peer = ww_component_text(b->peer);
    g_autofree char *there =
        first->where.file != NULL
            ? g_strdup_printf(" in %s:%u", first->where.file, first->where.line)
            : g_strdup("");
    return ww_fail(error, WW_ERROR_WIRING, "%s%s.%s and %s are joined already%s; expected once", at,
                   path, b->port->name, peer, there);
}

bool ww_check_twice(const WwMachine *m, GError **error)
{
    g_autofree uint32_t *last = g_new0(uint32_t, m->info.n + 1);
    g_autoptr(GArray) ends = g_array_new(FALSE, FALSE, sizeof(ArrayEnd));
    for (uint32_t i = 0; i < m->bindings.n; i++) {
        const Binding *b = &m->bindings.v[i];
        if (b->peer == NULL || b->port->role != WW_REQUIRES || b->port->max < 2) {
            continue;
        }
        ArrayEnd own = {i, last[b->to]};
        for (uint32_t k = own.before; k != 0; k = g_array_index(ends, ArrayEnd, k - 1).before) {
            const Binding *first = &m->bindings.v[g_array_index(ends, ArrayEnd, k - 1).binding];
            if (same_ends(first, b)) {
                return fail_twice(b, first, error);
            }
        }
        g_array_append_val(ends, own);
        last[b->to] = ends->len;
    }
    return true;
}
