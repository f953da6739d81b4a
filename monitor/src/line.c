/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a progress line: on a narrow terminal what matters least is left out, and what is left of the time stays longest. */
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

/* A line is made of pieces; what matters least goes first when it is too long. */
typedef enum Piece { KERNEL, NAME, CTAS, RUNNING, CYCLE, IPC, SPEED, SHARE, LEFT, N_PIECES } Piece;

static const Piece least_first[] = {RUNNING, IPC, SPEED, NAME, SHARE, CTAS, CYCLE, LEFT};

static void add_kernel(GString **pieces, const WwProgress *p)
{
    if (p->kernel == 0) {
        return;
    }
    g_string_append_printf(pieces[KERNEL], "kernel %u", p->kernel);
    if (p->kernels != 0) {
        g_string_append_printf(pieces[KERNEL], " of %u", p->kernels);
    }
    if (p->name != NULL) {
        g_autofree char *valid = g_utf8_make_valid(p->name, -1);
        if (g_utf8_strlen(valid, -1) > NAME_WIDTH) {
            g_autofree char *head = g_utf8_substring(valid, 0, NAME_WIDTH - 3);
            g_string_append_printf(pieces[NAME], " %s...", head);
        } else {
            g_string_append_printf(pieces[NAME], " %s", valid);
        }
    }
    if (p->ctas_total != 0) {
        g_string_append(pieces[CTAS], ", ");
        add_number(pieces[CTAS], p->ctas_done);
        g_string_append(pieces[CTAS], " of ");
        add_number(pieces[CTAS], p->ctas_total);
        g_string_append(pieces[CTAS], p->ctas_total == 1 ? " CTA" : " CTAs");
        g_string_append(pieces[RUNNING], " (");
        add_number(pieces[RUNNING], p->ctas_running);
        g_string_append(pieces[RUNNING], " running)");
    }
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

/* The pieces in their order, as many as fit. */
static char *fitting(GString **pieces, uint32_t width)
{
    for (size_t gone = 0;; gone++) {
        g_autoptr(GString) out = g_string_new(NULL);
        for (Piece i = 0; i < N_PIECES; i++) {
            bool begins = out->len == 0 && g_str_has_prefix(pieces[i]->str, ", ");
            g_string_append(out, pieces[i]->str + (begins ? 2 : 0));
        }
        if (width == 0 || g_utf8_strlen(out->str, -1) <= width ||
            gone == G_N_ELEMENTS(least_first)) {
            return width == 0 || g_utf8_strlen(out->str, -1) <= width
                       ? g_strdup(out->str)
                       : g_utf8_substring(out->str, 0, width);
        }
        g_string_truncate(pieces[least_first[gone]], 0);
    }
}

char *ww_monitor_line(const WwProgress *p, double cycles_per_s, double elapsed_s, uint32_t width)
{
    GString *pieces[N_PIECES];
    for (Piece i = 0; i < N_PIECES; i++) {
        pieces[i] = g_string_new(NULL);
    }
    add_kernel(pieces, p);
    g_string_append(pieces[CYCLE], ", cycle ");
    add_number(pieces[CYCLE], p->cycle);
    if (p->ipc > 0) {
        g_string_append_printf(pieces[IPC], p->ipc < 1 ? ", IPC %.3f" : ", IPC %.1f", p->ipc);
    }
    if (cycles_per_s > 0) {
        if (cycles_per_s < 9950) {
            g_string_append_printf(pieces[SPEED], ", %.1f", cycles_per_s / 1000);
        } else {
            g_string_append(pieces[SPEED], ", ");
            add_number(pieces[SPEED], (uint64_t)(cycles_per_s / 1000 + 0.5));
        }
        g_string_append(pieces[SPEED], " k cycles/s");
    }
    if (p->done > 0 && p->done < 1) {
        g_string_append_printf(pieces[SHARE], ", %u %%", (unsigned)(p->done * 100));
    }
    add_rest(pieces[LEFT], p, elapsed_s);
    char *line = fitting(pieces, width);
    for (Piece i = 0; i < N_PIECES; i++) {
        g_string_free(pieces[i], true);
    }
    return line;
}
