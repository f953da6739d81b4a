/* SPDX-License-Identifier: Apache-2.0 */
#include "table_text.h"

#include <string.h>

void cli_markdown_text(const char *text, FILE *out)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    for (const char *p = valid; *p != '\0'; p++) {
        uint32_t n = cli_control(p);
        if (n != 0) {
            fputc(' ', out);
            p += n - 1;
        } else if (*p == '<' || *p == '>' || *p == '&') {
            fputs(*p == '<' ? "&lt;" : *p == '>' ? "&gt;" : "&amp;", out);
        } else {
            fputs(strchr("\\`*_[]|~#!", *p) != NULL ? "\\" : "", out);
            fputc(*p, out);
        }
    }
}

void cli_latex_text(const char *text, FILE *out)
{
    static const struct {
        char c;
        const char *text;
    } special[] = {{'\\', "\\textbackslash{}"},  {'~', "\\textasciitilde{}"},
                   {'^', "\\textasciicircum{}"}, {'<', "\\textless{}"},
                   {'>', "\\textgreater{}"},     {'|', "\\textbar{}"},
                   {'"', "\\textquotedbl{}"},    {'-', "-{}"}};
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    for (const char *p = valid; *p != '\0'; p++) {
        const char *other = NULL;
        uint32_t n = cli_control(p);
        for (size_t i = 0; i < G_N_ELEMENTS(special); i++) {
            other = special[i].c == *p ? special[i].text : other;
        }
        if (other != NULL && (*p != '-' || p[1] == '-')) { /* two of them are a dash */
            fputs(other, out);
        } else {
            fputs(strchr("&%$#_{}", *p) != NULL ? "\\" : "", out);
            fputc(n != 0 ? ' ' : *p, out);
            p += n != 0 ? n - 1 : 0;
        }
    }
}

guint cli_columns(const char *text)
{
    g_autofree char *shown = cli_visible(text);
    return (guint)g_utf8_strlen(shown, -1);
}

void cli_pad(FILE *out, const char *text, guint width, bool right)
{
    g_autofree char *shown = cli_visible(text);
    guint n = (guint)g_utf8_strlen(shown, -1);
    int blanks = n < width ? (int)(width - n) : 0;
    fprintf(out, "%*s%s%*s", right ? blanks : 0, "", shown, right ? 0 : blanks, "");
}
