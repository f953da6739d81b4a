/* SPDX-License-Identifier: Apache-2.0 */
/* What can be asked of --monitor: the table of docs/monitor.md. The page is made of the same. */
#include "live-priv.h"

#include <monitor/page.h>
#include <stdarg.h>
#include <string.h>
#include <web/web.h>

/* ---- answers ----------------------------------------------------------------------------------------------------- */

void live_reply(WwReply *r, json_t *value)
{
    r->status = r->status != 0 ? r->status : 200;
    r->type = "application/json";
    char *text = json_dumps(value, JSON_COMPACT);
    r->owned = text != NULL ? g_strconcat(text, "\n", NULL) : g_strdup("{}\n");
    r->size = strlen(r->owned);
    free(text);
    json_decref(value);
}

void live_refuse(WwReply *r, int status, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    g_autofree char *text = g_strdup_vprintf(format, ap);
    va_end(ap);
    *r = (WwReply){.status = status};
    json_t *o = json_object();
    json_object_set_new(o, "error", cli_json_text(text));
    live_reply(r, o);
}

const char *live_word(const WwRequest *request, const char *key)
{
    return g_hash_table_lookup(request->query, key);
}

bool live_number(const WwRequest *request, const char *key, uint64_t most, uint64_t *out,
                 WwReply *r)
{
    const char *text = live_word(request, key);
    if (text != NULL && !g_ascii_string_to_unsigned(text, 10, 0, most, out, NULL)) {
        live_refuse(r, 400, "%s '%s' is no such number; expected 0 to %" G_GUINT64_FORMAT, key,
                    text, most);
        return false;
    }
    return true;
}

/* ---- pages ------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *path, *type;
    const char *bytes[2]; /* one after the other */
} pages[] = {
    {"/", "text/html; charset=utf-8", {ww_monitor_page, ""}},
    {"/style.css", "text/css; charset=utf-8", {ww_web_style, ww_monitor_style}},
    {"/script.js", "text/javascript; charset=utf-8", {ww_web_script, ww_monitor_script}},
};

static bool serve_page(const char *path, WwReply *r)
{
    for (size_t i = 0; i < G_N_ELEMENTS(pages); i++) {
        if (strcmp(pages[i].path, path) == 0) {
            *r = (WwReply){.status = 200, .type = pages[i].type};
            r->owned = g_strconcat(pages[i].bytes[0], pages[i].bytes[1], NULL);
            r->size = strlen(r->owned);
            return true;
        }
    }
    return false;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

typedef struct Endpoint {
    const char *path;
    void (*get)(CliLive *live, const WwRequest *request, WwReply *reply);
    void (*post)(CliLive *live, json_t *body, WwReply *reply);
    const char *words; /* of the query or of the body: "path|limit" */
} Endpoint;

static const Endpoint endpoints[] = {
    {"/api/run", live_get_run, NULL, ""},
    {"/api/samples", live_get_samples, NULL, "since|generation"},
    {"/api/tree", live_get_tree, NULL, "path"},
    {"/api/component", live_get_component, NULL, "path"},
    {"/api/channels", live_get_channels, NULL, "under|least|limit"},
    {"/api/waits", live_get_waits, NULL, "limit"},
    {"/api/breakpoints", live_get_breakpoints, live_post_breakpoints, "path|kind|unit"},
    {"/api/breakpoints/remove", NULL, live_post_remove, "id"},
    {"/api/pause", NULL, live_post_pause, ""},
    {"/api/continue", NULL, live_post_continue, ""},
    {"/api/step", NULL, live_post_step, "cycles"},
    {"/api/until", NULL, live_post_until, "cycle|kernel|statistic|op|value|every"},
    {"/api/hold", NULL, live_post_hold, "seconds"},
    {"/api/release", NULL, live_post_release, ""},
};

static bool is_word(const Endpoint *e, const char *word)
{
    g_auto(GStrv) words = g_strsplit(e->words, "|", -1);
    return word[0] != '\0' && g_strv_contains((const char *const *)words, word);
}

static void refuse_word(const Endpoint *e, const char *word, WwReply *r)
{
    g_auto(GStrv) words = g_strsplit(e->words, "|", -1);
    g_autofree char *all = g_strjoinv("', '", words);
    live_refuse(r, 400, "'%s' is unknown; expected %s%s%s", word, *all != '\0' ? "'" : "nothing",
                all, *all != '\0' ? "'" : "");
}

static void get(CliLive *l, const Endpoint *e, const WwRequest *request, WwReply *r)
{
    GHashTableIter i;
    gpointer key;
    g_hash_table_iter_init(&i, request->query);
    while (g_hash_table_iter_next(&i, &key, NULL)) {
        if (e->post != NULL || !is_word(e, key)) {
            return refuse_word(&(Endpoint){.words = e->post != NULL ? "" : e->words}, key, r);
        }
    }
    e->get(l, request, r);
}

static void post(CliLive *l, const Endpoint *e, const WwRequest *request, WwReply *r)
{
    json_error_t why;
    json_t *body = request->size != 0
                       ? json_loadb(request->body, request->size, JSON_REJECT_DUPLICATES, &why)
                       : json_object();
    const char *key;
    json_t *value;
    bool good = json_is_object(body);
    if (!good) {
        const char *text = body == NULL ? why.text : "it begins otherwise";
        live_refuse(r, 400, "the body is no JSON object: %s; expected {...} of %s", text,
                    e->words[0] != '\0' ? e->words : "nothing");
    }
    json_object_foreach(body, key, value)
    {
        if (!is_word(e, key)) {
            refuse_word(e, key, r);
            good = false;
            break;
        }
    }
    if (good) {
        e->post(l, body, r);
    }
    json_decref(body);
}

void live_serve(void *user, const WwRequest *request, WwReply *r)
{
    CliLive *l = user;
    l->asked = g_get_monotonic_time();
    for (size_t i = 0; i < G_N_ELEMENTS(endpoints); i++) {
        const Endpoint *e = &endpoints[i];
        if (strcmp(e->path, request->path) != 0) {
            continue;
        }
        if (request->post && e->post != NULL) {
            return post(l, e, request, r);
        }
        if (!request->post && e->get != NULL) {
            return get(l, e, request, r);
        }
        return live_refuse(r, 405, "%s is %s; expected that", request->path,
                           request->post ? "looked at with GET" : "asked for with POST");
    }
    if (request->post || !serve_page(request->path, r)) {
        live_refuse(r, 404, "there is no %s; expected what docs/monitor.md lists", request->path);
    }
}
