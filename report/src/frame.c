/* SPDX-License-Identifier: Apache-2.0 */
#include "frame.h"

#include <glib.h>
#include <string.h>
#include <web/web.h>

/* ---- what may run: our texts and nothing else ------------------------------------------------------------------- */

static char *hash_of(const char *text)
{
    guint8 digest[32];
    gsize length = sizeof digest;
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_checksum_update(sum, (const guchar *)text, (gssize)strlen(text));
    g_checksum_get_digest(sum, digest, &length);
    g_checksum_free(sum);
    return g_base64_encode(digest, length);
}

static char *policy_of(const Frame *f)
{
    g_autofree char *style = hash_of(ww_web_style);
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "default-src 'none'; style-src 'sha256-%s'; script-src", style);
    for (const char *const *s = f->scripts; *s != NULL; s++) {
        g_autofree char *script = hash_of(*s);
        g_string_append_printf(text, " 'sha256-%s'", script);
    }
    g_string_append(text, "; base-uri 'none'; form-action 'none'");
    return g_string_free(text, false);
}

static void document_head(Html *h, const Frame *f)
{
    g_autofree char *policy = policy_of(f);
    fputs("<!DOCTYPE html>\n", h->out);
    html_open(h, "html", "lang", "en", NULL);
    html_open(h, "head", NULL);
    html_void(h, "meta", "charset", "utf-8", NULL);
    html_void(h, "meta", "http-equiv", "Content-Security-Policy", "content", policy, NULL);
    html_void(h, "meta", "name", "viewport", "content", "width=device-width, initial-scale=1",
              NULL);
    html_void(h, "meta", "name", "referrer", "content", "no-referrer", NULL);
    html_void(h, "meta", "name", "generator", "content", f->version, NULL);
    html_open(h, "title", NULL);
    html_textf(h, "%s - Warpwright", f->title);
    html_close(h);
    fprintf(h->out, "<style>%s</style>\n", ww_web_style);
    html_close(h);
}

static void navigation(Html *h, const Frame *f)
{
    html_open(h, "nav", "aria-label", "Parts of this page", NULL);
    html_open(h, "ul", NULL);
    for (const FramePlace *p = f->places; p->id != NULL; p++) {
        g_autofree char *to = g_strdup_printf("#%s", p->id);
        html_open(h, "li", NULL);
        html_leaf(h, "a", p->text, "href", to, NULL);
        html_close(h);
    }
    html_close_n(h, 2);
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

void frame_begin(Html *h, const Frame *f)
{
    document_head(h, f);
    html_open(h, "body", NULL);
    html_open(h, "header", NULL);
    html_leaf(h, "h1", f->heading, NULL);
    html_leaf(h, "noscript", f->no_script, NULL);
    html_close(h);
    navigation(h, f);
    html_open(h, "main", NULL);
}

void frame_foot(Html *h, const Frame *f, const char *of)
{
    html_open(h, "footer", NULL);
    html_open(h, "p", "class", "quiet", NULL);
    html_textf(h, "Made by %s from %s; nothing is loaded from a network.", f->version, of);
    html_close_n(h, 2);
}

void frame_end(Html *h, const Frame *f)
{
    for (const char *const *s = f->scripts; *s != NULL; s++) {
        fprintf(h->out, "<script>%s</script>\n", *s);
    }
    html_close_n(h, 2);
}

void frame_tile(Html *h, const char *what, const char *value)
{
    html_open(h, "li", NULL);
    html_leaf(h, "b", value, NULL);
    html_leaf(h, "span", what, NULL);
    html_close(h);
}
