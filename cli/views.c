/* SPDX-License-Identifier: Apache-2.0 */
/* `run --view`: events go from the machine into pictures, without a log in between. */
#include "cli-priv.h"
#include "view.h"

#include <monitor/signals.h>
#include <string.h>

#define BUFFER (256u << 10)
enum {
    ALIVE = 256
}; /* Lines: a window of a large machine has a million, for which a signal waits. */

typedef struct CliDrawn {
    WwOutput *out;
    WwView *view;
    const char *file;
} CliDrawn;

static const CliViewOptions by_name = {.format = -1, .named = true};

bool cli_views_check(char *const *files, GError **error)
{
    for (char *const *f = files; f != NULL && *f != NULL; f++) {
        if (cli_view_format(&by_name, *f, error) < 0) {
            return false;
        }
    }
    return true;
}

/* The fields of @p text, which becomes its parts. False: it is no event. */
static bool split(char *text, uint64_t number, WwLogLine *line)
{
    char *part[5] = {text};
    for (int i = 1; i < 5; i++) {
        char *tab = strchr(part[i - 1], '\t');
        if (tab == NULL) {
            return false;
        }
        *tab = '\0';
        part[i] = tab + 1;
    }
    *line = (WwLogLine){.number = number,
                        .cycle = g_ascii_strtoull(part[0], NULL, 10),
                        .kind = part[1],
                        .path = part[2],
                        .unit = g_ascii_strtoll(part[3], NULL, 10),
                        .text = part[4]};
    return true;
}

static void draw(CliViews *v, char *text)
{
    WwLogLine line;
    if (v->line++ % ALIVE == 0) {
        ww_signals_alive();
    }
    if (v->failed != NULL) {
        return;
    }
    if (!split(text, v->line, &line)) {
        ww_fail(&v->failed, WW_ERROR_MODEL,
                "event %" G_GUINT64_FORMAT " has a line break in its text; expected one line",
                v->line);
        return;
    }
    for (guint i = 0; i < v->each->len; i++) {
        CliDrawn *d = v->each->pdata[i];
        if (!ww_view_event(d->view, &line, &v->failed)) {
            return;
        }
    }
}

/* What the machine writes: lines, of which the last may go on in the next piece. */
static ssize_t take(void *user, const char *bytes, size_t n)
{
    CliViews *v = user;
    const char *end = bytes + n, *stop;
    if (v->log != NULL) {
        fwrite(bytes, 1, n, v->log);
    }
    for (const char *at = bytes; at < end; at = stop + 1) {
        stop = memchr(at, '\n', (size_t)(end - at));
        if (stop == NULL) {
            g_string_append_len(v->begun, at, end - at);
            break;
        }
        g_string_append_len(v->begun, at, stop - at);
        draw(v, v->begun->str);
        g_string_truncate(v->begun, 0);
    }
    return (ssize_t)n;
}

static void drawn_free(gpointer data)
{
    CliDrawn *d = data;
    ww_view_free(d->view);
    ww_output_drop(d->out);
    g_free(d);
}

bool cli_views_start(CliViews *v, char *const *files, const WwMachine *machine, FILE *log,
                     GError **error)
{
    v->each = g_ptr_array_new_with_free_func(drawn_free);
    v->begun = g_string_new(NULL);
    v->log = log;
    for (char *const *f = files; *f != NULL; f++) {
        CliDrawn *d = g_new0(CliDrawn, 1);
        g_ptr_array_add(v->each, d);
        d->file = *f;
        if (!cli_view_open(&by_name, *f, machine, NULL, &d->out, &d->view, error)) {
            return false;
        }
    }
    v->stream = fopencookie(v, "w", (cookie_io_functions_t){.write = take});
    setvbuf(v->stream, NULL, _IOFBF, BUFFER);
    return true;
}

void cli_views_flush(CliViews *v)
{
    if (v->stream != NULL) {
        fflush(v->stream);
    }
}

/* All are drawn to their ends before one gets its name. */
static bool finish(CliViews *v, GError **error)
{
    bool good = v->failed == NULL;
    if (!good) {
        g_propagate_error(error, g_steal_pointer(&v->failed));
    }
    for (guint i = 0; good && i < v->each->len; i++) {
        CliDrawn *d = v->each->pdata[i];
        good = ww_view_end(d->view, error) &&
               (ww_output_finish(d->out, error) || (g_prefix_error(error, "cannot write "), false));
    }
    for (guint i = 0; good && i < v->each->len; i++) {
        CliDrawn *d = v->each->pdata[i];
        cli_view_tell(d->view, d->file);
        good = ww_output_keep(g_steal_pointer(&d->out), "cannot write ", error);
    }
    return good;
}

bool cli_views_end(CliViews *v, bool keep, GError **error)
{
    if (v->each == NULL) {
        return true;
    }
    cli_views_flush(v);
    bool good = !keep || finish(v, error);
    if (v->stream != NULL) {
        fclose(v->stream);
    }
    g_clear_error(&v->failed);
    g_ptr_array_unref(v->each);
    g_string_free(v->begun, true);
    memset(v, 0, sizeof *v);
    return good;
}
