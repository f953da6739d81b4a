/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of a sweep on Slurm: sweep_slurm.h says what is in it. */
#include "sweep_slurm.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HEAD "warpwright-slurm-1"

char *sweep_folder(const Sweep *s)
{
    g_autofree char *db = g_canonicalize_filename(s->db_name, NULL);
    return g_strconcat(db, ".slurm", NULL);
}

char *sweep_folder_file(const Sweep *s, const char *name)
{
    g_autofree char *folder = sweep_folder(s);
    return g_build_filename(folder, name, NULL);
}

bool sweep_is_out(const Sweep *s)
{
    g_autofree char *file = s->db_name != NULL ? sweep_folder_file(s, "runs") : NULL;
    return file != NULL && g_file_test(file, G_FILE_TEST_EXISTS);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Files in the folder that @p is_wanted says, by name. */
static GPtrArray *files_of(const Sweep *s, bool (*is_wanted)(const char *name))
{
    g_autofree char *folder = sweep_folder(s);
    GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;
    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        if (is_wanted(name)) {
            g_ptr_array_add(files, g_build_filename(folder, name, NULL));
        }
    }
    g_ptr_array_sort(files, by_text);
    return files;
}

static bool is_part(const char *name)
{
    return g_str_has_prefix(name, "part-") && g_str_has_suffix(name, ".db");
}

GPtrArray *sweep_folder_parts(const Sweep *s)
{
    return files_of(s, is_part);
}

/* What the user has put beside it stays. */
static bool is_ours(const char *name)
{
    static const char *const names[] = {"runs",       "tasks",       "jobs", "array.sh",
                                        "collect.sh", "collect.log", NULL};
    return g_strv_contains(names, name) || g_str_has_prefix(name, "part-") ||
           (g_str_has_prefix(name, "task-") && g_str_has_suffix(name, ".log"));
}

void sweep_folder_remove(const Sweep *s)
{
    g_autofree char *folder = sweep_folder(s);
    g_autoptr(GPtrArray) files = files_of(s, is_ours);
    for (guint i = 0; i < files->len; i++) {
        unlink(files->pdata[i]);
    }
    rmdir(folder);
}

/* ---- what was submitted ----------------------------------------------------------------------------------------- */

void sweep_out_clear(SweepOut *out)
{
    g_free(out->name);
    g_free(out->experiment);
    g_clear_pointer(&out->runs, g_array_unref);
}

bool sweep_out_write(const Sweep *s, const SweepOut *out, GError **error)
{
    g_autofree char *path = sweep_folder_file(s, "runs"),
                    *experiment = g_strescape(out->experiment, NULL);
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GError) why = NULL;
    g_string_append_printf(text, HEAD "\n%s\n%s\n", out->name, experiment);
    for (guint i = 0; i < out->runs->len; i++) {
        const SweepOutRun *r = &g_array_index(out->runs, SweepOutRun, i);
        g_string_append_printf(text, "%u %u %s %s\n", r->task, r->number, r->key,
                               *r->before != '\0' ? r->before : "-");
    }
    return g_file_set_contents(path, text->str, (gssize)text->len, &why) ||
           ww_fail(error, WW_ERROR_SYSTEM, "cannot write '%s': %s; expected a folder with room",
                   path, why->message);
}

static bool read_run(const char *line, SweepOutRun *r)
{
    if (sscanf(line, "%u %u %64[0-9a-f] %64[-0-9a-f]", &r->task, &r->number, r->key, r->before) !=
            4 ||
        strlen(r->key) != SWEEP_KEY || r->task == 0 || r->number == 0) {
        return false;
    }
    if (strcmp(r->before, "-") == 0) {
        *r->before = '\0';
    }
    return *r->before == '\0' || strlen(r->before) == SWEEP_KEY;
}

bool sweep_out_read(const Sweep *s, SweepOut *out, GError **error)
{
    g_autofree char *path = sweep_folder_file(s, "runs"), *text = NULL;
    *out = (SweepOut){.runs = g_array_new(false, true, sizeof(SweepOutRun))};
    g_autoptr(GError) why = NULL;
    if (!g_file_get_contents(path, &text, NULL, &why)) {
        const char *colon = strrchr(why->message, ':'); /* GLib names the file once more */
        return ww_fail(error, WW_ERROR_INPUT, "cannot read '%s': %s; expected a file", path,
                       colon != NULL ? colon + 2 : why->message);
    }
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    guint n = g_strv_length(lines);
    bool good = n > 3 && strcmp(lines[0], HEAD) == 0 && *lines[1] != '\0';
    for (guint i = 3; good && i + 1 < n; i++) {
        SweepOutRun run = {0};
        good = read_run(lines[i], &run);
        g_array_append_val(out->runs, run);
    }
    if (!good) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "'%s' is not what a sweep writes; expected '" HEAD "', names and runs",
                       path);
    }
    out->name = g_strdup(lines[1]);
    out->experiment = g_strcompress(lines[2]);
    return true;
}
