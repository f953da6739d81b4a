/* SPDX-License-Identifier: Apache-2.0 */
/* Does a first-level cache take the stores of an LD/ST unit, and say when they are over? */
#include "stores-priv.h"

bool stores_fit(const WwPort *cache, GError **error)
{
    const WwCacheFacts *f = WW_CACHE(cache)->facts(cache->peer);
    if (f->write == WW_WRITE_READ_ONLY) {
        g_autofree char *path = ww_path(cache->peer);
        return ww_fail(error, WW_ERROR_USAGE,
                       "%s has write = read_only; expected one that takes stores", path);
    }
    return true;
}

bool stores_end(const WwPort *cache, GError **error)
{
    const WwCacheFacts *f = WW_CACHE(cache)->facts(cache->peer);
    if (f->write == WW_WRITE_THROUGH && f->allocate == WW_ALLOCATE_FETCH) {
        g_autofree char *path = ww_path(cache->peer);
        return ww_fail(error, WW_ERROR_USAGE,
                       "%s has write = through with write_allocate = fetch: a store that waits for "
                       "its line is neither sent on nor acknowledged; expected another of the two",
                       path);
    }
    return true;
}
