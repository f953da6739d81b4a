/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Every file is written under a temporary name and flushed to disk; when all are complete they get their names, in the order in which they were added: a
 * list comes last. So a directory with a `kernelslist.g` is complete, and of work that failed or was interrupted nothing is left, neither files nor the
 * directories made for them. Nothing that was there is replaced: what is left of another trace would belong to none, or to this one.
 */
#include "files-priv.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

struct WwFiles {
    char *folder;
    GPtrArray *folders; /**< WwPending: directories made. */
    GPtrArray *files;   /**< WwOutput */
};

/** Makes @p path and what is missing above it. */
static bool make_directory(WwFiles *p, const char *path, GError **error)
{
    struct stat st;
    g_autofree char *above = g_path_get_dirname(path);
    bool there = stat(path, &st) == 0;
    if (there && S_ISDIR(st.st_mode)) {
        return true;
    }
    if (!there && strcmp(above, path) != 0 && !make_directory(p, above, error)) {
        return false;
    }
    errno = ENOTDIR;
    if (!there && mkdir(path, 0777) == 0) {
        g_ptr_array_add(p->folders, ww_pending_add(path));
        return true;
    }
    return ww_fail(error, WW_ERROR_SYSTEM,
                   "%s: cannot make the directory: %s; expected a folder that can be written",
                   p->folder, g_strerror(errno));
}

/** A link that leads nowhere would be replaced, too. */
static bool refuse_there(const char *path, const char *what, GError **error)
{
    GStatBuf st;
    return g_lstat(path, &st) != 0 ||
           ww_fail(error, WW_ERROR_USAGE,
                   "%s: is there already; expected a folder without %s: another one, or remove it",
                   path, what);
}

WwFiles *ww_files_new(const char *folder, GError **error)
{
    g_autofree char *list = g_build_filename(folder, "kernelslist.g", NULL);
    if (!refuse_there(list, "a trace", error)) {
        return NULL;
    }
    WwFiles *p = g_new0(WwFiles, 1);
    p->folder = g_strdup(folder);
    p->folders = g_ptr_array_new();
    p->files = g_ptr_array_new();
    if (!make_directory(p, folder, error)) {
        ww_files_end(p, false, NULL);
        return NULL;
    }
    return p;
}

const char *ww_files_folder(const WwFiles *files)
{
    return files->folder;
}

WwOutput *ww_files_add(WwFiles *files, const char *path, GError **error)
{
    if (!refuse_there(path, "that file", error)) {
        return NULL;
    }
    WwOutput *file = ww_output_new(path, error);
    if (file == NULL) {
        g_prefix_error(error, "cannot write ");
    } else {
        g_ptr_array_add(files->files, file);
    }
    return file;
}

/** Gives everything its name, or removes it. No signal comes between the first name and the last. */
bool ww_files_end(WwFiles *files, bool good, GError **error)
{
    if (files == NULL) {
        return false;
    }
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    for (guint i = 0; i < files->files->len; i++) {
        if (good) {
            good = ww_output_keep(files->files->pdata[i], NULL, error);
        } else {
            ww_output_drop(files->files->pdata[i]);
        }
    }
    for (guint i = files->folders->len; i-- > 0;) {
        if (good) {
            ww_pending_forget(files->folders->pdata[i]);
        } else {
            ww_pending_remove(files->folders->pdata[i]);
        }
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    g_ptr_array_unref(files->folders);
    g_ptr_array_unref(files->files);
    g_free(files->folder);
    g_free(files);
    return good;
}
