/* SPDX-License-Identifier: Apache-2.0 */
#include "result_file.h"

#include <string.h>

static bool has_form(const json_t *o, const char *file, GError **error)
{
    const char *schema = json_string_value(json_object_get(o, "schema"));
    if (schema == NULL || strcmp(schema, CLI_RESULTS_SCHEMA) != 0) {
        return ww_fail(error, WW_ERROR_INPUT, "%s: schema is '%s'; expected '%s'", file,
                       schema != NULL ? schema : "missing", CLI_RESULTS_SCHEMA);
    }
    if (!json_is_array(json_object_get(o, "kernels")) ||
        !json_is_object(json_object_get(json_object_get(o, "total"), "counters"))) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "%s: expected a list 'kernels' and 'total' with 'counters'", file);
    }
    return true;
}

json_t *cli_result_read(const char *file, GError **error)
{
    json_error_t why;
    static const WwTextLimits limits = {.bytes = 1u << 30, .expected = "a file of results"};
    g_autofree char *text = NULL;
    size_t length;
    if (!ww_read_text(file, &limits, &text, &length, error)) {
        return NULL;
    }
    json_t *o = json_loadb(text, length, JSON_REJECT_DUPLICATES, &why);
    if (o == NULL) {
        if (why.line > 0) {
            ww_fail(error, WW_ERROR_INPUT,
                    "%s:%d:%d: %s; expected results of warpwright run -o FILE.json", file, why.line,
                    why.column, why.text);
        } else {
            ww_fail(error, WW_ERROR_INPUT, "cannot read '%s': %s; expected a file of results", file,
                    why.text);
        }
        return NULL;
    }
    if (!has_form(o, file, error)) {
        json_decref(o);
        return NULL;
    }
    return o;
}
