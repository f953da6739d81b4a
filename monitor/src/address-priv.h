/* SPDX-License-Identifier: Apache-2.0 */
/** @file Addresses of the live monitor. Private to monitor/src, and for tests. */
#pragma once

#include <warpwright/base.h>

typedef struct WwAddress {
    char *host; /**< An IP address, without brackets; the caller's. */
    uint16_t port;
    bool six, loopback;
} WwAddress;

/** "", "ADDR", "ADDR:PORT", ":PORT", with an IPv4 address, one of IPv6 in brackets, or localhost. */
bool ww_address_parse(const char *text, WwAddress *out, GError **error);
/** Is a `Host` header a name of this machine for itself, with any port (that of a tunnel, say)? */
bool ww_address_names_loopback(const char *host);
