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

char *cli_cut(const char *text, uint32_t width)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    if (g_utf8_strlen(valid, -1) <= (glong)width) {
        return g_steal_pointer(&valid);
    }
    g_autofree char *head = g_utf8_substring(valid, 0, width > 3 ? width - 3 : 0);
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
