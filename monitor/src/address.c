/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of the live monitor: which one to listen at, and which names in a request are ours. */
#include "address-priv.h"

#include <arpa/inet.h>
#include <string.h>

/* The text up to the port, without brackets; *port at the ':' before it, or NULL. */
static char *split(const char *text, const char **port)
{
    const char *end;
    *port = NULL;
    if (text[0] == '[') {
        end = strchr(text, ']');
        if (end == NULL || (end[1] != '\0' && end[1] != ':')) {
            return NULL;
        }
        *port = end[1] == ':' ? end + 1 : NULL;
        return g_strndup(text + 1, (gsize)(end - text - 1));
    }
    end = strchr(text, ':');
    if (end != NULL && strchr(end + 1, ':') != NULL) {
        return NULL; /* IPv6 without brackets */
    }
    *port = end;
    return end != NULL ? g_strndup(text, (gsize)(end - text)) : g_strdup(text);
}

static bool parse_ip(const char *host, bool brackets, WwAddress *out)
{
    struct in_addr four;
    struct in6_addr six;
    if (!brackets && inet_pton(AF_INET, host, &four) == 1) {
        out->loopback = (ntohl(four.s_addr) >> 24) == 127;
    } else if (brackets && inet_pton(AF_INET6, host, &six) == 1) {
        out->loopback = IN6_IS_ADDR_LOOPBACK(&six);
        out->six = true;
    } else {
        return false;
    }
    return true;
}

bool ww_address_parse(const char *text, WwAddress *out, GError **error)
{
    const char *port;
    *out = (WwAddress){0};
    g_autofree char *host = split(text, &port);
    uint64_t number = 0;
    if (host != NULL && host[0] == '\0' && text[0] != '[') {
        g_free(host);
        host = g_strdup("127.0.0.1");
    }
    if (host != NULL && g_ascii_strcasecmp(host, "localhost") == 0) {
        g_free(host);
        host = g_strdup("127.0.0.1");
    }
    if (host == NULL || !parse_ip(host, text[0] == '[', out)) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "--monitor '%s' is no address; expected ADDR:PORT, with an IP address "
                       "([...] around one with colons) or localhost",
                       text);
    }
    if (port != NULL && !g_ascii_string_to_unsigned(port + 1, 10, 0, UINT16_MAX, &number, NULL)) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "--monitor '%s': '%s' is no port; expected 0 (a free one) to 65535", text,
                       port + 1);
    }
    out->host = g_steal_pointer(&host);
    out->port = (uint16_t)number;
    return true;
}

bool ww_address_names_loopback(const char *host)
{
    const char *port;
    WwAddress ip;
    g_autofree char *name = split(host, &port);
    if (name == NULL) {
        return false;
    }
    return (host[0] != '[' && g_ascii_strcasecmp(name, "localhost") == 0) ||
           (parse_ip(name, host[0] == '[', &ip) && ip.loopback);
}
