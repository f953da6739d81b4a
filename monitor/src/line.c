/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a progress line: what matters most comes first, because a narrow terminal cuts the end. */
#include <monitor/monitor.h>

#define NAME_WIDTH 28u /* of a kernel; mangled names are longer */

/* 12345678 as "12,345,678". */
static void add_number(GString *out, uint64_t n)
{
    char digits[24];
    int length = g_snprintf(digits, sizeof digits, "%" G_GUINT64_FORMAT, n);
    for (int i = 0; i < length; i++) {
        if (i != 0 && (length - i) % 3 == 0) {
            g_string_append_c(out, ',');
        }
        g_string_append_c(out, digits[i]);
    }
}

static void add_kernel(GString *out, const WwProgress *p)
{
    if (p->kernel == 0) {
        return;
    }
    g_string_append_printf(out, "kernel %u", p->kernel);
    if (p->kernels != 0) {
        g_string_append_printf(out, " of %u", p->kernels);
    }
    if (p->name != NULL) {
        g_autofree char *valid = g_utf8_make_valid(p->name, -1);
        if (g_utf8_strlen(valid, -1) > NAME_WIDTH) {
            g_autofree char *head = g_utf8_substring(valid, 0, NAME_WIDTH - 3);
            g_string_append_printf(out, " %s...", head);
        } else {
            g_string_append_printf(out, " %s", valid);
        }
    }
    if (p->ctas_total != 0) {
        g_string_append(out, ", ");
        add_number(out, p->ctas_done);
        g_string_append(out, " of ");
        add_number(out, p->ctas_total);
        g_string_append(out, " CTAs (");
        add_number(out, p->ctas_running);
        g_string_append(out, " running)");
    }
    g_string_append(out, ", ");
}

/* What is left if the rest goes as the beginning went; nothing while that would be guessing. */
static void add_rest(GString *out, const WwProgress *p, double elapsed)
{
    if (elapsed < 2 || p->done < 0.02 || p->done >= 1) {
        return;
    }
    uint64_t left = (uint64_t)(elapsed * (1 - p->done) / p->done + 0.5);
    if (left >= 3600) {
        g_string_append_printf(out, ", about %u:%02u:%02u left", (unsigned)(left / 3600),
                               (unsigned)(left / 60 % 60), (unsigned)(left % 60));
    } else {
        g_string_append_printf(out, ", about %u:%02u left", (unsigned)(left / 60),
                               (unsigned)(left % 60));
    }
}

char *ww_monitor_line(const WwProgress *p, double cycles_per_s, double elapsed_s, uint32_t width)
{
    GString *out = g_string_new(NULL);
    add_kernel(out, p);
    g_string_append(out, "cycle ");
    add_number(out, p->cycle);
    if (p->ipc > 0) {
        g_string_append_printf(out, ", IPC %.1f", p->ipc);
    }
    if (cycles_per_s > 0) {
        g_string_append_printf(out, cycles_per_s < 9950 ? ", %.1f k cycles/s" : ", %.0f k cycles/s",
                               cycles_per_s / 1000);
    }
    add_rest(out, p, elapsed_s);
    if (width != 0 && g_utf8_strlen(out->str, -1) > width) {
        g_autofree char *cut = g_utf8_substring(out->str, 0, width);
        g_string_assign(out, cut);
    }
    return g_string_free(out, false);
}
