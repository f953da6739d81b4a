/* SPDX-License-Identifier: Apache-2.0 */
/* Results that `compare` reads, and behind "---" those of another run (else: the same). */
#include "common/fuzz.h"

#include <cli-priv.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t length;
    const char *second = fuzz_second(data, size, &length);
    size_t rest = size - (size_t)(second - (const char *)data);
    const char *one = fuzz_file(0, data, length), *other = fuzz_file(1, second, rest);
    const char *const words[] = {
        "compare", "--exact", size % 2 == 0 ? "--all" : "--exact", one, rest > 0 ? other : one,
        NULL};
    char *said = NULL;
    int status = fuzz_run(cli_compare, words, &said);
    if (status == CLI_USAGE) {
        fuzz_check_refusal(status, said);
    } else {
        fuzz_check(*said == '\0', "said something", said);
    }
    free(said);
    return 0;
}
