/* SPDX-License-Identifier: Apache-2.0 */
/* An event log: events, each whole, or one error that names the file. */
#include "common/fuzz.h"

#include <events/log.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GError) error = NULL;
    const char *file = fuzz_file(0, (const char *)data, size);
    WwLogLine line;
    uint64_t n = 0, value;
    size_t length;
    WwLogReader *r = ww_log_open(file, &error);
    while (error == NULL && ww_log_next(r, &line, &error)) {
        fuzz_check(line.number == ++n, "lines are not counted", line.kind);
        fuzz_check(*line.kind != '\0' && *line.path != '\0', "an empty field", line.text);
        fuzz_check(strpbrk(line.text, "\t\n") == NULL, "more than one field", line.text);
        fuzz_check(!ww_log_number(line.text, "uid", 10, &value) ||
                       ww_log_field(line.text, "uid", &length) != NULL,
                   "a number without a field", line.text);
    }
    fuzz_check(error == NULL || strstr(error->message, file) != NULL, "does not say which file",
               error != NULL ? error->message : "");
    ww_log_close(r);
    return 0;
}
