/* SPDX-License-Identifier: Apache-2.0 */
/* A script of `bench`; its first line, a comment, may name one of several types. */
#include "common/fuzz.h"

#include <cli-priv.h>
#include <string.h>

static const char *const types[] = {"template.stage", "fu.pipelined", "memory.ideal", "delay",
                                    "result_bus",     "scoreboard",   "warp_pool"};

/* A long number where cycles stand, and many of them, only take long. */
static bool takes_long(const char *text)
{
    uint32_t lines = 0;
    for (; *text != '\0'; text++) {
        size_t digits = strspn(text, "0123456789");
        lines += *text == '\n';
        if (digits > 0) {
            text += digits - 1;
        }
        if (digits > 3 && digits < 25) {
            return true;
        }
    }
    return lines > 40;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *text = g_strndup((const char *)data, size);
    if (takes_long(text)) {
        return 0;
    }
    const char *type = types[0];
    for (size_t i = 0; i < G_N_ELEMENTS(types); i++) {
        if (g_str_has_prefix(text, "# ") && g_str_has_prefix(text + 2, types[i])) {
            type = types[i];
        }
    }
    const char *const words[] = {"bench", type, fuzz_file(0, data, size), NULL};
    char *said = NULL;
    int status = fuzz_run(cli_bench, words, &said);
    if (status == CLI_USAGE) {
        fuzz_check_refusal(status, said);
    }
    fuzz_check(status <= CLI_USAGE, "another status", said);
    free(said);
    return 0;
}
