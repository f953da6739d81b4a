/* SPDX-License-Identifier: Apache-2.0 */
#include "db_source.h"
#include "output-priv.h"

#include <warpwright/output.h>

static bool write_one(WwOutput *out, int kind, CliWriteFn write, const void *what, GError **error)
{
    return write(what, kind, ww_output_file(out), error) &&
           (ww_output_finish(out, error) || (g_prefix_error(error, "cannot write "), false));
}

bool cli_write_files(char *const *paths, const char *const *endings, CliWriteFn write,
                     const void *what, GError **error)
{
    guint n = g_strv_length((char **)paths);
    g_autofree WwOutput **out = g_new0(WwOutput *, n + 1);
    bool good = true;
    for (guint i = 0; good && i < n; i++) {
        out[i] = ww_output_new(paths[i], error);
        if (out[i] == NULL) {
            good = (g_prefix_error(error, "cannot write "), false);
        } else {
            good = write_one(out[i], cli_ending(paths[i], endings, NULL), write, what, error);
        }
    }
    for (guint i = 0; i < n; i++) {
        if (good) {
            good = ww_output_keep(out[i], "cannot write ", error);
        } else {
            ww_output_drop(out[i]);
        }
    }
    return good;
}
