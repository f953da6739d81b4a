/* SPDX-License-Identifier: Apache-2.0 */
#include "table_text.h"

#include <string.h>

static bool is_control(char c)
{
    return (unsigned char)c < ' ' || c == 0x7f;
}

void cli_markdown_text(const char *text, FILE *out)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    for (const char *p = valid; *p != '\0'; p++) {
        if (is_control(*p)) {
            fputc(' ', out);
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
        for (size_t i = 0; i < G_N_ELEMENTS(special); i++) {
            other = special[i].c == *p ? special[i].text : other;
        }
        if (other != NULL && (*p != '-' || p[1] == '-')) { /* two of them are a dash */
            fputs(other, out);
        } else {
            fputs(strchr("&%$#_{}", *p) != NULL ? "\\" : "", out);
            fputc(is_control(*p) ? ' ' : *p, out);
        }
    }
}
