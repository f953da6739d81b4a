/* SPDX-License-Identifier: Apache-2.0 */
/* What channels of all kinds share. */
#include "channel-priv.h"

enum { MOST_NAMED = 4 };

bool ww_fail_readers(const WwChannel *ch, const char *kind, GError **error)
{
    g_autoptr(GString) names = g_string_new(ch->n_readers != 0 ? " of " : "");
    for (uint32_t i = 0; i < ch->n_readers && i <= MOST_NAMED; i++) {
        g_autofree char *path = ww_path(ch->reader[i].who);
        g_string_append_printf(names, "%s%s", i != 0 ? ", " : "", i < MOST_NAMED ? path : "...");
    }
    return ww_fail(error, WW_ERROR_WIRING, "%s has %u readers; expected one%s", kind, ch->n_readers,
                   names->str);
}
