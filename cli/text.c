/* SPDX-License-Identifier: Apache-2.0 */
/* Small texts that several reports need. */
#include "cli-priv.h"

char *cli_grouped(uint64_t n)
{
    GString *out = g_string_new(NULL);
    char digits[24];
    int length = g_snprintf(digits, sizeof digits, "%" G_GUINT64_FORMAT, n);
    for (int i = 0; i < length; i++) {
        if (i != 0 && (length - i) % 3 == 0) {
            g_string_append_c(out, ',');
        }
        g_string_append_c(out, digits[i]);
    }
    return g_string_free(out, false);
}

uint32_t cli_control(const char *p)
{
    unsigned char c = (unsigned char)*p, next = (unsigned char)p[c != '\0'];
    return (c < ' ' && c != '\0') || c == 0x7f        ? 1
           : c == 0xc2 && next >= 0x80 && next < 0xa0 ? 2 /* of terminals with 8 bits */
                                                      : 0;
}

void cli_add_visible(GString *out, const char **p)
{
    uint32_t n = cli_control(*p);
    unsigned char c = (unsigned char)(*p)[n != 0 ? n - 1 : 0];
    if (n != 0) {
        g_string_append_printf(out, c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\x%02x", c);
    } else {
        g_string_append_c(out, **p);
    }
    *p += MAX(n, 1u);
}

char *cli_visible(const char *text)
{
    GString *out = g_string_new(NULL);
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    for (const char *p = valid; *p != '\0';) {
        cli_add_visible(out, &p);
    }
    return g_string_free(out, false);
}

char *cli_cut(const char *text, uint32_t width)
{
    g_autofree char *shown = cli_visible(text);
    if (g_utf8_strlen(shown, -1) <= (glong)width) {
        return g_steal_pointer(&shown);
    }
    g_autofree char *head = g_utf8_substring(shown, 0, width > 3 ? width - 3 : 0);
    return g_strconcat(head, "...", NULL);
}

char *cli_pattern(const void *component)
{
    g_autofree char *path = ww_path(component);
    GString *out = g_string_new(NULL);
    for (const char *p = path; *p != '\0'; p++) {
        if (*p == '[') {
            g_string_append(out, "[*]");
            while (*p != ']') {
                p++;
            }
        } else {
            g_string_append_c(out, *p);
        }
    }
    return g_string_free(out, false);
}
