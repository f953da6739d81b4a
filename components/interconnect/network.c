/* SPDX-License-Identifier: Apache-2.0 */
/* What the crossbar and the network with routers share. */
#include "network-priv.h"

#include <warpwright/component.h>

bool network_sides(const NetworkEnds *ends, uint32_t *clusters, uint32_t *slices, GError **error)
{
    const NetworkEnds *e = ends;
    bool requests = (e->request_in | e->request_out) != 0;
    bool replies = (e->reply_in | e->reply_out) != 0;
    bool both = requests && replies;
    bool silent = both && e->request_in == 0;
    bool whole = (!requests || (e->request_out != 0 && (e->request_in != 0 || silent))) &&
                 (!replies || (e->reply_in != 0 && e->reply_out != 0));
    bool alike =
        !both || ((e->request_in == e->reply_out || silent) && e->request_out == e->reply_in);
    *clusters = MAX(e->request_in, e->reply_out);
    *slices = MAX(e->request_out, e->reply_in);
    return ((requests || replies) && whole && alike) ||
           ww_fail(error, WW_ERROR_WIRING,
                   "%u request inputs, %u reply outputs, %u request outputs, %u reply inputs "
                   "are bound; expected as many inputs as outputs on each side, or requests or "
                   "replies alone",
                   e->request_in, e->reply_out, e->request_out, e->reply_in);
}

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
