/* SPDX-License-Identifier: Apache-2.0 */
#include "html.h"

#include <glib.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

/* Controls are no characters of HTML, nor is what is not UTF-8 (in names of files); they are shown as what stands for the unknown. */
static void escaped(Html *h, const char *text)
{
    g_autofree char *valid = g_utf8_validate(text, -1, NULL) ? NULL : g_utf8_make_valid(text, -1);
    for (const char *p = valid != NULL ? valid : text; *p != '\0'; p++) {
        unsigned char c = (unsigned char)*p;
        switch (c) {
        case '&':
            fputs("&amp;", h->out);
            break;
        case '<':
            fputs("&lt;", h->out);
            break;
        case '>':
            fputs("&gt;", h->out);
            break;
        case '"':
            fputs("&quot;", h->out);
            break;
        case '\'':
            fputs("&#39;", h->out);
            break;
        default:
            if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7f) {
                fputs("&#xfffd;", h->out);
            } else {
                fputc(c, h->out);
            }
        }
    }
}

static void tag_begin(Html *h, const char *tag, va_list ap)
{
    const char *name;
    fprintf(h->out, "<%s", tag);
    while ((name = va_arg(ap, const char *)) != NULL) {
        const char *value = va_arg(ap, const char *);
        if (value != NULL) {
            fprintf(h->out, " %s=\"", name);
            escaped(h, value);
            fputc('"', h->out);
        }
    }
    fputc('>', h->out);
}

void html_open(Html *h, const char *tag, ...)
{
    va_list ap;
    va_start(ap, tag);
    tag_begin(h, tag, ap);
    va_end(ap);
    g_assert(h->depth < HTML_MOST_OPEN);
    h->open[h->depth++] = tag;
}

void html_close(Html *h)
{
    g_assert(h->depth > 0);
    const char *tag = h->open[--h->depth];
    fprintf(h->out, "</%s>%s", tag, strlen(tag) > 2 || strcmp(tag, "tr") == 0 ? "\n" : "");
}

void html_close_n(Html *h, unsigned n)
{
    while (n-- > 0) {
        html_close(h);
    }
}

void html_leaf(Html *h, const char *tag, const char *text, ...)
{
    va_list ap;
    va_start(ap, text);
    tag_begin(h, tag, ap);
    va_end(ap);
    html_text(h, text != NULL ? text : "");
    fprintf(h->out, "</%s>", tag);
}

void html_void(Html *h, const char *tag, ...)
{
    va_list ap;
    va_start(ap, tag);
    tag_begin(h, tag, ap);
    va_end(ap);
    fputc('\n', h->out);
}

void html_text(Html *h, const char *text)
{
    escaped(h, text);
}

void html_textf(Html *h, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    g_autofree char *text = g_strdup_vprintf(format, ap);
    va_end(ap);
    escaped(h, text);
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

char *html_number(double v, int digits)
{
    char plain[G_ASCII_DTOSTR_BUF_SIZE + 64], format[16];
    if (!isfinite(v)) {
        return g_strdup("-");
    }
    if (fabs(v) >= 1e18) {
        return g_strdup(g_ascii_formatd(plain, sizeof plain, "%.6g", v));
    }
    g_snprintf(format, sizeof format, "%%.%df", digits);
    g_ascii_formatd(plain, sizeof plain, format, v);
    if (plain[0] == '-' && strspn(plain + 1, "0.") == strlen(plain + 1)) { /* rounded to nothing */
        memmove(plain, plain + 1, strlen(plain));
    }
    size_t whole = strcspn(plain, ".");
    GString *text = g_string_new(NULL);
    for (size_t i = 0; plain[i] != '\0'; i++) {
        if (i > 0 && i < whole && (whole - i) % 3 == 0 && plain[i - 1] != '-') {
            g_string_append_c(text, ',');
        }
        g_string_append_c(text, plain[i]);
    }
    return g_string_free(text, false);
}

static void exact(char *buffer, size_t size, double v)
{
    g_ascii_formatd(buffer, (int)size, fabs(v) < 9e15 && v == floor(v) ? "%.0f" : "%.9g", v);
}

void html_cell(Html *h, double v, int digits)
{
    char value[G_ASCII_DTOSTR_BUF_SIZE];
    g_autofree char *text = html_number(v, digits);
    exact(value, sizeof value, v);
    html_leaf(h, "td", text, "data-v", value, NULL);
}

void html_none(Html *h)
{
    html_leaf(h, "td", "-", "data-v", "-1", NULL);
}

void html_share(Html *h, double part, double of)
{
    char value[G_ASCII_DTOSTR_BUF_SIZE], width[G_ASCII_DTOSTR_BUF_SIZE];
    if (!(of > 0)) {
        html_none(h);
        return;
    }
    double share = 100 * (part / of); /* rounded as the summary of run does */
    g_autofree char *text = html_number(share, 1);
    exact(value, sizeof value, share);
    g_ascii_formatd(width, sizeof width, "%.2f", CLAMP(share, 0, 100));
    html_open(h, "td", "data-v", value, NULL);
    html_textf(h, "%s %% ", text);
    html_open(h, "svg", "class", "bar", "viewBox", "0 0 100 10", "preserveAspectRatio", "none",
              "aria-hidden", "true", NULL);
    html_leaf(h, "rect", NULL, "class", "back", "width", "100", "height", "10", NULL);
    html_leaf(h, "rect", NULL, "class", "front", "width", width, "height", "10", NULL);
    html_close_n(h, 2);
}

/* ---- what the page is made of ------------------------------------------------------------------------------------ */

void html_section(Html *h, const char *id, const char *title)
{
    g_autofree char *heading = g_strdup_printf("%s-title", id);
    html_open(h, "section", "id", id, "aria-labelledby", heading, NULL);
    html_leaf(h, "h2", title, "id", heading, NULL);
}

void html_table(Html *h, const char *class, const char *caption)
{
    html_open(h, "div", "class", "scroll", "tabindex", "0", "role", "region", "aria-label", caption,
              NULL);
    html_open(h, "table", "class", class, NULL);
    html_leaf(h, "caption", caption, NULL);
    html_open(h, "thead", NULL);
    html_open(h, "tr", NULL);
}

void html_body(Html *h)
{
    html_close_n(h, 2);
    html_open(h, "tbody", NULL);
}

void html_table_end(Html *h)
{
    html_close_n(h, 3);
}

void html_head(Html *h, const char *text, bool left)
{
    html_leaf(h, "th", text, "scope", "col", "class", left ? "left" : NULL, NULL);
}

void html_note(Html *h, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    g_autofree char *text = g_strdup_vprintf(format, ap);
    va_end(ap);
    html_leaf(h, "p", text, "class", "note", NULL);
}
