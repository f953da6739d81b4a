/* SPDX-License-Identifier: Apache-2.0 */
/* An event log, drawn in the format that its length says: a file, or a refusal in one line and no file. */
#include "common/fuzz.h"

#include <cli-priv.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const formats[] = {"konata", "perfetto", "vcd"};
    const char *log = fuzz_file(0, data, size);
    g_autofree char *out = g_strdup_printf("%s/fuzz-%d.view", g_get_tmp_dir(), (int)getpid());
    const char *const words[] = {"view", "--as", formats[size % 3], "-o", out, log, NULL};
    char *said = NULL;
    int status = fuzz_run(cli_view, words, &said);
    fuzz_check(g_file_test(out, G_FILE_TEST_EXISTS) == (status == CLI_DONE),
               "a file without success, or success without a file", out);
    unlink(out);
    if (status == CLI_USAGE) {
        fuzz_check_refusal(status, said);
    }
    free(said);
    return 0;
}
