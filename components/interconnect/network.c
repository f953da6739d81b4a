/* SPDX-License-Identifier: Apache-2.0 */
/* What the crossbar and the network with routers share. */
#include "network-priv.h"

#include <warpwright/component.h>

WW_COLD uint32_t network_without_way(void *self, bool reply, uint32_t to, uint32_t outputs)
{
    g_autofree char *path = ww_path(self);
    ww_fail_run(self,
                g_error_new(WW_ERROR, WW_ERROR_MODEL,
                            "%s: a %s for %s %u came in, and %u %s bound to %s; expected all %ss",
                            path, reply ? "reply" : "request", reply ? "cluster" : "slice", to,
                            outputs, WW_PLURAL(outputs, "is", "are"),
                            reply ? "reply_out" : "request_out", reply ? "cluster" : "slice"));
    return 0;
}
