/* SPDX-License-Identifier: Apache-2.0 */
/* The list of channel types. A new one is one line here. */
#include <ports/fifo.h>
#include <ports/register.h>
#include <ports/register_set.h>
#include <ports/wire.h>

static const WwType *const channels[] = {
    &ww_register_set_type, &ww_fifo_type, &ww_wire_type, &ww_signal_type, NULL,
};

bool ww_ports_register_channels(WwRegistry *registry, GError **error)
{
    return ww_registry_add_known(registry, channels, "built-in", error);
}
