/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words of a command line, one a line: parsed as `run` and `inspect` parse them, and the values of -s taken as a platform takes them.
 * Nothing is run or written.
 */
#include "common/fuzz.h"

#include <cli-priv.h>
#include <string.h>

/* Help ends the process: `--help`, and an 'h' among letters. */
static bool asks_for_help(const char *word)
{
    return g_str_has_prefix(word, "--help") ||
           (word[0] == '-' && word[1] != '-' && strchr(word, 'h'));
}

static int parse(int argc, char **argv)
{
    CliSetup setup = {0};
    int jobs = 0;
    g_autofree char *output = NULL;
    GError *error = NULL;
    g_autoptr(WwOverrides) overrides = ww_overrides_new();
    const GOptionEntry own[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "A file", "FILE"},
        {"jobs", 'j', 0, G_OPTION_ARG_INT, &jobs, "A number", "N"},
        {NULL},
    };
    const GOptionEntry *const tables[] = {own, cli_setup_options(&setup), NULL};
    bool good = cli_parse(&argc, &argv, "TRACE", "Runs.", "", tables, &error);
    fuzz_check(argc >= 1 && argv[argc] == NULL, "words without an end", "");
    for (int i = 1; good && i < argc; i++) {
        fuzz_check(argv[i] != NULL, "a word too few", "");
    }
    for (char **v = setup.values; good && v != NULL && *v != NULL; v++) {
        good = ww_overrides_add_text(overrides, *v, "-s", &error);
    }
    fuzz_check(good == (error == NULL), "an error, or none, as was not said", "");
    cli_setup_clear(&setup);
    return good ? CLI_DONE : cli_fail(error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *text = g_strndup((const char *)data, size);
    g_autofree char *all = g_strconcat("run\n", text, NULL);
    g_auto(GStrv) words = g_strsplit(all, "\n", -1);
    for (char **w = words + 1; *w != NULL; w++) {
        if (asks_for_help(*w)) {
            return 0;
        }
    }
    char *said = NULL;
    int status = fuzz_run(parse, (const char *const *)words, &said);
    size_t first = strcspn(said, "\n");
    fuzz_check((status == CLI_USAGE) == g_str_has_prefix(said, "warpwright: "), "status", said);
    fuzz_check(*said == '\0' || said[first] == '\n', "no line", said);
    fuzz_check(g_utf8_validate(said, -1, NULL), "no UTF-8", said);
    free(said);
    return 0;
}
