/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the report in the columns that there are: what matters least goes first - bars, other names, then the ends of names. */
#include "report-priv.h"

#include <string.h>

#define BAR_WIDTH 30u
#define TEXT_WIDTH 35u
#define ALIAS_WIDTH 18u
#define NUMBERS 26u /* four blanks, and those of number and share with what is between */

ReportPage report_page(FILE *out)
{
    return (ReportPage){out, cli_is_terminal(out) ? cli_width(out) : 0};
}

uint32_t report_fit(const ReportPage *page, uint32_t want, uint32_t others, uint32_t least)
{
    if (page->width == 0 || want + others <= page->width) {
        return want;
    }
    return page->width > others + least ? page->width - others : least;
}

char *report_text(const char *text, uint32_t columns)
{
    g_autofree char *shown = cli_cut(text, columns);
    glong n = g_utf8_strlen(shown, -1);
    return g_strdup_printf("%s%*s", shown, n < (glong)columns ? (int)(columns - n) : 0, "");
}

void report_row(const ReportPage *page, const ReportRow *row)
{
    uint32_t columns = report_fit(page, TEXT_WIDTH, NUMBERS, 12), used = columns + NUMBERS;
    g_autofree char *text = report_text(row->text, columns);
    g_autoptr(GString) line = g_string_new(NULL);
    g_string_append_printf(line, "    %s %12s", text, row->number);
    if (row->share >= 0) {
        g_string_append_printf(line, " %6.1f %%", row->share * 100);
    }
    if (row->alias != NULL && (page->width == 0 || used + 2 + ALIAS_WIDTH <= page->width)) {
        g_string_append_printf(line, "  %-*s", (int)ALIAS_WIDTH, row->alias);
        used += 2 + ALIAS_WIDTH;
    }
    if (row->bar && row->share > 0) {
        uint32_t room = report_fit(page, BAR_WIDTH, used + 2, 0);
        g_autofree char *bar = cli_bar(page->out, MIN(row->share, 1.0), room);
        g_string_append_printf(line, "  %s", bar);
    }
    fprintf(page->out, "%s\n", g_strchomp(line->str));
}

void report_wrap(const ReportPage *page, const char *text)
{
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    uint32_t at = 0;
    for (char **w = words; *w != NULL; w++) {
        uint32_t n = (uint32_t)g_utf8_strlen(*w, -1);
        if (at != 0 && page->width != 0 && at + 1 + n > page->width) {
            fputs("\n    ", page->out);
            at = 4;
        } else if (at != 0) {
            fputc(' ', page->out);
            at++;
        }
        fputs(*w, page->out);
        at += n;
    }
    fputc('\n', page->out);
}
