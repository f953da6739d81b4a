/* SPDX-License-Identifier: Apache-2.0 */
/* An option file of the reference, and behind "---" the file of a network that -inter_config_file names. */
#include "common/fuzz.h"

#include <compat/import.h>
#include <string.h>

static void note(void *user, const char *message)
{
    fuzz_check(strchr(message, '\n') == NULL && g_utf8_validate(message, -1, NULL),
               "not a line of UTF-8", message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char word[] = "-inter_config_file", ours[] = "\n-inter_config_file 901\n";
    size_t length;
    const char *second = fuzz_second(data, size, &length);
    if (memmem(data, length, word, strlen(word)) != NULL) {
        return 0; /* of no file but ours */
    }
    size_t rest = size - (size_t)(second - (const char *)data);
    g_autoptr(GByteArray) options = g_byte_array_new();
    g_byte_array_append(options, data, (guint)length);
    if (rest > 0) {
        g_byte_array_append(options, (const guint8 *)ours, (guint)strlen(ours));
    }
    fuzz_file(1, second, rest);
    const char *const files[] = {fuzz_file(0, options->data, options->len), NULL};
    uint32_t i = (uint32_t)size % 4;
    WwImportOptions how = {.complete = i % 2 == 1,
                           .strict = i / 2 == 1,
                           .ignore_unknown = i / 2 == 0,
                           .verbose = i == 2,
                           .note = note};
    g_autoptr(WwOverrides) overrides = ww_overrides_new();
    g_autoptr(GError) error = NULL;
    bool good = ww_gpgpusim_import(overrides, files, &how, &error);
    fuzz_check_error(good, error, false);
    return 0;
}
